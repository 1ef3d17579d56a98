"""File of the difference-inducing inputs of a candidate (.npz), for galleries, tests and new builds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from quantrift.assess import stored_task
from quantrift.assess.assessment import Limits
from quantrift.assess.chosen_ends import NOTHING, Chosen
from quantrift.assess.stored_inputs import chosen_arrays
from quantrift.assess.stored_task import Network
from quantrift.assess.under_task import OnTask
from quantrift.base.streams import stream
from quantrift.compression.beside_original import Comparison
from quantrift.data import table_files
from quantrift.data.arrays import write_arrays
from quantrift.data.carried_stack import CarriedStack
from quantrift.data.inputs import CARRIED, CHANGED, Inputs
from quantrift.data.table_columns import joined
from quantrift.records.dii import load
from quantrift.search.record_columns import searches_path

MOST = 300
"""Most inputs kept of each tool, drawn evenly from its records."""
MEGABYTES = 64
"""Most megabytes of the file, which matters for large inputs."""


GIVEN = "given"
"""Name in place of a tool where the networks disagree on an input without any change."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Facts behind the verdict beside the inputs, so that a new build can be held to the same limits."""

    both: Comparison
    inputs: Inputs
    limits: Limits
    labelled: bool
    sampling: Sequence[str]
    """Ids of the judged tools that sample natural changes."""
    searching: Sequence[str]
    """Ids of the other judged tools."""
    titles: Mapping[str, str]
    of_task: OnTask | None = None
    """Both networks under another task than classification."""
    networks: tuple[Network, Network] | None = None
    """Original and compressed network, which give values of outputs, where there is such a task."""
    chosen: Chosen = NOTHING
    """What was chosen among inputs and outputs of the original."""


def write(records: Mapping[str, Path], out: Path, judged: Judged) -> dict[str, dict[tuple[int, int], int]]:
    """Write ``out`` (.npz): inputs on which the networks disagree, and what the verdict counts.

    Of tools, what was found from seed inputs on which both networks agree:

    * ``inputs`` (n, H, W, C) float32, as the networks take them, and the ``seed_inputs`` they were made of;
    * ``seed`` int64 (n,), numbers of these among the given inputs; ``evaluation`` int32 (n,), places in their searches;
    * ``labels``, the true ones, ``label_original`` and ``label_compressed``, int64 (n,);
    * ``tool`` (n,), text; ``psnr`` float64 (n,), dB; ``class_names``.

    Inputs on which the networks disagree as given follow in the same arrays, with ``given`` for a tool. For the
    verdict: ``search_tool``, ``search_input``, ``search_valid`` and ``search_dii``, one of each search of a judged
    tool; ``tool_ids``, ``tool_titles`` and ``tool_samples`` of these tools; ``class_counts`` (K,), inputs that the
    original gives each class; ``labelled``; ``limit_names`` and ``limit_values``, NaN for none.

    Under another task than classification, ``stored_task.arrays`` follow. Of networks of several inputs,
    ``changed_input`` is the name of the one that ``inputs`` are, and ``carried.<name>`` (n, ...) float32 are the values
    of the others that went along; ``input_places`` are their places among the arguments of the original, the changed
    one first, where its file tells these. Where outputs were chosen among several, ``compared_outputs`` are their names
    and ``all_outputs`` those of all outputs of the original.

    Args:
        records: tool -> its candidates table.
        out: the file.
        judged: what else the verdict rests on.

    Returns:
        tool -> (seed input, evaluation) -> row in the file.
    """
    parts: list[dict[str, np.ndarray]] = []
    rows: dict[str, dict[tuple[int, int], int]] = {}
    names: list[str] = []
    start = 0
    for tool, file in records.items():
        found = load([file])
        names = found.inputs.class_names
        room = int(MEGABYTES * 1e6 / (8 * np.prod(found.inputs.shape) * len(records)))
        chosen = np.sort(stream("dii", tool).permutation(len(found.rows))[: max(1, min(MOST, room))])
        own = found.rows.take(chosen)
        seeds, inputs = found.pairs(own)
        parts.append(
            {
                "inputs": inputs,
                "seed_inputs": seeds,
                "seed": own.input.astype(np.int64),
                "evaluation": own.evaluation,
                "labels": own.true_label.astype(np.int64),
                "label_original": own.label_original.astype(np.int64),
                "label_compressed": own.label_compressed.astype(np.int64),
                "tool": np.full(len(own), tool),
                "psnr": own.psnr,
            }
        )
        keys = zip(own.input.tolist(), own.evaluation.tolist(), strict=True)
        rows[tool] = {key: start + place for place, key in enumerate(keys)}
        start += len(own)
    parts.append(_given(judged))
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    more = _counts(records, judged) | chosen_arrays(judged.chosen)
    if judged.of_task is not None and judged.networks is not None:
        more |= stored_task.arrays(judged.of_task, judged.networks, joined["inputs"], _unlike(judged))
    write_arrays(out, {**_by_input(joined, judged.inputs), "class_names": np.array(names), **more})
    return rows


def _by_input(arrays: Mapping[str, np.ndarray], inputs: Inputs) -> dict[str, np.ndarray]:
    """The same with an array for each input of the networks, where these have several."""
    if not isinstance(inputs, CarriedStack):
        return dict(arrays)
    (found, others), (seeds, _) = inputs.apart(arrays["inputs"]), inputs.apart(arrays["seed_inputs"])
    named = {f"{CARRIED}{name}": values for name, values in others.items()}
    return {**arrays, "inputs": found, "seed_inputs": seeds, CHANGED: np.array(inputs.name), **named}


def _given(judged: Judged) -> dict[str, np.ndarray]:
    """Inputs on which the networks disagree as given."""
    labels = [logits.argmax(axis=1) for logits in (judged.both.of_original, judged.both.of_compressed)]
    chosen = _unlike(judged)
    numbers = judged.inputs.test[chosen]
    inputs = judged.inputs.take(numbers)
    return {
        "inputs": inputs,
        "seed_inputs": inputs,
        "seed": numbers,
        "evaluation": np.full(len(chosen), -1, np.int32),
        "labels": judged.both.truth[chosen],
        "label_original": labels[0][chosen],
        "label_compressed": labels[1][chosen],
        "tool": np.full(len(chosen), GIVEN),
        "psnr": np.full(len(chosen), np.inf),
    }


def _unlike(judged: Judged) -> np.ndarray:
    """Places, among the given inputs, of those on which the networks disagree and that are stored, int64."""
    labels = [logits.argmax(axis=1) for logits in (judged.both.of_original, judged.both.of_compressed)]
    room = int(MEGABYTES * 1e6 / (8 * np.prod(judged.inputs.shape)))
    return np.flatnonzero(labels[0] != labels[1])[: max(1, room)]


def _counts(records: Mapping[str, Path], judged: Judged) -> dict[str, np.ndarray]:
    tools = [*judged.sampling, *judged.searching]
    columns = ["input", "valid", "dii"]
    tables = [table_files.read(searches_path(records[tool]), columns) for tool in tools]
    searches = joined(tables)
    labels = judged.both.of_original.argmax(axis=1)
    limits = asdict(judged.limits)
    return {
        "search_tool": np.repeat(np.array(tools), [len(table["input"]) for table in tables]),
        **{f"search_{name}": searches[name].astype(np.int64) for name in columns},
        "tool_ids": np.array(tools),
        "tool_titles": np.array([judged.titles[tool] for tool in tools]),
        "tool_samples": np.array([tool in judged.sampling for tool in tools]),
        "class_counts": np.bincount(labels, minlength=len(judged.inputs.class_names)),
        "labelled": np.array(judged.labelled),
        "limit_names": np.array(list(limits)),
        "limit_values": np.array([np.nan if value is None else value for value in limits.values()]),
    }
