"""Gradients and neurons of the differentiable twins of both networks, for searches that ask for them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np

from quantrift.core.base import search_parts
from quantrift.core.search.evaluator import Evaluated, Twins
from quantrift.core.search.messages import Ask
from quantrift.core.search.tool import looks_into_networks

OBSERVED, TWINS = "quantrift.core.pairs.observed_pair", "quantrift.core.pairs.twins"
"""Loaded by name, so that other searches do not depend on their code."""


def followed(settings: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the searcher of a tool's settings follows gradients, and so needs twins of both models."""
    return bool(getattr(search_parts.load("searcher", settings["searcher"]["name"]), "GRADIENTS", False))


def modules(tool_settings: Mapping[str, Any]) -> list[str]:
    """Modules that the searches of a tool and their replays load by name, beside those of its parts."""
    needed = {OBSERVED: looks_into_networks(tool_settings), TWINS: followed(tool_settings)}
    return [name for name, is_needed in needed.items() if is_needed]


def with_gradients(twins: Twins, asks: Sequence[Ask], answers: Sequence[Evaluated]) -> list[Evaluated]:
    """Answers to some asks with the gradients and neurons of the twins, computed together and charged evenly."""
    inputs = np.concatenate([answer.tell.inputs for answer in answers])
    twins.prepare(len(inputs))
    begin = process_time()
    weights = [
        np.concatenate([_weights(ask, answer, which, count) for ask, answer in zip(asks, answers, strict=True)])
        for which, count in enumerate(twins.neurons)
    ]
    said = twins(inputs, *weights)
    seconds = (process_time() - begin) / len(inputs)
    done, first = [], 0
    for ask, answer in zip(asks, answers, strict=True):
        part = slice(first, first := first + len(answer.tell.inputs))
        tell = replace(
            answer.tell,
            gradient=None if ask.weights is None else said.gradient[part],
            neurons=(said.original[part], said.compressed[part]),
        )
        done.append(replace(answer, tell=tell, seconds=answer.seconds + seconds))
    return done


def _weights(ask: Ask, answer: Evaluated, which: int, count: int) -> np.ndarray:
    """Weights of the ``count`` neurons of one network for each row of an answer, float32 (n * B, count)."""
    rows = len(answer.tell.inputs)
    if ask.weights is None:
        return np.zeros((rows, count), np.float32)
    return np.repeat(ask.weights[which].astype(np.float32), rows // len(ask.candidates), axis=0)
