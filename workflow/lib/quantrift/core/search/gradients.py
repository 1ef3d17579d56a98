"""Gradients and neurons of the differentiable twins of both networks, for searches that ask for them."""

from collections.abc import Sequence
from dataclasses import replace
from time import process_time

import numpy as np

from quantrift.core.search.evaluator import Evaluated, Twins
from quantrift.core.search.messages import Ask


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
