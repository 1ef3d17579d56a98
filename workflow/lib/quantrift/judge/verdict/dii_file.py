"""File of the difference-inducing inputs of a candidate (.npz), for galleries, tests and new builds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from quantrift.core.base import archive, table_files
from quantrift.core.base.archive import write_arrays
from quantrift.core.base.inputs import CARRIED, CHANGED, ImageStack, Inputs
from quantrift.core.base.streams import stream
from quantrift.core.base.table_columns import joined, taken
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.search.record_columns import searches_path
from quantrift.core.search.records.dii import load
from quantrift.core.search.records.first_valid import first_valid
from quantrift.judge.intake.chosen_ends import NOTHING, Chosen
from quantrift.judge.verdict import stored_inputs
from quantrift.judge.verdict.assessment import Limits
from quantrift.judge.verdict.profiles import Planned
from quantrift.judge.verdict.stored_inputs import AS_GIVEN, BLACK, DRAWN, WHITE, Network, chosen_arrays
from quantrift.judge.verdict.under_task import OnTask

MOST = 300
"""Most inputs kept of each tool, drawn evenly from its records."""
MEGABYTES = 64
"""Most megabytes of each part of the file, which matters for large inputs."""
SINGLE = np.dtype(np.float32).itemsize


GIVEN = "given"
"""Name in place of a tool where the networks disagree on an input without any change."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Facts behind the verdict beside the inputs, so that a new build can be held to the same limits."""

    both: Comparison
    inputs: Inputs
    limits: Limits
    tools: Sequence[Planned]
    """Those that are judged; the first alone samples natural changes."""
    found: OnTask
    """Both networks under their task."""
    networks: tuple[Network, Network]
    """Original and compressed network, which give values of outputs; no matter where labels are compared."""
    chosen: Chosen = NOTHING
    """What was chosen among inputs and outputs of the original."""


def write(records: Mapping[str, Path], out: Path, judged: Judged) -> dict[str, dict[tuple[int, int], int]]:
    """Write ``out`` (.npz): inputs on which the networks disagree, and what a new build is run on and held to.

    Of tools, what was found from seed inputs on which both networks agree:

    * ``inputs`` (n, H, W, C) float32, as the networks take them, and the ``seed_inputs`` they were made of;
    * ``seed`` int64 (n,), numbers of these among the given inputs; ``evaluation`` int32 (n,), places in their searches;
    * ``labels``, the true ones, ``label_original`` and ``label_compressed``, int64 (n,);
    * ``tool`` (n,), text; ``psnr`` float64 (n,), dB; ``class_names``.

    Inputs on which the networks disagree as given follow in the same arrays, with ``given`` for a tool. For the
    verdict: ``search_tool``, ``search_input``, ``search_valid`` and ``search_dii``, one of each search of a judged
    tool; ``tool_ids``, ``tool_titles`` and ``tool_samples`` of these tools; ``class_counts`` (K,), inputs that the
    original gives each class; ``labelled``; ``limit_names`` and ``limit_values``, NaN for none.

    A new build is run on two more parts, each all there is or an even draw of what there is room for:

    * the inputs as given: ``given.inputs``, those in 8 bits with their ``given.black`` and ``given.white``,
      ``given.labels``, ``given.label_original``, and the number of all of them, ``given.total``;
    * one valid natural change of each seed input of random sampling, the first that it drew: ``changed.inputs``,
      ``changed.seed``, ``changed.label_original``, and the number of all seed inputs, ``changed.total``.

    Under another task than classification, ``stored_inputs.task_arrays`` follow, and both parts have
    ``original_outputs``.
    Of networks of several inputs, ``changed_input`` is the name of the one that ``inputs`` are, and ``carried.<name>``
    (n, ...) float32, of the parts ``given.carried.<name>`` and ``changed.carried.<name>``, are the values of the others
    that went along; ``input_places`` are their places among the arguments of the original, the changed one first, where
    its file tells these. Where outputs were chosen among several, ``compared_outputs`` are their names
    and ``all_outputs`` those of all outputs of the original.

    Args:
        records: tool -> its candidates table.
        out: the file.
        judged: what else the verdict rests on.

    Returns:
        tool -> (seed input, evaluation) -> row in the file.
    """
    room = int(MEGABYTES * 1e6 / (8 * np.prod(judged.inputs.shape)))
    parts: list[dict[str, np.ndarray]] = []
    rows: dict[str, dict[tuple[int, int], int]] = {}
    for tool, file in records.items():
        found = load([file])
        drawn = stream("dii", tool).permutation(len(found.rows["input"]))
        own = taken(found.rows, np.sort(drawn[: max(1, min(MOST, room // len(records)))]))
        seeds, inputs = found.pairs(own)
        keys = zip(own["input"].tolist(), own["evaluation"].tolist(), strict=True)
        rows[tool] = {key: place for place, key in enumerate(keys, sum(len(part["seed"]) for part in parts))}
        parts.append(
            {
                "inputs": inputs,
                "seed_inputs": seeds,
                "seed": own["input"].astype(np.int64),
                "evaluation": own["evaluation"],
                "labels": own["true_label"].astype(np.int64),
                "label_original": own["label_original"].astype(np.int64),
                "label_compressed": own["label_compressed"].astype(np.int64),
                "tool": np.full(len(inputs), tool),
                "psnr": own["psnr"],
            }
        )
    parts.append(_given(judged, max(1, room)))
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    more = _counts(records, judged) | chosen_arrays(judged.chosen)
    if judged.found.agreement is not None:
        more |= stored_inputs.task_arrays(judged.found.agreement, judged.networks, joined["inputs"])
    if judged.inputs.carried:
        more[CHANGED] = np.array(judged.inputs.changed_input)
    joined["seed_inputs"], _ = judged.inputs.apart(joined["seed_inputs"])
    joined |= _by_input(joined["inputs"], judged.inputs)
    sampled = {AS_GIVEN: _as_given(judged), DRAWN: _changed(records[judged.tools[0].id], judged)}
    more |= {f"{part}{name}": values for part, arrays in sampled.items() for name, values in arrays.items()}
    write_arrays(out, {**joined, "class_names": np.array(judged.inputs.class_names), **more})
    return rows


def read(file: Path) -> dict[str, np.ndarray]:
    """Arrays of a file on what was found, without the parts that a new build is run on beside it.

    Raises:
        QuantriftError: it is damaged.
    """
    return archive.read_arrays(file, [name for name in archive.headers(file) if not name.startswith((AS_GIVEN, DRAWN))])


def _by_input(rows: np.ndarray, inputs: Inputs) -> dict[str, np.ndarray]:
    """Inputs, with an array for each input of the networks where these have several."""
    changed, others = inputs.apart(rows)
    return {"inputs": changed, **{f"{CARRIED}{name}": values for name, values in others.items()}}


def _as_given(judged: Judged) -> dict[str, np.ndarray]:
    """The inputs as given, and what the original says of them."""
    inputs, both, stack = judged.inputs, judged.both, judged.inputs.searched
    size = 1 if isinstance(stack, ImageStack) else SINGLE
    chosen = _even("given", int(np.prod(inputs.shape)) * size, len(inputs.test))
    numbers = inputs.test[chosen]
    found = (
        {"inputs": stack.images[numbers], BLACK: stack.black, WHITE: stack.white}
        if isinstance(stack, ImageStack)
        else {"inputs": stack.take(numbers)}
    )
    outputs = judged.found.outputs
    under_task = {"original_outputs": None if outputs is None else outputs.original, "truth": judged.found.truth}
    return (
        found
        | {f"{CARRIED}{name}": values[numbers] for name, values in inputs.carried.items()}
        | {"labels": both.truth[chosen], "label_original": both.of_original[chosen].argmax(axis=1)}
        | {name: values[chosen] for name, values in under_task.items() if values is not None}
        | {"total": np.array(len(inputs.test))}
    )


def _changed(sampled: Path, judged: Judged) -> dict[str, np.ndarray]:
    """A valid natural change of each seed input of random sampling, and what the original says of it."""
    drawn = first_valid(sampled, judged.inputs, partial(_even, "changed", int(np.prod(judged.inputs.shape)) * SINGLE))
    inputs = drawn.pop("inputs")
    compares_labels = judged.found.agreement is None
    return (
        _by_input(inputs, judged.inputs)
        | drawn
        | ({} if compares_labels else {"original_outputs": judged.networks[0](inputs)})
        | {"total": np.array(len(table_files.read(searches_path(sampled), ["input"])["input"]))}
    )


def _even(name: str, size: int, count: int) -> np.ndarray:
    """Places of ``count`` rows of ``size`` bytes, int64, ascending: all, or an even draw of those that fit in."""
    return np.sort(stream("dii", name).permutation(count)[: max(1, int(MEGABYTES * 1e6 / size))])


def _given(judged: Judged, most: int) -> dict[str, np.ndarray]:
    """Inputs on which the networks disagree as given, the first ``most`` of them."""
    first, second = judged.both.of_original.argmax(axis=1), judged.both.of_compressed.argmax(axis=1)
    chosen = np.flatnonzero(first != second)[:most]
    numbers = judged.inputs.test[chosen]
    inputs = judged.inputs.take(numbers)
    return {
        "inputs": inputs,
        "seed_inputs": inputs,
        "seed": numbers,
        "evaluation": np.full(len(chosen), -1, np.int32),
        "labels": judged.both.truth[chosen],
        "label_original": first[chosen],
        "label_compressed": second[chosen],
        "tool": np.full(len(chosen), GIVEN),
        "psnr": np.full(len(chosen), np.inf),
    }


def _counts(records: Mapping[str, Path], judged: Judged) -> dict[str, np.ndarray]:
    tools, columns = judged.tools, ["input", "valid", "dii"]
    tables = [table_files.read(searches_path(records[tool.id]), columns) for tool in tools]
    searches, limits = joined(tables), asdict(judged.limits)
    return {
        "search_tool": np.repeat([tool.id for tool in tools], [len(table["input"]) for table in tables]),
        **{f"search_{name}": searches[name].astype(np.int64) for name in columns},
        "tool_ids": np.array([tool.id for tool in tools]),
        "tool_titles": np.array([tool.title for tool in tools]),
        "tool_samples": np.array([tool.samples for tool in tools]),
        "class_counts": np.bincount(judged.both.of_original.argmax(axis=1), minlength=len(judged.inputs.class_names)),
        "labelled": np.array(judged.found.right is not None),
        "limit_names": np.array(list(limits)),
        "limit_values": np.array([np.nan if value is None else value for value in limits.values()]),
    }
