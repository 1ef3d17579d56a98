"""Evidence of a run in results/kept: its tables, figures and costs: ``python -m tools.documents.kept_results``.

Figures that show inputs stay out, as the project redistributes no data. Nothing is computed here: files are copied as
the run left them, and a page lists them.
"""

import argparse
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tools.markdown import render

from quantrift.cli.planning import measured, options
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, write_file, write_json
from quantrift.core.base.grouped import grouped
from quantrift.core.base.paths import Paths
from quantrift.core.page.arrangement import records
from quantrift.core.page.made_table import meaning_of
from quantrift.core.page.markdown import inline, table
from quantrift.core.page.number_format import number, percent
from quantrift.study.planning import result_files
from quantrift.study.planning.collection import work_of
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.planning.root import Config
from quantrift.study.results.figures import finished_figure
from quantrift.study.results.figures.kinds import claim_outcomes
from quantrift.study.results.tables import finished_table
from quantrift.study.results.tables.kinds import claims
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.claim import CONTROLS, OWN
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files
from quantrift.study.results.targets.target import Target

KEPT = ROOT / "results" / "kept"
"""Folder of the kept run: ``tables``, ``figures``, ``run.json`` and the page ``README.md``."""
Row = Mapping[str, str]


def costs(config: Config, results: Path) -> dict[str, Any]:
    """Jobs and core-hours of all finished jobs of a configuration, in all and by rule, for ``run.json``."""
    seconds = grouped((one.job.rule, one.seconds) for one in measured.found(config, results))
    return {
        "jobs": sum(map(len, seconds.values())),
        "core_hours": round(sum(map(sum, seconds.values())) / 3600, 2),
        "by_rule": {
            rule: {"jobs": len(own), "core_hours": round(sum(own) / 3600, 3)} for rule, own in sorted(seconds.items())
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
    # Commit, processor and versions are as one table's provenance states them.
    stated = read_json(paths.table(tables[0]).with_suffix(".provenance.json"))
    facts = {
        "scale": config.scale,
        "note": note,
        "commit": stated["commit"],
        "processor": stated["cpu"]["model"],
        "instruction_sets": stated["cpu"]["instruction_sets"],
        "python": stated["python"],
        "packages": stated["packages"],
        **costs(config, results.resolve()),
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
    write_file(out / "README.md", page(config.targets, tables, figures, facts))


def finished(config: Config, paths: Paths) -> tuple[list[str], list[str]]:
    """Tables and figures of a configuration that lie in its results folder, by name."""
    return (
        [name for name in _shown(config) if paths.table(name).with_suffix(".csv").is_file()],
        [name for name in _shown(config) if paths.figure(name).with_suffix(".svg").is_file()],
    )


def add(base: Config, config: Config, results: Path, names: Sequence[str], out: Path) -> None:
    """Copy finished targets beside the kept ones, judge the claims again by all of them, and describe them anew.

    Args:
        base: the configuration of the kept run.
        config: the configuration of the run that made the targets; each claim is judged at the scale of its table.
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
    facts = read_json(out / "run.json")
    stated = read_json(paths.table(tables[0]).with_suffix(".provenance.json"))
    # A network may be another one where the processor has other instructions.
    facts["added"] = facts.get("added", {}) | {
        name: {"commit": stated["commit"], "scale": config.scale, "cpu": stated["cpu"]} for name in names
    }
    of_scale = {
        scale: options.configuration([ROOT / "config" / f"{one}.yaml" for one in dict.fromkeys((base.scale, scale))])
        for scale in {one["scale"] for one in facts["added"].values()}
    }
    _judge(base, {name: of_scale[one["scale"]] for name, one in facts["added"].items()}, out)
    facts["not_made"] = [name for name in facts["not_made"] if name not in names]
    every, drawn = finished(base, Paths(out))
    describe(base, every, [name for name in base.targets if name in {*drawn, *facts["left_out"]}], facts, out)


def _judge(config: Config, added: Mapping[str, Config], out: Path) -> None:
    """Make the tables of claims, and figures of these, from the kept tables.

    Args:
        config: of the kept run.
        added: table of another run -> the configuration of that run.
        out: folder of the kept run.
    """
    kept, titles = Paths(out), result_files.titles(config)

    def given(role: str, tables: Iterable[str], stated: Mapping[str, Any] = MappingProxyType({})) -> Given:
        files: Files = {(one,): [path] for one in tables if (path := kept.table(one).with_suffix(".csv")).is_file()}
        return Given({role: files}, {}, config.scale, titles=titles, stated=stated)

    for name, target in config.targets.items():
        if isinstance(target, claims.Settings):
            run_of = {name: added.get(one.target, config) for name, one in target.claims.items()}
            scales = {one.scale: one for one in run_of.values()}
            states = {
                scale: claims.states(target, result_files.Results(one, kept))["smaller"]
                for scale, one in scales.items()
            }
            stated = {
                "smaller": {name: states[one.scale][name] for name, one in run_of.items()},
                "scales": {name: one.scale for name, one in added.items()},
            }
            tested = given("tables", (one.target for one in target.claims.values()), stated)
            finished_table.make(target.model_dump(mode="json", by_alias=True), tested, kept.table(name), {})
            kept.table(name).with_suffix(".provenance.json").unlink()
    for name, target in config.targets.items():
        if isinstance(target, claim_outcomes.Settings):
            judged = given("claims", [target.claims])
            finished_figure.make(target.model_dump(mode="json", by_alias=True), judged, kept.figure(name))
            kept.figure(name).with_suffix(".png").unlink()


def page(targets: Mapping[str, Target], tables: Sequence[str], figures: Sequence[str], facts: Mapping[str, Any]) -> str:
    """The page that lists what is kept, by the work that it rebuilds."""
    works = grouped((work_of(name, targets), name) for name in (*tables, *figures))
    listed = {
        title: table(
            ["question", "shows", "file"],
            (_cells(name, targets[name], name in tables) for name in sorted(names, key=[*targets].index)),
        )
        for title, names in works.items()
    }
    spent = ([f"`{rule}`", f"{of['jobs']:,}", f"{of['core_hours']:.2f}"] for rule, of in facts["by_rule"].items())
    values = {"facts": facts, "works": listed, "costs": table(["rule", "jobs", "core-hours"], spent)}
    return render("results/README.md", values)


def _cells(name: str, target: Target, is_table: bool) -> list[str]:
    figure = "shows inputs" if target.shows_inputs else f"[figure](figures/{name}.svg)"
    file = f"[table](tables/{name}.md) ([CSV](tables/{name}.csv))" if is_table else figure
    return [inline(target.question), inline(target.title), file]


def _shown(config: Config) -> Iterator[str]:
    """The targets of a configuration that are a table or figure, not a collection of them."""
    known = {*kinds.names("tables"), *kinds.names("figures")}
    return (name for name, target in config.targets.items() if target.kind in known)


def kept(name: str) -> list[dict[str, str]]:
    """Rows of a kept table; ``measured/NAME`` is one of docs/measured, of a run with other settings.

    Raises:
        QuantriftError: there is no such table.
    """
    return records((ROOT / "docs" if "/" in name else KEPT / "tables") / f"{name}.csv")


def claims_text(claims: Sequence[Row] | None = None, cells: Sequence[Row] | None = None) -> str:
    """A table for each work: the claim, published and measured numbers, its outcome, and why it does not hold.

    Args:
        claims: rows of the table ``claims``, by default of the kept one.
        cells: rows behind it, ``claims.cells``; the first one of each claim is shown.
    """
    first: dict[str, str] = {}
    for cell in kept("claims.cells") if cells is None else cells:
        first.setdefault(cell["claim"], f"{cell['cell']}: {cell['values']}" if cell["cell"] else cell["values"])
    head = ["claim", "published", "outcome", "cells: holds, fails, undecided", "first cell"]
    works = groupby(kept("claims") if claims is None else claims, lambda row: row["work"])
    parts = (f"**{work}**\n\n{table(head, (_judged(row, first) for row in rows))}" for work, rows in works)
    return "\n\n".join(parts)


def claims_sentence() -> str:
    """How many of the papers' own claims hold in the kept run, and what became of the others."""
    own = [row for row in kept("claims") if row["work"] not in (OWN, CONTROLS)]
    return f"Of the papers' {len(own)} claims in the kept run, {claims.counted(own)}."


def checkers_text() -> str:
    """Shares of the checkers of the kept run in percent, with their intervals."""
    shares = {
        "ranked": "ranked above good pairs %",
        "broken": "broken caught %",
        "planted": "planted caught %",
        "harmless": "harmless that alarm %",
        "false_alarms": "false alarms %",
        "layer": "layer named rightly %",
    }
    names = meaning_of(KEPT / "tables" / "checkers.csv").names

    def share(row: Row, name: str) -> str:
        value, low, high = (percent(number(row[f"{name}{end}"])) for end in ("", "_low", "_high"))
        return f"{value} ({low} to {high})" if low else value

    rows = (
        [names.get(row["checker"], row["checker"]), *(share(row, one) for one in shares)] for row in kept("checkers")
    )
    return table(["checker", *shares.values()], rows)


def _judged(row: Row, first: Mapping[str, str]) -> list[str]:
    why = f" *{inline(row['why'])}*" if row["why"] else ""
    return [
        f"{inline(row['sentence'])} ({inline(row['place'])}){why}",
        inline(row["published"]),
        f"**{row['outcome']}**" if row["outcome"] == "fails" else row["outcome"],
        ", ".join(row[f"cells_{name}"] for name in ("holds", "fails", "undecided")),
        inline(first.get(row["claim"], "")),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Copy the tables and figures of a finished run to results/kept.")
    parser.add_argument("--configfile", type=Path, nargs="+", default=[ROOT / "config" / "sample.yaml"])
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--note", default="", help="how the run was made, where it was not made in one piece")
    parser.add_argument(
        "--add", nargs="+", metavar="TARGET", help="copy these alone, beside what was kept of the first configuration"
    )
    given = parser.parse_args()
    run = options.configuration(given.configfile)
    if given.add:
        add(options.configuration(given.configfile[:1]), run, given.results, given.add, KEPT)
    else:
        keep(run, given.results, KEPT, given.note)
