"""Benchmark of faults that public issue trackers report: every checker on the broken and the mended files of each.

A checker finds a fault if it scores the broken file higher than the mended files of all other faults, of which one in
twenty may alarm. Held-out images decide whether a file is broken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.benchmarks.benchmark import RESULTS, Benchmark, Result, Row, digits, kept, key, networks
from tqdm import tqdm

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.files import write_file
from quantrift.core.networks.audits.examined import examined
from quantrift.core.page.markdown import table
from quantrift.core.page.number_format import percent
from quantrift.core.statistics.checker_figures import OfChecker, broken, caught_by, summaries
from quantrift.study.league import checker as checks

if TYPE_CHECKING:
    from quantrift.study.league.planted.reported_faults import Reported
    from quantrift.study.league.planted_pairs import Seen

RUNNING = ("core", "judge/intake", "judge/verdict", "study/league")
"""Code on which the truth and what checkers say depend."""


@dataclass(eq=False)
class Bugs(Benchmark):
    """Reported faults that a checker finds."""

    folder: Path = RESULTS / "bugs"

    def measure(self) -> Result:
        """All faults."""
        rows = list(self._rows())
        return Result(sum(map(broken, rows)), "broken files", "all files", 1.0, {}, rows)

    def _rows(self) -> Iterator[Row]:
        # Only here, as these libraries take seconds to load.
        from quantrift.study.league.planted import trained_networks
        from quantrift.study.league.planted.reported_faults import REPORTED
        from quantrift.study.league.planted_pairs import Seen

        wanted = {one.network for one in REPORTED.values()}
        kinds = [kind for kind in trained_networks.NETWORKS if kind.name in wanted]
        for net, data, files in networks(kinds, digits(embedded=True), self.folder):
            seen = Seen(net.kind, data)
            inputs = files / "inputs.npz"
            write_arrays(inputs, {"inputs": seen.given.take(seen.given.test), "labels": seen.given.labels})
            own = {name: one for name, one in REPORTED.items() if one.network == net.kind.name}
            for name, one in tqdm(own.items(), desc=net.kind.name, unit="fault"):
                for state, content in one.make(net)._asdict().items():
                    write_file(files / f"{name}_{state}.onnx", content)
                yield from _asked(name, one, files, seen, inputs)


def _asked(name: str, one: "Reported", files: Path, seen: "Seen", inputs: Path) -> Iterator[Row]:
    """Rows of the mended and of the broken file."""
    from quantrift.study.league.planted.graded_pairs import GradedPair
    from quantrift.study.league.planted.reported_faults import digest
    from quantrift.study.league.planted_pairs import readers

    original = files / f"{name}_original.onnx"
    for state, strength in (("mended", None), ("broken", 1.0)):
        compressed = files / f"{name}_{state}.onnx"
        pair = GradedPair(f"{name}_{state}", name, strength, 0, original, compressed, None)
        digests = [digest(path.read_bytes()) for path in (original, compressed)]
        code = key(*digests, *RUNNING)

        def ask(what: str, find: Any, code: str = code, state: str = state) -> Row:
            return kept(files / "rows" / f"{name}_{state}-{what}-{code}.json", find)

        said = {checker: {**ask(checker, partial(seen.said, checker, pair))} for checker in readers(".onnx")}
        for found in said.values():
            # Names of layers in the file have those of Keras in them.
            found["layer"] = one.layer if found["layer"] and one.is_named(found["layer"]) else found["layer"]
        about = {"family": one.network, "network": name, "format": "onnx", "fault": name, "strength": strength}
        yield {
            **{**about, "seed": 0, "conditional": False, "title": one.title, "reports": list(one.reports)},
            **{**ask("truth", partial(seen.truth, pair)), "layer": one.layer, "sha256": digests[1]},
            **ask("compare", partial(_compared, one, original, compressed, inputs)),
            "checkers": said,
        }


def _compared(one: "Reported", original: Path, compressed: Path, inputs: Path) -> Row:
    """Causes that ``quantrift compare`` names, whether the planted one is among them, and findings of the audit."""
    from quantrift.judge.verdict.comparison import compare
    from quantrift.judge.verdict.profiles import Settings

    causes = compare(original, [compressed], inputs, Settings()).networks[0].causes
    rules = sorted({finding.rule for finding in examined(compressed)[1]})
    return {"causes": causes, "named": any(map(one.is_named, causes)), "audit": rules}


def of_every_checker(rows: Sequence[Row]) -> list[OfChecker]:
    """Figures of every checker there is, from rows of pairs."""
    return summaries(rows, {name: checks.about(name) for name in checks.names()})


def text(rows: Sequence[Row]) -> str:
    """The faults, who finds them, and the checkers, for people."""
    found = of_every_checker(rows)
    caught = caught_by(rows, found)
    planted = {number: row for number, row in enumerate(rows) if row["strength"] is not None}
    mended = {row["fault"]: row for row in rows if row["strength"] is None}
    ran = [one for one in found if one.missing is None]
    lines = (
        [
            row["title"],
            ", ".join(f"[{one}](https://github.com/{one.replace('#', '/issues/')})" for one in row["reports"]),
            f"`{row['sha256'][:12]}`",
            *(percent(one["disagreement"]) for one in (row, mended[row["fault"]])),
            f"{len(caught[number])} of {len(ran)}" if number in caught else f"{row['state']}",
            "names it" if row["named"] else "another cause" if row["causes"] else "",
            ", ".join(sorted({*row["audit"]} - {*mended[row["fault"]]["audit"]})),
        ]
        for number, row in planted.items()
    )
    missed = ", ".join(rows[number]["title"] for number, some in caught.items() if not some)
    return (
        "\n\n".join(
            [
                table(
                    [
                        "fault",
                        "reported as",
                        "file",
                        "broken, labels %",
                        "mended %",
                        "found by",
                        "`compare`",
                        "`audit`",
                    ],
                    lines,
                ),
                f"`quantrift compare` names the cause of {sum(row['named'] for row in planted.values())} of the "
                f"{len(planted)} faults. "
                + (
                    f"No checker finds these broken files: {missed}."
                    if missed
                    else "Every broken file is found by at least one checker."
                ),
                table(
                    ["checker", "broken files found %", "mended files that alarm %", "layer named rightly %"],
                    ([one.title, *map(str, (one.broken, one.false, one.layer or "names none"))] for one in ran),
                ),
            ]
        )
        + "\n"
    )
