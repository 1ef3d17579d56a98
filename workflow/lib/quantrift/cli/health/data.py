"""Check of the official files that a configuration needs."""

from pathlib import Path
from typing import Literal

from quantrift.cli.health.finding import Finding, Level
from quantrift.core.base.files import sha256
from quantrift.core.settings.datasets import SourceFile, official_files
from quantrift.study.datasets import addresses
from quantrift.study.datasets.official import Places
from quantrift.study.planning import work
from quantrift.study.planning.root import REPORT, Config

State = Literal["good", "unchecked", "wrong", "to download", "missing"]
BIG = 16_000_000
"""Bytes from which a file is hashed only when asked for."""
_LAYOUT = "docs/configuration.md gives the layout"


def check(config: Config, deep: bool) -> list[Finding]:
    """The mirror, and the official files of each dataset that is needed or has some; nothing is downloaded.

    ``deep`` hashes large files too.
    """
    wanted = {
        name for label in config.all if label != REPORT for name in work.datasets_of(config, config.targets[label])
    }
    where = Places.of(config.data)
    found = [mirror(config)]
    for name, settings in config.datasets.items():
        states = {file.path: state(file, where, deep) for file in official_files(settings)}
        if states and (name in wanted or not set(states.values()) <= {"missing", "to download"}):
            found.append(dataset(name, states, name in wanted))
    return found


def mirror(config: Config) -> Finding:
    """Whether the folder of official files exists, where one is named."""
    folder = addresses.mirror(config.data.mirror)
    if config.data.source == "official":
        return Finding("mirror", "ok", f"not used: data.source is official, downloads lie in {config.data.downloads}")
    if folder is None:
        return Finding("mirror", "ok", "not set")
    if not folder.is_dir():
        which = "data.mirror" if config.data.mirror else addresses.MIRROR
        return Finding("mirror", "warning", f"{folder}: no such folder", f"set {which} to another; {_LAYOUT}")
    return Finding("mirror", "ok", str(folder))


def state(file: SourceFile, where: Places, deep: bool) -> State:
    """State of one official file.

    ``unchecked`` is a large file when not ``deep``, ``to download`` one that is in no folder but has an address. A
    damaged download counts as not downloaded, as it is fetched again.
    """
    if where.mirror is not None and (path := where.mirror / file.path).is_file():
        return _digest(path, file, deep)
    if where.downloads is not None:
        path = where.downloads / file.path
        if path.is_file() and (found := _digest(path, file, deep)) != "wrong":
            return found
        if file.urls:
            return "to download"
    return "missing"


def dataset(name: str, states: dict[str, State], needed: bool) -> Finding:
    """Finding on a dataset from the states of its official files, by path; ``needed`` if the run reads them."""
    by: dict[State, list[str]] = {}
    for path, one in states.items():
        by.setdefault(one, []).append(path)
    here = len(states) - len(by.get("missing", [])) - len(by.get("to download", []))
    parts = [f"{here} of {len(states)} files here" + (", digests match" if set(by) == {"good"} else "")]
    parts += [f"{one}: {', '.join(paths)}" for one, paths in by.items() if one != "good"]
    level: Level = "ok"
    todo = ""
    if "wrong" in by or ("missing" in by and needed):
        level = "problem" if needed else "warning"
        todo = f"put the official files into the mirror; {_LAYOUT}"
    elif "to download" in by and needed:
        level, todo = "warning", "a run downloads them; stay connected"
    elif "unchecked" in by:
        todo = "--deep checks large files"
    return Finding(name, level, "; ".join(parts), todo)


def _digest(path: Path, file: SourceFile, deep: bool) -> State:
    try:
        if path.stat().st_size >= BIG and not deep:
            return "unchecked"
        return "good" if sha256(path) == file.sha256 else "wrong"
    except OSError:
        return "wrong"
