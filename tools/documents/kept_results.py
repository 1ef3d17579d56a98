"""Evidence of a run in docs/results: its tables, figures and costs: ``python -m tools.documents.kept_results``.

Figures that show inputs stay out, as the project redistributes no data. Nothing is computed here: files are copied as
the run left them, and a page lists them.
"""

import argparse
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

from quantrift.cli.planning import measured, options
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, replacing, write_json
from quantrift.core.base.paths import Paths
from quantrift.core.page.arrangement import records
from quantrift.core.page.markdown import inline
from quantrift.study.planning import result_files
from quantrift.study.planning.collection import work_of
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.planning.root import Config
from quantrift.study.results.figures import finished_figure
from quantrift.study.results.figures.kinds import claim_outcomes
from quantrift.study.results.tables import finished_table
from quantrift.study.results.tables.kinds import claims
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files
from quantrift.study.results.targets.target import Target

KEPT = ROOT / "docs" / "results"
"""Folder of the kept run: ``tables``, ``figures``, ``run.json`` and the page ``README.md``."""
WIDTH = 120
HEAD = """# A kept run

The finished tables and figures of a run at {scale} scale, as the workflow wrote them: {jobs:,} jobs, {hours:.1f}
core-hours on {machine}, commit {commit}. Numbers in the documents are quoted from these tables. Figures that show
inputs are left out, as the project redistributes no data. `make kept` makes this page. All targets are made by

```
QUANTRIFT_MIRROR=/path/to/mirror snakemake --cores 2 everything --configfile config/{scale}.yaml
```
"""


@dataclass(frozen=True)
class Costs:
    """Jobs of a run and their seconds, by rule."""

    jobs: Mapping[str, int]
    seconds: Mapping[str, float]

    @staticmethod
    def of(config: Config, results: Path) -> "Costs":
        """Costs of all finished jobs of a configuration."""
        jobs: Counter[str] = Counter()
        seconds: defaultdict[str, float] = defaultdict(float)
        for one in measured.found(config, results):
            jobs[one.job.rule] += 1
            seconds[one.job.rule] += one.seconds
        return Costs(jobs, seconds)

    @property
    def facts(self) -> dict[str, Any]:
        """Jobs and core-hours in all and by rule, for ``run.json``."""
        return {
            "jobs": sum(self.jobs.values()),
            "core_hours": round(sum(self.seconds.values()) / 3600, 2),
            "by_rule": {
                rule: {"jobs": self.jobs[rule], "core_hours": round(self.seconds[rule] / 3600, 3)}
                for rule in sorted(self.jobs)
            },
        }


def keep(config: Config, results: Path, out: Path, note: str = "") -> None:
    """Copy the finished targets of a configuration, and describe them.

    Args:
        config: the configuration of the run.
        results: folder that holds the results of all scales.
        out: folder that gets ``tables``, ``figures``, ``run.json`` and ``README.md``; what lay there is replaced.
        note: sentences on how the run was made, where it was not made in one piece.

    Raises:
        QuantriftError: no table of the configuration is finished.
    """
    paths = Paths(results / config.scale)
    tables, figures = finished(config, paths)
    if not tables:
        raise QuantriftError(f"{paths.root}: no finished table; run the configuration first")
    facts = {
        "scale": config.scale,
        "note": note,
        **_machine(paths.table(tables[0]).with_suffix(".provenance.json")),
        **Costs.of(config, results.resolve()).facts,
        "not_made": [name for name in _shown(config) if name not in {*tables, *figures}],
        "left_out": [name for name in figures if config.targets[name].shows_inputs],
    }
    for folder in ("tables", "figures"):
        shutil.rmtree(out / folder, ignore_errors=True)
        (out / folder).mkdir(parents=True)
    copy(config, paths, tables, figures, out)
    describe(config, tables, figures, facts, out)


def copy(config: Config, paths: Paths, tables: Iterable[str], figures: Iterable[str], out: Path) -> None:
    """Copy finished tables, with what belongs to them, and figures that show no inputs."""
    for name in tables:
        for file in sorted(paths.table(name).parent.glob(f"{name}.*")):
            # Seconds depend on what else the machine did; provenance stands in run.json, once for all tables.
            if not file.name.endswith((".timing.csv", ".provenance.json")):
                shutil.copyfile(file, out / "tables" / file.name)
    for name in figures:
        if not config.targets[name].shows_inputs:
            shutil.copyfile(paths.figure(name).with_suffix(".svg"), out / "figures" / f"{name}.svg")


def describe(
    config: Config, tables: Sequence[str], figures: Sequence[str], facts: Mapping[str, Any], out: Path
) -> None:
    """Write ``run.json`` and the page."""
    write_json(out / "run.json", facts)
    with replacing(out / "README.md") as temporary:
        temporary.write_text(page(config.targets, tables, figures, facts), encoding="utf-8")


def finished(config: Config, paths: Paths) -> tuple[list[str], list[str]]:
    """Tables and figures of a configuration that lie in its results folder, by name."""
    tables = [name for name in _shown(config) if paths.table(name).with_suffix(".csv").is_file()]
    figures = [name for name in _shown(config) if paths.figure(name).with_suffix(".svg").is_file()]
    return tables, figures


def add(config: Config, results: Path, names: Sequence[str], out: Path) -> None:
    """Copy finished targets beside the kept ones, judge the claims again by all of them, and describe them anew.

    Args:
        config: the configuration of the run.
        results: folder that holds the results of all scales.
        names: targets that are finished there, at least one table.
        out: folder of a kept run (``keep``).

    Raises:
        QuantriftError: one of them is not finished, or there is no table among them.
    """
    paths = Paths(results / config.scale)
    tables, figures = ([name for name in names if name in made] for made in finished(config, paths))
    if unmade := [name for name in names if name not in {*tables, *figures}]:
        raise QuantriftError(f"{', '.join(unmade)}: not finished in {paths.root}; run it first")
    if not tables:
        raise QuantriftError("figures alone have no provenance; add their tables with them")
    copy(config, paths, tables, figures, out)
    _judge(config, out)
    facts = read_json(out / "run.json")
    commit = read_json(paths.table(tables[0]).with_suffix(".provenance.json"))["commit"]
    facts["added"] = facts.get("added", {}) | dict.fromkeys(names, commit)
    facts["not_made"] = [name for name in facts["not_made"] if name not in names]
    kept = Paths(out)
    every = [name for name in config.targets if kept.table(name).with_suffix(".csv").is_file()]
    drawn = [
        name for name in config.targets if name in facts["left_out"] or kept.figure(name).with_suffix(".svg").is_file()
    ]
    describe(config, every, drawn, facts, out)


def _judge(config: Config, out: Path) -> None:
    """Make the tables of claims, and figures of these, from the kept tables."""
    kept, titles = Paths(out), result_files.titles(config)
    for name, target in config.targets.items():
        if isinstance(target, claims.Settings):
            tested = {claim.target: kept.table(claim.target).with_suffix(".csv") for claim in target.claims.values()}
            tables: Files = {(one,): [path] for one, path in tested.items() if path.is_file()}
            given = Given({"tables": tables}, {}, config.scale, titles=titles)
            finished_table.make(target.model_dump(mode="json", by_alias=True), given, kept.table(name), {})
            kept.table(name).with_suffix(".provenance.json").unlink()
    for name, target in config.targets.items():
        if isinstance(target, claim_outcomes.Settings):
            drawn_from: Files = {(target.claims,): [kept.table(target.claims).with_suffix(".csv")]}
            given = Given({"claims": drawn_from}, {}, config.scale, titles=titles)
            finished_figure.make(target.model_dump(mode="json", by_alias=True), given, kept.figure(name))
            kept.figure(name).with_suffix(".png").unlink()


def page(targets: Mapping[str, Target], tables: Sequence[str], figures: Sequence[str], facts: Mapping[str, Any]) -> str:
    """The page that lists what is kept, by the work that it rebuilds."""
    head = HEAD.format(
        scale=facts["scale"],
        jobs=facts["jobs"],
        hours=facts["core_hours"],
        machine=facts["processor"],
        commit=facts["commit"][:12],
    )
    parts = [head, *([f"{fill(facts['note'], WIDTH)}\n"] if facts["note"] else [])]
    if added := facts.get("added"):
        later = ", ".join(f"`{name}` (commit {commit[:12]})" for name, commit in added.items())
        text = f"Run later, beside these results: {later}. Claims were judged again with them; costs do not count them."
        parts.append(f"{fill(text, WIDTH)}\n")
    works: dict[str, list[str]] = {}
    for name in [*tables, *figures]:
        works.setdefault(work_of(name, targets), []).append(name)
    for title, names in works.items():
        parts += [f"## {title}\n", "| question | shows | file |\n|---|---|---|"]
        parts += [_line(name, targets[name], name in tables) for name in sorted(names, key=[*targets].index)]
        parts.append("")
    if facts["not_made"]:
        unmade = ", ".join(f"`{name}`" for name in facts["not_made"])
        parts.append(fill(f"Not made in this run: {unmade}.", WIDTH) + "\n")
    parts += ["## Costs\n", "| rule | jobs | core-hours |\n|---|---|---|"]
    parts += [f"| `{rule}` | {of['jobs']:,} | {of['core_hours']:.2f} |" for rule, of in facts["by_rule"].items()]
    return "\n".join(parts) + "\n"


def _line(name: str, target: Target, is_table: bool) -> str:
    if is_table:
        file = f"[table](tables/{name}.md) ([CSV](tables/{name}.csv))"
    else:
        file = "shows inputs" if target.shows_inputs else f"[figure](figures/{name}.svg)"
    return f"| {inline(target.question)} | {inline(target.title)} | {file} |"


def _shown(config: Config) -> Iterator[str]:
    """The targets of a configuration that are a table or figure, not a collection of them."""
    known = {*kinds.names("tables"), *kinds.names("figures")}
    return (name for name, target in config.targets.items() if target.kind in known)


def _machine(provenance: Path) -> dict[str, Any]:
    """Commit, processor and versions, as one table's provenance states them."""
    stated = read_json(provenance)
    return {
        "commit": stated["commit"],
        "processor": stated["cpu"]["model"],
        "python": stated["python"],
        "packages": stated["packages"],
    }


def kept(table: str) -> list[dict[str, str]]:
    """Rows of a kept table; ``measured/NAME`` is one of docs/measured, of a run with other settings.

    Raises:
        QuantriftError: there is no such table.
    """
    return records(KEPT.parent / f"{table}.csv" if "/" in table else KEPT / "tables" / f"{table}.csv")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Copy the tables and figures of a finished run to docs/results.")
    parser.add_argument("--configfile", type=Path, nargs="+", default=[ROOT / "config" / "sample.yaml"])
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--note", default="", help="how the run was made, where it was not made in one piece")
    parser.add_argument("--add", nargs="+", metavar="TARGET", help="copy these alone, beside what was kept before")
    given = parser.parse_args()
    run = options.configuration(given.configfile)
    if given.add:
        # Only here, as it imports this module.
        add(run, given.results, given.add, KEPT)
    else:
        keep(run, given.results, KEPT, given.note)
