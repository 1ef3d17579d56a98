"""Benchmark of verdicts: ``quantrift assess`` on planted faults and good pairs whose truth is known.

Three networks, each broken in many ways and compressed in many. An assessment of each pair gets 500 inputs. Thousands
of held-out inputs decide whether the pair is broken (``planted.truth``). A pair whose files and code stay the same is
not assessed again.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.benchmarks.benchmark import (
    PLANTED,
    RESULTS,
    Benchmark,
    Cost,
    Result,
    Row,
    digits,
    kept,
    key,
    networks,
)
from tqdm import tqdm

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, sha256
from quantrift.core.base.grouped import grouped
from quantrift.core.page.markdown import table

if TYPE_CHECKING:
    from quantrift.judge.verdict.profiles import Settings
    from quantrift.study.league.planted.pairs import Pair
    from quantrift.study.league.planted.tinted_digits import Images
    from quantrift.study.league.planted.trained_networks import Kind
    from quantrift.study.league.planted_pairs import Seen

DECIDING = ("core", "judge/intake", "judge/verdict", f"{PLANTED}/truth.py")
"""Code on which truth and verdicts depend."""
STATES = ("broken", "good", "borderline")
VERDICTS = ("pass", "inconclusive", "fail", "refused")


@dataclass(eq=False)
class Verdicts(Benchmark):
    """Wrong verdicts: broken pairs that pass and good ones that fail."""

    folder: Path = RESULTS / "verdicts"
    """Folder of networks, pairs and their results."""

    def measure(self) -> Result:
        """All pairs."""
        rows = list(self._rows())
        counts = counted(rows)
        wrong = counts["broken_pass"] + counts["good_fail"]
        return Result(
            value=wrong,
            unit="wrong verdicts",
            baseline="pairs of which held-out inputs say whether they are broken or good",
            ratio=wrong / max(1, counts["broken"] + counts["good"]),
            details=counts,
            rows=rows,
        )

    def _rows(self) -> Iterator[Row]:
        """One pair after the other, in a fixed order."""
        # Only here, as these libraries take seconds to load.
        from quantrift.study.league.planted import pairs, trained_networks

        for net, data, files in networks(trained_networks.KINDS, digits(), self.folder):
            name = net.kind.name
            made = list(tqdm(pairs.pairs(net, files), desc=f"{name}: files", unit="pair"))
            yield from judged(net.kind, data, files, tqdm(made, desc=f"{name}: verdicts", unit="pair"))


def judged(kind: "Kind", data: "Images", folder: Path, pairs: "Iterable[Pair]") -> Iterator[Row]:
    """Truth and verdict of each pair of a network, from its file below the folder if nothing changed."""
    from quantrift.study.league.planted_pairs import Seen

    seen, inputs = Seen(kind, data, every=1), folder / "inputs.npz"
    if not inputs.is_file():
        write_arrays(inputs, {"inputs": seen.given.take(seen.given.test), "labels": seen.given.labels})
    for pair in pairs:
        code = key(*map(sha256, (pair.original, pair.compressed, inputs)), *DECIDING)
        found = kept(
            folder / "rows" / f"{pair.compressed.stem}-{code}.json", partial(_truth_and_verdict, seen, pair, inputs)
        )
        named = {"network": pair.network, "kind": pair.kind, "made": pair.made, "planted": pair.planted}
        yield {**named, "data": data.name, **found}


def _truth_and_verdict(seen: "Seen", pair: "Pair", inputs: Path) -> dict[str, Any]:
    found = seen.measured(pair.runs, pair.compressed)
    return {**asdict(found), "state": found.state, **assessed(pair.original, pair.compressed, inputs)}


def assessed(original: Path, compressed: Path, inputs: Path, settings: "Settings | None" = None) -> dict[str, Any]:
    """Verdict of an assessment of a pair; ``refused`` where it reports that it cannot run."""
    from quantrift.judge.verdict.assessment import FILE
    from quantrift.judge.verdict.profiles import SIZES, Settings
    from quantrift.judge.verdict.run import assess

    # Noise is not judged, and takes more than half of the time on good pairs: 20 candidates of a search of noise.
    settings = settings or Settings(size=replace(SIZES["quick"], queries=20))
    with Cost() as spent, tempfile.TemporaryDirectory(prefix="quantrift-") as folder:
        out = Path(folder) / "assessment"
        try:
            assess(original, [compressed], inputs, out, settings)
        except QuantriftError as error:
            whole: dict[str, Any] = {"verdict": "refused", "verdict_text": str(error), "candidates": [{}]}
        else:
            whole = read_json(out / FILE)
    [candidate] = whole["candidates"]
    clean, judgements = candidate.get("clean"), candidate.get("judgements", [])
    return {
        "verdict": whole["verdict"],
        "evidence": whole["verdict_text"].removeprefix(f"{candidate.get('name')}: "),
        "reasons": [one["text"] for one in judgements],
        "exceeded": [one["limit"] for one in judgements if one["verdict"] == "fail"],
        "disagreement_given": clean and clean["disagreeing"] / whole["inputs"]["number"],
        "findings": candidate.get("findings", []),
        "suspects": [one["layer"] for one in candidate.get("layers", []) if one["suspect"]],
        "layer": next((one["layer"] for one in candidate.get("layers", []) if one["suspect"]), None),
        "inputs_needed": max((one["needed"] for one in judgements if one["needed"]), default=None),
        "seconds": round(spent.processor_seconds, 1),
    }


def counted(rows: Sequence[Row]) -> dict[str, float]:
    """Counts of each verdict by state, and of kinds of faults whose broken pairs all fail."""
    pairs = Counter((row["state"], row["verdict"]) for row in rows)
    kinds = grouped((row["kind"], row["verdict"]) for row in rows if row["state"] == "broken")
    return {
        "pairs": float(len(rows)),
        **{state: float(sum(row["state"] == state for row in rows)) for state in STATES},
        **{f"{state}_{verdict}": float(pairs[state, verdict]) for state in STATES for verdict in VERDICTS},
        "good_suspected": float(sum(row["state"] == "good" and row["layer"] is not None for row in rows)),
        "broken_kinds": float(len(kinds)),
        "broken_kinds_fail": float(sum({*verdicts} == {"fail"} for verdicts in kinds.values())),
        "broken_kinds_told": float(sum("fail" in verdicts and "pass" not in verdicts for verdicts in kinds.values())),
    }


def wrong(row: Row) -> bool:
    """Whether a verdict is the opposite of the truth."""
    return (row["state"], row["verdict"]) in {("broken", "pass"), ("good", "fail")}


def text(rows: Sequence[Row]) -> str:
    """Counts, kinds of faults and wrong verdicts, for people; results/bench has each pair."""
    counts = {name: int(count) for name, count in counted(rows).items()}
    of_states = [[state, counts[state], *(counts[f"{state}_{one}"] for one in VERDICTS)] for state in STATES]
    kinds = {row["kind"]: None for row in rows if row["state"] == "broken"}
    opposite = [f"{row['network']}, {row['kind']}: {row['state']}, **{row['verdict']}**" for row in rows if wrong(row)]
    parts = [
        f"Data: {rows[0]['data']}. {counts['pairs']} pairs of {len({row['network'] for row in rows})} networks; "
        f"{rows[0]['inputs']:,} held-out inputs.",
        table(["truth", "pairs", *VERDICTS], of_states),
        f"Wrong verdicts: {'; '.join(opposite) or 'none'}. Faults that broke a network: {', '.join(kinds)}. Of these "
        f"{counts['broken_kinds']} kinds {counts['broken_kinds_fail']} fail in every network that they broke. In "
        f"{counts['good_suspected']} good pairs a layer is suspected.",
    ]
    return "\n\n".join(parts)
