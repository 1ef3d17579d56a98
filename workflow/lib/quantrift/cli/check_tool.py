"""Check a search tool for determinism, batch independence and its budget, a line each.

determinism: the same seeds give the same candidates. batch independence: a search gives the same alone and among
others. budget: no search puts more candidates through the networks than its budget. The tool runs on made-up
networks, so that your own tool needs no data; the disagreements that it finds there mean nothing.
"""

import argparse
from pathlib import Path

from quantrift.cli.planning.options import tool_of
from quantrift.core.base.errors import refuse
from quantrift.judge.verdict.tool_check import check

EXAMPLES = """examples:
  quantrift check-tool pso_div
  quantrift check-tool my_tool --configfile my.yaml --shape 7,7,103
"""


OPTIONS = {
    "tool": {"help": "id of a tool of the configuration"},
    "--configfile": {
        "type": Path,
        "metavar": "FILE",
        "help": "configuration file with the tool, laid over the demo's",
    },
    "--shape": {
        "default": "12,12,3",
        "metavar": "H,W,C",
        "help": "rows, columns and channels of an input (default: %(default)s)",
    },
}


def run(given: argparse.Namespace) -> int:
    """0 where everything holds, 1 where something is broken."""
    found = check(given.tool, tool_of(given.tool, given.configfile).model_dump(mode="json"), _shape(given.shape))
    for one in found:
        print(f"{one.name}: {'holds' if one.holds else 'BROKEN'}: {one.text}")
    return int(not all(one.holds for one in found))


def _shape(text: str) -> tuple[int, int, int]:
    numbers = [int(part) if part.strip().isdecimal() else 0 for part in text.split(",")]
    refuse(
        (
            len(numbers) != 3 or min(numbers) < 1,
            f"--shape {text}: not three positive numbers; give rows, columns and channels like 28,28,1",
        )
    )
    rows, columns, channels = numbers
    return rows, columns, channels
