"""Branches that tests run, by room: ``python -m tests.coverage_by_room coverage.json [EARLIER.json]``.

``make coverage`` writes the file. Of two files the second is the earlier one, and a room in which less is run than
there is an error.
"""

import json
import sys
from collections import Counter
from pathlib import Path

Rooms = dict[str, float]


def rooms(file: Path) -> Rooms:
    """Room -> share of its branches and lines that are run, 0..1, as ``coverage`` counts them together."""
    of, run = Counter[str](), Counter[str]()
    for name, found in json.loads(file.read_text())["files"].items():
        room = name.partition("quantrift/")[2].split("/")[0]
        told = found["summary"]
        of[room] += told["num_statements"] + told["num_branches"]
        run[room] += told["covered_lines"] + told["covered_branches"]
    return {room: run[room] / count for room, count in sorted(of.items()) if count}


def main(files: list[str]) -> int:
    """Print a line a room; 1 where one has less than before."""
    now, *earlier = (rooms(Path(file)) for file in files)
    for room, share in now.items():
        before = f"{earlier[0].get(room, 0):>9.1%}" if earlier else ""
        print(f"{room:<14}{before}{share:>9.1%}")
    return int(any(now.get(room, 0) < share - 5e-4 for one in earlier for room, share in one.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
