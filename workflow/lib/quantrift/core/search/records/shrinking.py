"""Shrinking: the smallest sets of active distortions that still make a difference-inducing input.

A smaller set keeps the parameters of its distortions and switches the others off. It counts if its input is valid and
the two models give it different labels. The empty set leaves the seed input as it is, so inputs on which the models
disagree before any search need no distortion.

A strategy is a generator: it yields sets of distortions, uint32 (n,), is sent the outcome of each (``TRIED``), and
returns the smallest sets that still disagree, also as ``TRIED``.
"""

import json
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import replacing
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.progress_bar import bar
from quantrift.core.base.streams import stream
from quantrift.core.base.table_columns import Arrays, Lists, Types, firsts, taken
from quantrift.core.search.evaluator import Evaluated, Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.record_columns import searches_path, settings
from quantrift.core.search.records.stored_vectors import COLUMNS, by_run_seed
from quantrift.core.search.run import Searched, evaluator

TRIED = np.dtype([("set", np.uint32), ("hit", bool), ("label_original", np.int16), ("label_compressed", np.int16)])
"""A set of distortions; whether the input that they make is valid and gets two labels; the labels, -1 where it is not
valid."""

Strategy = Generator[np.ndarray, np.ndarray, np.ndarray]

_Question = tuple[Problem, np.ndarray]
"""What is to be evaluated: a problem and candidates, (n, genes)."""
_Shrinking = Generator[_Question, Evaluated, dict[str, Any]]

SHRUNK: Types = {
    "run_seed": np.dtype(np.int32),
    "input": np.dtype(np.int64),
    "target": np.dtype(np.int16),
    "evaluation": np.dtype(np.int32),
    "true_label": np.dtype(np.int16),
    "label_original": np.dtype(np.int16),
    "label_compressed": np.dtype(np.int16),
    "seed_disagrees": np.dtype(np.bool_),
    "active": np.dtype(np.uint32),
    "size_before": np.dtype(np.int8),
    "size": np.dtype(np.int8),
    "exact": np.dtype(np.bool_),
    "sets": Lists(np.dtype(np.uint32)),
    "sets_label_original": Lists(np.dtype(np.int16)),
    "sets_label_compressed": Lists(np.dtype(np.int16)),
}
"""One row per difference-inducing input, named by run seed, seed input, target and evaluation as in the candidates
table. ``active``: its distortions, bit i for the i-th of those that the file's settings name; ``sets``: all smallest
sets that still disagree, in ascending order, with the labels that the models give; ``size``: number of distortions in
each; ``exact``: all subsets were tried in order of size, else there may be smaller ones, and ``sets`` holds one. The
file's settings also name all seed inputs on which the models agree, with their clusters (``agreeing``), also those of
which nothing was shrunk."""


def shrink(
    records: Sequence[Path],
    files: Searched,
    out: Path,
    *,
    per_run_seed: int,
    exhaustive: int,
    rows: int = 256,
    title: str = "",
) -> None:
    """Shrink stored difference-inducing inputs of one tool on one subject, with progress on standard error.

    Where a protocol searches in batches, each input is judged by itself here.

    Args:
        records: candidates tables of all blocks.
        files: the files that they were made from.
        out: table to write, ``SHRUNK``, of a form of ``base.table_files``.
        per_run_seed: inputs of each run seed, drawn evenly from those that differ.
        exhaustive: largest number of active distortions whose subsets are all tried; above it, they are switched off
            one by one.
        rows: inputs evaluated together, about; changes no result.
        title: words for its progress; where there are none, the names of the records.

    Raises:
        QuantriftError: the records are damaged, belong to other networks than those beside them, or their space has
            no distortions.
    """
    made = settings(records[0])
    for name in ("inputs", "original", "compressed"):
        if name in files.present and files.opener.digest(files.present[name]) != made["sha256"][name]:
            raise QuantriftError(f"{records[0]}: its {name} changed since the search; delete the records, search again")
    inputs = Inputs.load(files.inputs)
    # Records state the strengths of a calibration.
    ready = evaluator(replace(files, calibration=None), made["tool"], made["tool_settings"], inputs, rows)
    if not hasattr(ready.tool.space, "blocks"):
        raise QuantriftError(f"{made['tool']}: its space has no distortions to switch off; leave the tool out")
    key = [*made["subject"].values(), made["tool"]]
    found: list[dict[str, Any]] = []
    name = title or "/".join(["shrink", *key])
    with bar(desc=name, unit=" inputs") as progress:
        for _, rows_of_run_seed in by_run_seed(records):
            part = chosen(rows_of_run_seed, per_run_seed, key)
            rows_of_part: dict[int, dict[str, Any]] = {}
            for place, row in _shrunk(part, ready, inputs, made["subject"]["dataset"], exhaustive):
                rows_of_part[place] = row
                progress.update()
            found += [rows_of_part[place] for place in range(len(rows_of_part))]
    stated = {name: made[name] for name in ("distortions", "subject", "tool")}
    stated["agreeing"] = sorted(one for file in records for one in _agreeing(file))
    with replacing(out) as temporary:
        columns = {name: [row[name] for row in found] for name in SHRUNK}
        table_files.write(temporary, SHRUNK, json.dumps(stated, sort_keys=True), columns)


def chosen(everything: Arrays, per_run_seed: int, key: Sequence[str]) -> Arrays:
    """An even draw from the distinct inputs of each run seed, on a random stream of ``key`` and run seed."""
    distinct = taken(everything, firsts([everything[name] for name in ("run_seed", "input", "digest")]))
    places = []
    for run_seed in np.unique(distinct["run_seed"]).tolist():
        own = np.flatnonzero(distinct["run_seed"] == run_seed)
        places.append(own[np.sort(stream("shrink", *key, run_seed).permutation(len(own))[:per_run_seed])])
    return taken(distinct, np.concatenate([np.empty(0, np.intp), *places]))


def _agreeing(file: Path) -> Iterator[list[int]]:
    """[run seed, seed input, cluster] of a block's seed inputs that get one label from the models, each once."""
    key = ["run_seed", "input", "cluster"]
    table = table_files.read(searches_path(file), [*key, "seed_disagrees"])
    kept = ~table["seed_disagrees"].astype(bool)
    return map(list, set(zip(*(table[name][kept].tolist() for name in key), strict=True)))


def _shrunk(
    part: Arrays, ready: Evaluator, inputs: Inputs, dataset: str, exhaustive: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Place among ``part`` and row of each, in order of completion; many are shrunk together to fill batches."""
    waiting = deque(range(len(part["input"])))
    running: list[tuple[int, _Shrinking, _Question]] = []
    while waiting or running:
        answers = ready([question for *_, question in running]) if running else []
        told: deque[tuple[int, _Shrinking, Any]] = deque(
            (place, one, answer) for (place, one, _), answer in zip(running, answers, strict=True)
        )
        running = []
        while told or (waiting and sum(len(candidates) for *_, (_, candidates) in running) < ready.rows):
            if not told:
                place = waiting.popleft()
                told.append((place, _shrinking(part, place, ready, inputs, dataset, exhaustive), None))
            place, one, answer = told.popleft()
            try:
                running.append((place, one, one.send(answer)))
            except StopIteration as end:
                yield place, end.value


def _shrinking(part: Arrays, place: int, ready: Evaluator, inputs: Inputs, dataset: str, exhaustive: int) -> _Shrinking:
    """Shrinks one difference-inducing input: asks questions, is sent the answers, and returns a row of ``SHRUNK``."""
    index, active = int(part["input"][place]), int(part["active"][place])
    problem = Problem(
        dataset=dataset,
        run_seed=int(part["run_seed"][place]),
        indices=(index,),
        inputs=inputs.take([index]),
        true_labels=(int(part["true_label"][place]),),
        space=ready.tool.space,
        generations=1,
        target=None if part["target"][place] < 0 else int(part["target"][place]),
    )
    whole = np.array([(active, True, part["label_original"][place], part["label_compressed"][place])], TRIED)
    strategy = by_size(whole) if active.bit_count() <= exhaustive else one_by_one(whole)
    tried: Any = None
    while True:
        try:
            sets = strategy.send(tried)
        except StopIteration as end:
            return _row(part, place, end.value, exhaustive)
        done = yield problem, _candidates(sets, part["vector"][place], ready.tool.space)
        tried = np.empty(len(sets), TRIED)
        tried["set"], tried["hit"] = sets, done.tell.disagree
        tried["label_original"], tried["label_compressed"] = done.tell.labels_original, done.tell.labels_compressed


def _candidates(sets: np.ndarray, vector: np.ndarray, space: Any) -> np.ndarray:
    """A vector (genes,) with all but the distortions of each set switched off, float32 (n, genes)."""
    candidates = np.repeat(vector[None], len(sets), axis=0)
    for place, block in enumerate(space.blocks):
        candidates[(sets >> place & 1) == 0, block.activation] = 0
    return candidates


def _row(part: Arrays, place: int, smallest: np.ndarray, exhaustive: int) -> dict[str, Any]:
    """A row of ``SHRUNK``."""
    before = int(part["active"][place]).bit_count()
    smallest = np.sort(smallest, order="set")
    return {name: part[name][place] for name in SHRUNK if name in COLUMNS} | {
        "size_before": before,
        "size": int(smallest["set"][0]).bit_count(),
        "exact": before <= exhaustive,
        "sets": smallest["set"].tolist(),
        "sets_label_original": smallest["label_original"].tolist(),
        "sets_label_compressed": smallest["label_compressed"].tolist(),
    }


def by_size(whole: np.ndarray) -> Strategy:
    """All proper subsets in order of their size, up to the first size at which any of them still disagrees.

    Args:
        whole: ``TRIED`` (1,), the set of all active distortions, known to disagree.

    Returns:
        All sets of the smallest size that disagree.
    """
    bits = _bits(int(whole["set"][0]))
    for size in range(len(bits)):
        tried = yield np.array([sum(chosen) for chosen in combinations(bits, size)], np.uint32)
        hits = tried[tried["hit"]]
        if len(hits):
            return hits
    return whole


def one_by_one(whole: np.ndarray) -> Strategy:
    """Switches off one distortion after the other, each time the first without which the input still disagrees.

    Args:
        whole: see ``by_size``.

    Returns:
        One set from which no single distortion can be removed; there may be smaller ones.
    """
    while bits := _bits(int(whole["set"][0])):
        tried = yield whole["set"][0] - np.array(bits, np.uint32)
        hits = tried[tried["hit"]]
        if not len(hits):
            break
        whole = hits[:1]
    return whole


def _bits(active: int) -> list[int]:
    """The distortions of a set, each as a set of its own, in ascending order."""
    return [1 << place for place in range(active.bit_length()) if active >> place & 1]
