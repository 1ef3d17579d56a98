"""Check by digest that tables were made from the present files, as times of files may be wrong."""

from functools import cache

from quantrift.cli.health.finding import Finding
from quantrift.core.base.files import read_json, sha256
from quantrift.core.base.paths import Paths
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config
from quantrift.study.results.targets import kinds

PUBLISHED = ROOT / "workflow" / "published"


def check(config: Config, paths: Paths) -> list[Finding]:
    """A finding for each table that was made from other bytes, and one for all that were not.

    Each table has its files' digests beside it (``.provenance.json``); it is made from other bytes where one of them
    is the digest of no file that the configuration makes it from.
    """
    digest = cache(sha256)
    published = {digest(file) for file in PUBLISHED.glob("*.csv")}
    results = Results(config, paths)
    found, fresh = [], 0
    for name in (name for name, target in config.targets.items() if kinds.is_table(target.kind)):
        provenance = paths.table(name).with_suffix(".provenance.json")
        if not provenance.is_file():
            continue
        now = published | {digest(file) for file in results.files(name) if file.is_file()}
        others = [label for label, own in read_json(provenance)["files"].items() if own not in now]
        fresh += not others
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            says = f"{paths.table(name)}.csv: made from other bytes than lie there now ({others[0]}{more})"
            todo = f"restore the file, or delete it and run snakemake {name}, which makes both again"
            found.append(Finding("results", "problem", says, todo))
    if fresh:
        found.append(Finding("results", "ok", f"{fresh} tables were made from the files that lie in {paths.root}"))
    elif not found:
        todo = "run the configuration first, in this folder"
        found.append(Finding("results", "warning", f"{paths.root}: no tables to be checked", todo))
    return found
