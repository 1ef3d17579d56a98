"""What targets would cost before anything runs: search jobs, seed inputs, and core-hours from measured rates.

Rates are those of searches that another configuration has made already: seconds charged to a search of the same tool,
network and compression, under a protocol with the same budget; on the dataset that stands for the same published one,
otherwise the mean over those measured. What nobody has measured is counted and named, never guessed; how many searches
`inputs: all` are is known with the data alone, so these count as not measured. Searches that a target shares with one
above it are counted there.
"""

import argparse
from pathlib import Path

from quantrift.cli.planning.rates import Rates
from quantrift.config import load, plan
from quantrift.config.errors import QuantriftError, nearest
from quantrift.config.root import Config

EXAMPLES = """examples:
  quantrift plan rq1 rq2 rq3 --configfile config/paper.yaml --measured config/sample.yaml
  quantrift plan --configfile config/paper.yaml --measured config/sample.yaml     everything it names under `all`
"""
ROOT = Path(__file__).resolve().parents[4]
"""The checkout, with the configuration."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="tables, figures, collections (default: `all`)")
    parser.add_argument("--configfile", type=Path, required=True, metavar="FILE", help="what is to be run")
    parser.add_argument(
        "--measured", type=Path, required=True, metavar="FILE", help="configuration whose results lie in results/"
    )


def run(given: argparse.Namespace) -> int:
    """0."""
    config = load.load(ROOT / "config", [given.configfile])
    targets = given.targets or plan.shown(config)
    for name in targets:
        if name not in config.targets:
            raise QuantriftError(f"unknown target '{name}'; {nearest(name, config.targets)}")
    rates = Rates.measured(load.load(ROOT / "config", [given.measured]), Path("results"))
    seen: set[plan.Searches] = set()
    total = 0.0
    unknown: list[plan.Searches] = []
    print(f"{'target':<32}{'jobs':>8}{'seed inputs':>12}{'core-hours':>12}")
    for name in targets:
        own = [one for one in _searches(config, name) if one not in seen]
        seen |= set(own)
        costs = [rates.seconds(config, one) if _count(config, one) else None for one in own]
        hours = sum(_count(config, one) * cost for one, cost in zip(own, costs, strict=True) if cost is not None) / 3600
        missing = [one for one, cost in zip(own, costs, strict=True) if cost is None]
        unknown += missing
        total += hours
        jobs = sum(len(plan.blocks(config, one.protocol)) for one in own)
        searches = sum(_count(config, one) for one in own)
        print(f"{name:<32}{jobs:>8,}{searches:>12,}{hours:>12.2f}{' + not measured' if missing else ''}")
    print(f"{'all of these':<52}{total:>12.2f}")
    if unknown:
        kinds = sorted({f"{one.subject.model}/{one.subject.compression}/{one.tool}/{one.protocol}" for one in unknown})
        print(f"not measured, and not in these hours: {', '.join(kinds)}")
    return 0


def _searches(config: Config, target: str) -> list[plan.Searches]:
    """The searches of a target or of all in a collection, each once."""
    of_members = [one for name in plan.members(config, target) for one in plan.searches_of_target(config, name)]
    return list(dict.fromkeys(of_members))


def _count(config: Config, searches: plan.Searches) -> int:
    """How many they are; 0 where the data alone say it."""
    protocol = config.protocols[searches.protocol]
    return 0 if protocol.inputs == "all" else protocol.run_seeds * protocol.inputs
