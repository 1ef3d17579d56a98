"""First valid candidate of each search of random sampling, drawn and decoded again.

Searches draw candidates independently of each other, so the first valid ones are an even sample of all valid ones: one
from each seed input.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from quantrift.core.base import table_files
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.table_columns import Arrays
from quantrift.core.search.messages import Problem
from quantrift.core.search.record_columns import settings
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.tool import Tool, build


def first_valid(file: Path, inputs: Inputs, chosen: Callable[[int], np.ndarray]) -> Arrays:
    """The first valid candidate of each seed input of a search that looks at no answer.

    Args:
        file: candidates table of random sampling, of one run seed, with a row for each valid candidate.
        inputs: that were searched.
        chosen: from the number of seed inputs with a valid candidate to places among them, ascending.

    Returns:
        ``seed``, the numbers of n seed inputs, int64 (n,), ascending; ``label_original``, the labels that the records
        hold, int64 (n,); ``inputs``, a decoded candidate of each, float32 (n, H, W, C).
    """
    made = settings(file)
    tool = build(made["tool"], made["tool_settings"], Domain.of(inputs))
    rows = table_files.read(file, ["run_seed", "input", "evaluation", "label_original"])
    order = np.lexsort([rows["evaluation"], rows["input"]])
    seeds, firsts = np.unique(rows["input"][order], return_index=True)
    kept = order[firsts[chosen(len(seeds))]]
    numbers = rows["input"][kept].astype(np.int64)
    keys = zip(rows["run_seed"][kept].tolist(), numbers.tolist(), rows["evaluation"][kept].tolist(), strict=True)
    found = (_candidate(tool, made["subject"]["dataset"], *key, inputs) for key in keys)
    vectors = np.concatenate([np.empty((0, *tool.space.shape), np.float32), *found])
    decoded = tool.space.decode(vectors, Originals.of(inputs, numbers), np.arange(len(numbers)))
    return {"seed": numbers, "label_original": rows["label_original"][kept].astype(np.int64), "inputs": decoded}


def _candidate(tool: Tool, dataset: str, run_seed: int, number: int, evaluation: int, inputs: Inputs) -> np.ndarray:
    """Vector, float32 (1, genes), of a candidate of the search from a seed input, by the number of its evaluation."""
    labels = (int(inputs.labels[number]),)
    # A generation has at least one candidate.
    problem = Problem(dataset, run_seed, (number,), inputs.take([number]), labels, tool.space, evaluation + 1)
    for ask in tool.start(problem):
        if evaluation < len(ask.candidates):
            return np.asarray(ask.candidates[evaluation][None], np.float32)
        evaluation -= len(ask.candidates)
    raise AssertionError(f"more candidates than {problem.generations} generations have were drawn for the records")
