"""Checks of files: the official ones that a configuration needs, and those that its tables were made from."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from quantrift.cli.health.environment import Finding, judged
from quantrift.core.base.files import read_json, sha256
from quantrift.core.base.grouped import grouped
from quantrift.core.base.paths import Paths
from quantrift.core.settings.datasets import SourceFile, official_files
from quantrift.study.datasets import addresses
from quantrift.study.datasets.official import Places
from quantrift.study.planning import work
from quantrift.study.planning.result_files import PUBLISHED, Results
from quantrift.study.planning.root import REPORT, Config
from quantrift.study.results.targets import kinds

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
    where = Places.of(addresses.Addresses(config.data, {}))
    states = {
        name: {file.path: state(file, where, deep) for file in official_files(settings)}
        for name, settings in config.datasets.items()
    }
    asked = {
        name: own
        for name, own in states.items()
        if own and (name in wanted or not {*own.values()} <= {"missing", "to download"})
    }
    return [mirror(config), *(dataset(name, own, name in wanted) for name, own in asked.items())]


def mirror(config: Config) -> Finding:
    """Whether the folder of official files exists, where one is named."""
    folder = addresses.mirror(config.data.mirror)
    if config.data.source == "official":
        return Finding("mirror", "ok", f"not used: data.source is official, downloads lie in {config.data.downloads}")
    which = "data.mirror" if config.data.mirror else addresses.MIRROR
    absent = folder is not None and not folder.is_dir()
    todo = f"set {which} to another; {_LAYOUT}"
    return judged("mirror", str(folder or "not set"), (absent, "warning", f"{folder}: no such folder", todo))


def state(file: SourceFile, where: Places, deep: bool) -> State:
    """State of one official file.

    ``unchecked`` is a large file when not ``deep``, ``to download`` one that is in no folder but has an address. A
    damaged download counts as not downloaded, as it is fetched again.
    """
    for folder, stays in ((where.mirror, True), (where.downloads, False)):
        if folder is not None and (folder / file.path).is_file():
            found = _digest(folder / file.path, file, deep)
            if stays or found != "wrong":
                return found
    return "to download" if where.downloads is not None and file.urls else "missing"


def dataset(name: str, states: dict[str, State], needed: bool) -> Finding:
    """Finding on a dataset from the states of its official files, by path; ``needed`` if the run reads them."""
    by = grouped((one, path) for path, one in states.items())
    here = len(states) - len(by.get("missing", [])) - len(by.get("to download", []))
    parts = [f"{here} of {len(states)} files here" + (", digests match" if set(by) == {"good"} else "")]
    parts += [f"{one}: {', '.join(paths)}" for one, paths in by.items() if one != "good"]
    replace = f"put the official files into the mirror; {_LAYOUT}"
    says = "; ".join(parts)
    return judged(
        name,
        says,
        (needed and bool({"wrong", "missing"} & {*by}), "problem", says, replace),
        ("wrong" in by, "warning", says, replace),
        (needed and "to download" in by, "warning", says, "a run downloads them; stay connected"),
        ("unchecked" in by, "ok", says, "--deep checks large files"),
    )


def _digest(path: Path, file: SourceFile, deep: bool) -> State:
    try:
        if path.stat().st_size >= BIG and not deep:
            return "unchecked"
        return "good" if sha256(path) == file.sha256 else "wrong"
    except OSError:
        return "wrong"


def digests(config: Config, paths: Paths) -> list[Finding]:
    """A finding for each table that was made from other bytes, and one for all that were not.

    Each table has its files' digests beside it (``.provenance.json``); it is made from other bytes where one of them
    is the digest of no file that the configuration makes it from.
    """
    # By digest, as times of files may be wrong.
    digest = cache(sha256)
    published = {digest(file) for file in PUBLISHED.glob("*.csv")}
    results = Results(config, paths)
    others: dict[str, list[str]] = {}
    for name, target in config.targets.items():
        provenance = paths.table(name).with_suffix(".provenance.json")
        if kinds.is_table(target.kind) and provenance.is_file():
            now = published | {digest(file) for file in results.files(name) if file.is_file()}
            others[name] = [label for label, own in read_json(provenance)["files"].items() if own not in now]
    found = [_stale(paths, name, labels) for name, labels in others.items() if labels]
    if fresh := len(others) - len(found):
        found.append(Finding("results", "ok", f"{fresh} tables were made from the files that lie in {paths.root}"))
    todo = "run the configuration first, in this folder"
    return found or [Finding("results", "warning", f"{paths.root}: no tables to be checked", todo)]


def _stale(paths: Paths, name: str, others: Sequence[str]) -> Finding:
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    says = f"{paths.table(name)}.csv: made from other bytes than lie there now ({others[0]}{more})"
    todo = f"restore the file, or delete it and run snakemake {name}, which makes both again"
    return Finding("results", "problem", says, todo)
