"""A table of the command line's answers to hostile files: ``python -m tests.hostile.table [WORD ...] > table.md``.

Each file is given to a command in a process of its own, with home, temporary folder and working folder under watch.
Words choose the files whose names hold one of them.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.all_files import MAKERS

from quantrift.judge.intake.example import paths

MOST = 12 * 10**9
"""Bytes of memory after which the system ends an allocation, so that the table can be made on any machine."""


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    lines: list[str]
    """On standard error."""
    written: list[str]
    """Files outside ``--out`` that were not there before."""
    out: bool
    """Whether the folder of the assessment is there."""
    peak_mb: int
    """Largest resident set of the command and of its processes."""
    seconds: float


def arguments(kind: str, file: Path, out: Path) -> list[str]:
    """The command that reads a file of a kind."""
    pair = {"--original": paths().original, "--compressed": paths().int8, "--inputs": paths().inputs}
    if kind == "records":
        return ["replay", str(file)]
    if kind == "configurations":
        return ["check-tool", "random", "--configfile", str(file)]
    pair |= {{"originals": "--original", "compressed": "--compressed", "inputs": "--inputs"}[kind]: file}
    return ["assess", *(str(word) for item in pair.items() for word in item), "--out", str(out)]


def outcome(command: Sequence[str], folder: Path, out: Path) -> Outcome:
    """Run a command of ``quantrift`` in an empty home below ``folder``."""
    homes = {name: folder / name for name in ("home", "tmp", "work")}
    for home in homes.values():
        home.mkdir(exist_ok=True)
    before = _all(folder)
    # Where matplotlib keeps its list of fonts is its own affair.
    fonts = {"MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(Path.home() / ".cache" / "matplotlib"))}
    environment = os.environ | fonts | {"HOME": str(homes["home"]), "TMPDIR": str(homes["tmp"])}
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "quantrift.cli.main", *command],
        cwd=homes["work"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST, MOST)),
    )
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    written = [name for name in sorted(_all(folder) - before) if not name.startswith(out.name)]
    return Outcome(
        os.waitstatus_to_exitcode(status),
        [line for line in said.splitlines() if line.strip()],
        written,
        out.exists(),
        used.ru_maxrss // 1000,
        time.monotonic() - started,
    )


def _all(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def main() -> None:
    """Print the table."""
    print("| file | exit code | written outside `--out` | peak MB | seconds | said |\n|---|---|---|---|---|---|")
    for kind, found in MAKERS.items():
        for name, maker in found.items():
            if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
                continue
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place)
                (folder / "given").mkdir()
                file = maker(folder / "given", folder / "canary")
                done = outcome(arguments(kind, file, folder / "out"), folder, folder / "out")
                last = done.lines[-1].replace(place, "").replace("|", "/")[:110] if done.lines else ""
                lines = f" ({len(done.lines)} lines)" if len(done.lines) > 1 else ""
                written = ", ".join(done.written[:3]) or "nothing"
                print(
                    f"| {name} | {done.code} | {written} | {done.peak_mb} | {done.seconds:.1f} | {last}{lines} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
