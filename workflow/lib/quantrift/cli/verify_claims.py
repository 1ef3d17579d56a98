"""Compare the results of a configuration with the claims of the papers (config/claims.yaml).

Each claim names the table that tests it and the rule that decides. It holds where most cells of the table hold and none
fails, in part where some do, and fails in the reverse case. It is undecided where the data carry neither, not testable
where a setting is smaller than published, and missing where its table was not made. Beside that stands the outcome that
this code had at the same scale before. It exits with 0 where all outcomes are the expected ones, be it an honest
`fails`, and with 1 where one is not.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from quantrift.cli.planning import options
from quantrift.core.base.grouped import grouped
from quantrift.core.base.paths import Paths
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config
from quantrift.study.results.tables.kinds.claims import Judged, judged
from quantrift.study.results.targets.claim import ClaimsTarget

EXAMPLES = """examples:
  quantrift verify-claims --configfile config/config.yaml     the demo, after `make`
  quantrift verify-claims --configfile config/sample.yaml
"""


OPTIONS = {
    "--configfile": {
        "type": Path,
        "nargs": "+",
        "required": True,
        "metavar": "FILE",
        "help": "configuration of the results",
    }
}


def run(given: argparse.Namespace) -> int:
    """0 where all outcomes are the expected ones, 1 where they are not."""
    config = options.configuration(given.configfile)
    found = list(judge(config, Paths(Path("results") / config.scale)))
    print(*report(found, config.scale), sep="\n")
    return int(any(one.surprising for one in found))


def judge(config: Config, paths: Paths) -> Iterator[Judged]:
    """The claims of a configuration in their order, judged by the tables in its results folder."""
    results = Results(config, paths)
    for target in config.targets.values():
        if isinstance(target, ClaimsTarget):
            for name, claim in target.claims.items():
                table = paths.table(claim.target).with_suffix(".csv")
                made = table if table.is_file() else None
                yield judged(name, claim, made, config.scale, claim.smaller(results))


def report(found: Sequence[Judged], scale: str) -> list[str]:
    """Lines for people: each work with its claims, then the sums."""
    works = grouped((one.claim.group, line) for one in found for line in _lines(one))
    sums = Counter(one.outcome for one in found)
    stated = sum(one.expected is not None for one in found)
    surprises = ", ".join(one.name for one in found if one.surprising)
    as_expected = f"as expected: all {stated} outcomes for which an expectation is stated at this scale"
    return [
        *(line for work, lines in works.items() for line in (work, *lines)),
        "",
        f"scale {scale}: " + ", ".join(f"{sums[name]} {name}" for name in sorted(sums)),
        f"not as expected: {surprises}" if surprises else as_expected,
    ]


def _lines(one: Judged) -> Iterator[str]:
    cells = ", ".join(f"{count} {name}" for name, count in sorted(one.cells.items()))
    beside = f"expected {one.expected}" if one.expected else "no expectation stated at this scale"
    mark = "  <- not as expected" if one.surprising else ""
    yield f"  {one.outcome:<13}  {one.name} ({one.claim.place}; {beside}){mark}"
    inner = {
        one.claim.sentence: True,
        f"{one.claim.target}: {cells}; first: {one.decided[0].values if cells else ''}": cells,
        f"{one.claim.target} was not made": not cells,
        f"published: {one.claim.published}": one.claim.published,
        f"why: {one.why}": one.why,
    }
    yield from (f"                 {line}" for line, said in inner.items() if said)
