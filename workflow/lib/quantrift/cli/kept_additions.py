"""Targets that were run after the kept run, beside its tables: ``python -m quantrift.cli.kept_results --add NAME``."""

from collections.abc import Sequence
from pathlib import Path

from quantrift.base.errors import QuantriftError
from quantrift.base.files import read_json
from quantrift.base.paths import Paths
from quantrift.cli.kept_results import copy, describe, finished
from quantrift.figures import make_figure
from quantrift.figures.kinds import claim_outcomes
from quantrift.plan import stated_titles
from quantrift.plan.root import Config
from quantrift.tables import make_table
from quantrift.tables.kinds import claims
from quantrift.targets.given_files import Given
from quantrift.targets.results import Files


def add(config: Config, results: Path, names: Sequence[str], out: Path) -> None:
    """Copy finished targets beside the kept ones, judge the claims again by all of them, and describe them anew.

    Args:
        config: the configuration of the run.
        results: folder that holds the results of all scales.
        names: targets that are finished there, at least one table.
        out: folder of a kept run (``quantrift.cli.kept_results.keep``).

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
    judge(config, out)
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


def judge(config: Config, out: Path) -> None:
    """Make the tables of claims, and figures of these, from the kept tables."""
    kept, titles = Paths(out), stated_titles.stated(config)
    for name, target in config.targets.items():
        if isinstance(target, claims.Settings):
            tested = {claim.target: kept.table(claim.target).with_suffix(".csv") for claim in target.claims.values()}
            tables: Files = {(one,): [path] for one, path in tested.items() if path.is_file()}
            given = Given({"tables": tables}, {}, config.scale, titles=titles)
            make_table.make(target.model_dump(mode="json", by_alias=True), given, kept.table(name), {})
            kept.table(name).with_suffix(".provenance.json").unlink()
    for name, target in config.targets.items():
        if isinstance(target, claim_outcomes.Settings):
            drawn_from: Files = {(target.claims,): [kept.table(target.claims).with_suffix(".csv")]}
            given = Given({"claims": drawn_from}, {}, config.scale, titles=titles)
            make_figure.make(target.model_dump(mode="json", by_alias=True), given, kept.figure(name))
            kept.figure(name).with_suffix(".png").unlink()
