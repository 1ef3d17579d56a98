"""Damages sound files at random and gives each to the command that reads it.

``python -m tests.hostile.mutated --number 300 --seed 0 [FORMAT ...]`` prints, for each format, how commands ended. They
run one after the other in one long-lived process, as TensorFlow takes seconds to load; ``--real N`` gives every N-th
file to a process of its own instead. A wrong end is a signal, exit code 70, not one line on why it was refused, or
more than a minute; its file is kept. The same seed makes the same files.
"""

import argparse
import contextlib
import io
import json
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.samples import PLACE, SAMPLES, Sample, installed

LONGEST = 60.0
"""Seconds that a command may take."""


@dataclass(frozen=True)
class End:
    """How a command ended on a damaged file."""

    number: int
    code: int | None
    """Exit code, negative for a signal; ``None`` where it did not end in time."""
    said: str
    """On standard error."""
    seconds: float

    @property
    def wrong(self) -> bool:
        """Whether no command may end so."""
        # Libraries may warn of the machine, and a certification says beforehand what it will cost.
        lines = [line for line in self.said.splitlines() if line.startswith("quantrift ")]
        return self.code not in (0, 1, 2, 3) or (self.code == 2 and len(lines) != 1)


class Commands:
    """A process that runs one command after the other; it is started again where one ends it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, words: list[str]) -> tuple[int | None, str]:
        """Exit code and standard error of a command."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.hostile.mutated", "--serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        self._process.stdin.flush()
        # Loading the libraries, once, is no part of what a file costs.
        ready, _, _ = select.select([self._process.stdout], [], [], LONGEST + 30)
        line = self._process.stdout.readline() if ready else b""
        if line:
            code, said = json.loads(line)
            return code, said
        found = self._process.wait() if ready else None
        self.close()
        return found, "" if ready else "did not end in time"

    def close(self) -> None:
        """End the process and what it started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, 9)
            self._process.wait()
            self._process = None


def serve() -> None:
    """Run commands whose words come in as lines of JSON, with one reader of foreign files for all."""
    from quantrift.cli.main import main
    from quantrift.core.networks.foreign.reader import ForeignFiles

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    reader = ForeignFiles()
    ForeignFiles.__exit__ = lambda self, *error: None  # type: ignore[method-assign]
    ForeignFiles.__new__ = lambda kind: reader  # type: ignore[method-assign, assignment, return-value]
    ForeignFiles.__init__ = lambda self: None  # type: ignore[method-assign]
    for line in sys.stdin:
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            try:
                code = main(json.loads(line))
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 2
        print(json.dumps([code, said.getvalue().strip()]), file=answers, flush=True)


def mutated(name: str, number: int, seed: int, folder: Path, kept: Path | None = None, real: int = 0) -> Iterator[End]:
    """Ends of the command of a format on damaged files.

    Args:
        name: of the format.
        number: of files.
        seed: of the damage; the same for each format and number.
        folder: empty one, for all files.
        kept: where files with a wrong end are copied to.
        real: every so many commands one runs in a process of its own; 0 for none.
    """
    sample = SAMPLES[name]
    place = folder / PLACE
    (place / "sound").mkdir(parents=True, exist_ok=True)
    with contextlib.redirect_stdout(io.StringIO()):
        sound = sample.make(place / "sound")
    commands = Commands()
    try:
        for at in range(number):
            case = place / "case"
            path = _damaged(sample, sound, case, random.Random(f"{seed} {name} {at}"))
            words = sample.command(path, place / "out")
            began = time.monotonic()
            code, said = _alone(words) if real and at % real == real - 1 else commands.run(words)
            end = End(at, code, said, time.monotonic() - began)
            if end.wrong and kept is not None:
                shutil.copytree(case, kept / f"{name.replace(' ', '_')}_{seed}_{at}", dirs_exist_ok=True)
            shutil.rmtree(case)
            shutil.rmtree(place / "out", ignore_errors=True)
            yield end
    finally:
        commands.close()


def _damaged(sample: Sample, sound: Path, case: Path, draw: random.Random) -> Path:
    """A copy of a sample with one damaged file, in a folder of its own; its path."""
    if sound.is_dir():
        path = case / sound.name
        shutil.copytree(sound, path)
    else:
        shutil.copytree(sound.parent, case)
        path = case / sound.name
    pattern, damage = draw.choice(sample.damaged)
    if pattern.startswith("../"):
        file = path.parent / pattern[3:]
    else:
        file = draw.choice(sorted(one for one in path.glob(pattern) if one.is_file())) if pattern else path
    content = file.read_bytes()
    while (made := damage(content, draw)) == content:
        pass
    file.write_bytes(made)
    sample.after(path)
    return path


def _alone(words: list[str]) -> tuple[int | None, str]:
    """Exit code and standard error of a command in a process of its own."""
    command = [sys.executable, "-m", "quantrift.cli.main", *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return None, "did not end in time"
    return done.returncode, done.stderr.strip()


def main() -> int:
    """Print a line for each format, and one for each wrong end; 1 if there is any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=", ".join(SAMPLES))
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--real", type=int, default=30)
    parser.add_argument("--kept", type=Path, help="folder for files with a wrong end")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return 0
    wrong = 0
    for name in given.formats or installed():
        with tempfile.TemporaryDirectory() as folder:
            codes: Counter[str] = Counter()
            longest = 0.0
            for end in mutated(name, given.number, given.seed, Path(folder), given.kept, given.real):
                codes[str(end.code)] += 1
                longest = max(longest, end.seconds)
                if end.wrong:
                    wrong += 1
                    print(f"  {name} {end.number}: {end.code} {end.said.replace(folder, '')[:300]}", flush=True)
            ends = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items()))
            print(f"{name}: {given.number} files, {ends}; longest {longest:.1f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
