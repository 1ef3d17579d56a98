"""Kind ``divergence``: what tools find in compressed networks, beside their accuracy, as they are and under attack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.divergence_targets import DivergenceTable
from quantrift.config.errors import QuantriftError
from quantrift.config.files import read_json
from quantrift.metrics import attacked, queries
from quantrift.metrics.given import Given
from quantrift.metrics.published import SUBJECT
from quantrift.tables.divergence_views import header, views
from quantrift.tables.runs import Runs, Subject, load
from quantrift.tables.write import Table, write

FACTS = {"mean_bits": "float64", "test_inputs": "Int64", "accuracy_original": "float64", "accuracy": "float64"}
FACTS |= {"flips": "Int64"}
"""Columns taken as they stand in compression.json, with their types."""
RATES = ("sr", "dir")
ENDS = ("", "_low", "_high")
RATE_CELLS = tuple(f"{rate}{form}{end}" for rate in RATES for form in ("", "_pooled") for end in ENDS)
QUERIES = {"n_success": "n_success_net", **{f"sr{end}": f"sr_net{end}" for end in ENDS}}
QUERIES["sr_rests_on"] = "sr_net_rests_on"
QUERIES |= {name: name for name in ("queries_median", "queries_average", "queries_average_low", "queries_average_high")}
"""Values of ``metrics.queries.spread`` -> their columns."""
RESTS_ON = tuple(f"{rate}_rests_on" for rate in RATES)
WHOLE = ("run_seeds", "inputs", "inputs_net", "n_success_net")
OUTCOMES = ("attack", "strength", "correct", "inputs", "unmoved", "accuracy", "accuracy_low", "accuracy_high")
FGSM = "fgsm"


@dataclass(frozen=True)
class Files:
    """Files by what they say, each in the order of what is shown."""

    facts: Mapping[Subject, Path]
    """compression.json."""
    attacked: Mapping[Subject, Path]
    """Outcomes of attacks on compressed networks."""
    originals: Mapping[tuple[str, str], Path]
    """The same on originals, by dataset and network."""
    metrics: Sequence[Path]
    """Of the run seeds of each tool on each subject."""
    searches: Sequence[Path]
    """Searches tables."""

    @classmethod
    def among(cls, files: Sequence[Path]) -> "Files":
        """Tell files apart by their places in a results folder (``quantrift.config.paths``)."""
        facts = [file for file in files if file.name == "compression.json"]
        outcomes = [file for file in files if file.name == "robustness.parquet"]
        return cls(
            {_subject(file): file for file in facts},
            {_subject(file): file for file in outcomes if file.parts[-5:-4] == ("compression",)},
            {(file.parts[-3], file.parts[-2]): file for file in outcomes if file.parts[-4:-3] == ("models",)},
            [file for file in files if file.suffix == ".csv"],
            [file for file in files if file.name.endswith(".searches.parquet")],
        )


def make(target: DivergenceTable, given: Given, out_stem: Path) -> None:
    """Write the table: a row for each compressed network and tool that searched it.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool`` (empty where none searched the network);
    ``mean_bits`` (of a rounded weight; empty for other methods), ``test_inputs``, ``accuracy_original``, ``accuracy``
    (fractions, of the test split), ``flips`` (test inputs that the two label differently), the same in each row of a
    network; of the tool, ``run_seeds`` and ``inputs`` (of a run seed), ``sr`` and ``dir`` (medians over run seeds) with
    95 % intervals in ``_low`` and ``_high``, ``_pooled`` over all seed inputs with its own, ``_rests_on`` (in words,
    where fewer than three have an event); over the seed inputs on which the models agree before any search,
    ``inputs_net`` of all run seeds: ``n_success_net``, ``sr_net`` (with its interval), ``queries_median`` (candidates
    up to the first disagreement, failures charged in full) and ``queries_average`` (over successes, with its interval),
    which rest on ``sr_net_rests_on``; of the network, ``fgsm_<strength>_accuracy`` with its interval (Wilson) and
    ``fgsm_<strength>_accuracy_original``; ``scale``. Every attack on every network, the originals too (their
    ``compression`` is empty), is in ``<stem>.attacks.csv``, with ``unmoved``, the inputs that it left as they were.

    Args:
        target: its title and caption.
        given: files of ``quantrift.plan.made_from``.
        out_stem: path without suffix.

    Raises:
        QuantriftError: the experiments have no subject, or a tool searched one under two protocols.
    """
    files = Files.among(given.files)
    if not files.facts:
        raise QuantriftError(f"table {out_stem.name}: its experiments have no subjects; name others in `from`")
    runs = load(files.metrics)
    searches = queries.load(files.searches)
    outcomes = {(*key, ""): attacked.read(file) for key, file in files.originals.items()}
    outcomes |= {key: attacked.read(file) for key, file in files.attacked.items()}
    rows = []
    for subject, file in files.facts.items():
        facts = read_json(file)
        network: dict[str, Any] = dict(zip(SUBJECT, subject, strict=True)) | {name: facts.get(name) for name in FACTS}
        network |= _attacked(outcomes[subject], outcomes[*subject[:2], ""]) | {"scale": given.scale}
        own = searches[(searches[list(SUBJECT)] == list(subject)).all(axis=1)]
        found = {
            tool: _rates(of_tool) | _queries(own[own["tool"] == tool])
            for tool, of_tool in runs.get(subject, {}).items()
        }
        rows += [network | {"tool": tool} | cells for tool, cells in (found or {"": {}}).items()]
    data = _frame(rows)
    attacks = pd.concat([_keyed(key, found) for key, found in outcomes.items()], ignore_index=True)
    table = Table(
        title=target.title,
        header=header(target, data, attacks, given),
        data=data,
        views=views(data, attacks, given),
        details={"attacks": attacks.assign(scale=given.scale)},
        files=given.named_files(),
    )
    write(table, out_stem, given.provenance)


def _subject(file: Path) -> Subject:
    dataset, model, compression = file.parts[-4:-1]
    return dataset, model, compression


def _rates(runs: Runs) -> dict[str, Any]:
    found: dict[str, Any] = {"run_seeds": len(runs.series), "inputs": runs.inputs}
    found |= {name: runs.cells[name] for name in RATE_CELLS}
    return found | {f"{rate}_rests_on": runs.rests_on[rate] for rate in RATES}


def _queries(searches: pd.DataFrame) -> dict[str, Any]:
    kept = queries.seeds(searches)
    found = queries.spread(kept)
    return {"inputs_net": len(kept)} | {name: found.get(theirs) for theirs, name in QUERIES.items()}


def _attacked(outcomes: pd.DataFrame, original: pd.DataFrame) -> dict[str, float]:
    """Accuracies under FGSM."""
    cells: dict[str, float] = {}
    for frame, names in ((outcomes, [f"accuracy{end}" for end in ENDS]), (original, ["accuracy"])):
        for row in frame[frame["attack"] == FGSM].to_dict("records"):
            suffix = "_original" if frame is original else ""
            cells |= {f"{FGSM}_{row['strength']:g}_{name}{suffix}": row[name] for name in names}
    return cells


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """All columns in one order, whatever a row lacks."""
    strengths = sorted({float(name.split("_")[1]) for row in rows for name in row if name.startswith(f"{FGSM}_")})
    found = ["run_seeds", "inputs", *RATE_CELLS, *RESTS_ON, "inputs_net", *QUERIES.values()]
    kinds: dict[str, str] = FACTS | {name: "Int64" if name in WHOLE else "float64" for name in found}
    kinds |= dict.fromkeys([*RESTS_ON, "sr_net_rests_on"], "object")
    names = [*(f"accuracy{end}" for end in ENDS), "accuracy_original"]
    kinds |= {f"{FGSM}_{strength:g}_{name}": "float64" for strength in strengths for name in names}
    return pd.DataFrame(rows).reindex(columns=[*SUBJECT, "tool", *kinds, "scale"]).astype(kinds)


def _keyed(key: Subject, outcomes: pd.DataFrame) -> pd.DataFrame:
    frame = outcomes[list(OUTCOMES)].copy()
    for place, (name, value) in enumerate(zip(SUBJECT, key, strict=True)):
        frame.insert(place, name, value)
    return frame
