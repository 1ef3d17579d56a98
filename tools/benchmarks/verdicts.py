"""Benchmark of verdicts: ``quantrift assess`` on planted faults and good pairs whose truth is known.

Three networks, each broken in many ways and compressed in many. An assessment of each pair gets 500 inputs. Thousands
of held-out inputs decide whether the pair is broken (``planted.truth``). A pair whose files and code stay the same is
not assessed again.
"""

import csv
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from tools.benchmarks.kept_code import key
from tools.benchmarks.result import Result
from tqdm import tqdm

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, replacing, sha256, write_json
from quantrift.core.base.paths import Paths
from quantrift.core.page.number_format import percent
from quantrift.study.planning.root import Config

if TYPE_CHECKING:
    from quantrift.study.league.planted.pairs import Pair
    from quantrift.study.league.planted.tinted_digits import Images
    from quantrift.study.league.planted.trained_networks import Kind
    from quantrift.study.league.planted.truth import HeldOut

FOLDER = Path("results") / "bench" / "verdicts"
PLANTED = "study/league/planted"
TRAINING = (f"{PLANTED}/tinted_digits.py", f"{PLANTED}/trained_networks.py")
"""Code on which trained networks depend."""
MAKING = tuple(f"{PLANTED}/{name}.py" for name in ("conversion", "faults", "pairs", "stored_weights"))
"""Code on which files of pairs depend."""
DECIDING = (
    *("core", "judge/intake", "judge/verdict"),
    f"{PLANTED}/truth.py",
)
"""Code on which truth and verdicts depend."""
NOISE = 20
"""Candidates of a search of noise."""
Row = Mapping[str, Any]


@dataclass(eq=False)
class Verdicts:
    """Wrong verdicts: broken pairs that pass and good ones that fail."""

    folder: Path = FOLDER
    """Folder of networks, pairs and their results."""
    config: Config = field(init=False)

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """No files of the workflow: networks are trained here, on data that the configuration names."""
        self.config = config
        return []

    def measure(self) -> Result:
        """All pairs; ``verdicts.md`` and ``verdicts.csv`` beside the folder have a line for each."""
        rows = list(self._rows())
        counts = counted(rows)
        write_table(rows, self.folder.with_suffix(".csv"))
        with replacing(self.folder.with_suffix(".md")) as temporary:
            temporary.write_text(markdown(rows), encoding="utf-8")
        wrong = counts["broken_pass"] + counts["good_fail"]
        decided = counts["broken"] + counts["good"]
        return Result(
            value=wrong,
            unit="wrong verdicts",
            baseline="pairs of which held-out inputs say whether they are broken or good",
            ratio=wrong / max(1, decided),
            details=counts,
            rows=rows,
        )

    def _rows(self) -> Iterator[Row]:
        """One pair after the other, in a fixed order."""
        # Only here, as these libraries take seconds to load.
        from tools.benchmarks.digits_at_hand import by_tint

        from quantrift.study.league.planted import pairs, trained_networks

        of_channels = by_tint(self.config)
        for kind in trained_networks.KINDS:
            data = of_channels[kind.tinted]
            # Another recipe for files trains no network again.
            folder = self.folder / kind.name / key(data.name, *TRAINING)
            net = trained_networks.trained(kind, data, folder)
            files = folder / key(*MAKING)
            made = list(tqdm(pairs.pairs(net, files), desc=f"{kind.name}: files", unit="pair"))
            judge = Judge(kind, data, files)
            for pair in tqdm(made, desc=f"{kind.name}: verdicts", unit="pair"):
                yield judge.row(pair)


class Judge:
    """Held-out inputs and settings by which the pairs of a network are judged."""

    def __init__(self, kind: "Kind", data: "Images", folder: Path) -> None:
        self._kind, self._data, self._folder = kind, data, folder
        self._given = kind.inputs(data.given, data.given_labels)
        self._held_out: dict[Path, HeldOut] = {}
        self._inputs = folder / "inputs.npz"
        if not self._inputs.is_file():
            with replacing(self._inputs) as temporary, temporary.open("wb") as file:
                np.savez(file, inputs=self._given.take(self._given.test), labels=self._given.labels)

    def row(self, pair: "Pair") -> Row:
        """Truth and verdict of a pair, from its file if nothing changed."""
        files = [pair.original, pair.compressed, self._inputs]
        code = key(*map(sha256, files), *DECIDING)
        kept = self._folder / "rows" / f"{pair.compressed.stem}-{code}.json"
        if not kept.is_file():
            write_json(kept, self._truth(pair) | assessed(pair.original, pair.compressed, self._inputs))
        named = {"network": pair.network, "kind": pair.kind, "made": pair.made, "planted": pair.planted}
        return {**named, "data": self._data.name, **read_json(kept)}

    def _truth(self, pair: "Pair") -> dict[str, Any]:
        from quantrift.core.networks.runtime import load_runtime, runtime_of
        from quantrift.study.league.planted.truth import held_out, truth

        if pair.runs not in self._held_out:
            network = load_runtime(runtime_of(pair.runs), pair.runs)
            others = self._kind.inputs(self._data.held_out, self._data.held_out_labels)
            self._held_out[pair.runs] = held_out(self._given, others, network)
        found = truth(self._held_out[pair.runs], load_runtime(runtime_of(pair.compressed), pair.compressed))
        return {**asdict(found), "state": found.state}


def assessed(original: Path, compressed: Path, inputs: Path) -> dict[str, Any]:
    """Verdict of an assessment of a pair, by default settings; ``refused`` where it reports that it cannot run."""
    from quantrift.judge.verdict.assessment import FILE
    from quantrift.judge.verdict.profiles import SIZES, Settings
    from quantrift.judge.verdict.run import assess

    # Noise is not judged, and takes more than half of the time on good pairs.
    settings = Settings(size=replace(SIZES["quick"], queries=NOISE))
    begin = perf_counter()
    with tempfile.TemporaryDirectory(prefix="quantrift-") as folder:
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
        "layer": next((one["layer"] for one in candidate.get("layers", []) if one["suspect"]), None),
        "inputs_needed": max((one["needed"] for one in judgements if one["needed"]), default=None),
        "seconds": round(perf_counter() - begin, 1),
    }


def counted(rows: Sequence[Row]) -> dict[str, float]:
    """Counts of each verdict by state, and of kinds of faults whose broken pairs all fail."""
    counts = {"pairs": len(rows)}
    for state in ("broken", "good", "borderline"):
        of_state = [row["verdict"] for row in rows if row["state"] == state]
        counts[state] = len(of_state)
        counts |= {f"{state}_{one}": of_state.count(one) for one in ("pass", "inconclusive", "fail", "refused")}
    counts["good_suspected"] = sum(row["state"] == "good" and row["layer"] is not None for row in rows)
    kinds = defaultdict(set)
    for row in rows:
        if row["state"] == "broken":
            kinds[row["kind"]].add(row["verdict"])
    counts["broken_kinds"] = len(kinds)
    counts["broken_kinds_fail"] = sum(verdicts == {"fail"} for verdicts in kinds.values())
    counts["broken_kinds_told"] = sum("fail" in verdicts and "pass" not in verdicts for verdicts in kinds.values())
    return {name: float(count) for name, count in counts.items()}


def wrong(row: Row) -> bool:
    """Whether a verdict is the opposite of the truth."""
    return (row["state"], row["verdict"]) in {("broken", "pass"), ("good", "fail")}


def write_table(rows: Sequence[Row], path: Path) -> None:
    """A line for each pair, .csv; fractions, with intervals in columns of their own."""
    flat = [_flat(row) for row in rows]
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(flat[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat)


def _flat(row: Row) -> dict[str, object]:
    cells: dict[str, object] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            cells |= {name if end == "value" else f"{name}_{end}": number for end, number in value.items()}
        else:
            cells[name] = "; ".join(value) if isinstance(value, list) else value
    return cells


def markdown(rows: Sequence[Row]) -> str:
    """Counts and a table for people."""
    counts = {name: int(count) for name, count in counted(rows).items()}
    verdicts = ("pass", "inconclusive", "fail", "refused")
    lines = [
        f"Data: {rows[0]['data']}. {counts['pairs']} pairs of {len({row['network'] for row in rows})} networks; "
        f"{rows[0]['inputs']:,} held-out inputs.",
        "",
        f"| truth | pairs | {' | '.join(verdicts)} |",
        "|---|---|" + "---|" * len(verdicts),
        *(
            f"| {state} | {counts[state]} | " + " | ".join(str(counts[f"{state}_{one}"]) for one in verdicts) + " |"
            for state in ("broken", "good", "borderline")
        ),
        "",
        f"Of {counts['broken_kinds']} kinds of faults that broke a network, {counts['broken_kinds_fail']} fail in "
        f"every network that they broke, {counts['broken_kinds_told']} in at least one and pass in none. In "
        f"{counts['good_suspected']} good pairs a layer is suspected.",
        "",
        "| network | pair | truth | disagreement % | accuracy drop % | natural changes % | verdict | layer | needed |",
        "|---|---|---|---|---|---|---|---|---|",
        *map(_line, rows),
    ]
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    shares = (f"{percent(row[name]['value'])}" for name in ("disagreement", "accuracy_drop", "dir"))
    verdict = f"**{row['verdict']}**" if wrong(row) else row["verdict"]
    kind = row["kind"] if row["planted"] else f"{row['kind']} (no fault)"
    cells = [row["network"], kind, row["state"], *shares, verdict, row["layer"] or "", row["inputs_needed"] or ""]
    return f"| {' | '.join(map(str, cells))} |"
