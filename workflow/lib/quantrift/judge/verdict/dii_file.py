"""File of the difference-inducing inputs of a candidate (.npz), for galleries, tests and new builds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from quantrift.core.base import archive, table_files
from quantrift.core.base.arrays import write_arrays
from quantrift.core.base.inputs import CARRIED, CHANGED, CarriedStack, ImageStack, Inputs
from quantrift.core.base.streams import stream
from quantrift.core.base.table_columns import joined
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.search.record_columns import searches_path
from quantrift.core.search.records.dii import load
from quantrift.core.search.records.first_valid import first_valid
from quantrift.judge.intake.chosen_ends import NOTHING, Chosen
from quantrift.judge.verdict import stored_task
from quantrift.judge.verdict.assessment import Limits
from quantrift.judge.verdict.stored_inputs import AS_GIVEN, BLACK, DRAWN, WHITE, chosen_arrays
from quantrift.judge.verdict.stored_task import Network
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

    Under another task than classification, ``stored_task.arrays`` follow, and ``original_outputs`` of both parts.
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
        more |= stored_task.arrays(judged.of_task.agreement, judged.networks, joined["inputs"])
    if isinstance(judged.inputs, CarriedStack):
        more[CHANGED] = np.array(judged.inputs.name)
    joined["seed_inputs"] = _by_input(joined["seed_inputs"], judged.inputs)["inputs"]
    joined |= _by_input(joined["inputs"], judged.inputs)
    [sampler] = judged.sampling
    sampled = {AS_GIVEN: _as_given(judged), DRAWN: _changed(records[sampler], judged)}
    more |= {f"{part}{name}": values for part, arrays in sampled.items() for name, values in arrays.items()}
    write_arrays(out, {**joined, "class_names": np.array(names), **more})
    return rows


def read(file: Path) -> dict[str, np.ndarray]:
    """Arrays of a file on what was found, without the parts that a new build is run on beside it.

    Raises:
        QuantriftError: it is damaged.
    """
    return archive.read(file, [name for name in archive.headers(file) if not name.startswith((AS_GIVEN, DRAWN))])


def _by_input(rows: np.ndarray, inputs: Inputs) -> dict[str, np.ndarray]:
    """Inputs, with an array for each input of the networks where these have several."""
    changed, others = inputs.apart(rows)
    return {"inputs": changed, **{f"{CARRIED}{name}": values for name, values in others.items()}}


def _as_given(judged: Judged) -> dict[str, np.ndarray]:
    """The inputs as given, and what the original says of them."""
    inputs, both = judged.inputs, judged.both
    stack = inputs.searched
    size = int(np.prod(inputs.shape)) * (1 if isinstance(stack, ImageStack) else SINGLE)
    chosen = _even("given", size, len(inputs.test))
    numbers = inputs.test[chosen]
    if isinstance(stack, ImageStack):
        found = {"inputs": stack.images[numbers], BLACK: stack.black, WHITE: stack.white}
    else:
        found = {"inputs": stack.take(numbers)}
    if isinstance(inputs, CarriedStack):
        found |= {f"{CARRIED}{name}": values[numbers] for name, values in inputs.others.items()}
    found |= {"labels": both.truth[chosen], "label_original": both.of_original[chosen].argmax(axis=1)}
    if (task := judged.of_task) is not None:
        found["original_outputs"] = task.original[chosen]
        found |= {} if task.truth is None else {"truth": task.truth[chosen]}
    return found | {"total": np.array(len(inputs.test))}


def _changed(sampled: Path, judged: Judged) -> dict[str, np.ndarray]:
    """A valid natural change of each seed input of random sampling, and what the original says of it."""
    size = int(np.prod(judged.inputs.shape)) * SINGLE
    drawn = first_valid(sampled, judged.inputs, partial(_even, "changed", size))
    found = {"seed": drawn.seed, "label_original": drawn.label_original}
    if judged.of_task is not None and judged.networks is not None:
        found["original_outputs"] = judged.networks[0](drawn.inputs)
    total = len(table_files.read(searches_path(sampled), ["input"])["input"])
    return _by_input(drawn.inputs, judged.inputs) | found | {"total": np.array(total)}


def _even(name: str, size: int, count: int) -> np.ndarray:
    """Places of ``count`` rows of ``size`` bytes, int64, ascending: all, or an even draw of those that fit in."""
    return np.sort(stream("dii", name).permutation(count)[: max(1, int(MEGABYTES * 1e6 / size))])


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
