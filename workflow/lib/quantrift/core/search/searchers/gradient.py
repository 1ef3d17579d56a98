"""Joint gradient ascent from the seed input (DeepXplore, the baseline of DiffChaser §4.3).

A climb pushes one model away from the label that the original gives the seed input and holds the other one to it. It
also drives up one neuron of each model that no disagreement has covered yet. The constraint lets part of the image
change. As in the authors' public code for MNIST:

* one model is pushed and both neurons are chosen for a whole climb (DeepXplore Algorithm 1 draws the model; the code
  takes it from its command line);
* the gradient is divided by its root mean square before the constraint;
* a climb ends with a disagreement, whose neurons count as covered where they stand above a share of the way from the
  lowest to the highest value of their layer.

Differences from that code: coverage begins anew with each seed input, so that no search depends on another. A search
with budget left climbs again from the seed input with new draws, which DiffChaser's timeout of 120 s allowed too. The
rectangle of ``occlusion`` is drawn for each climb; the code's stands in the corner. The code takes its step of 10 on
images from 0 to 1, ``step: 2550`` here, and never clips them, ``clipped: false``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, cast

import numpy as np
from annotated_types import Ge, Gt

from quantrift.core.search.messages import Ask, Problem, Search

SPACES = ("pixels",)
GRADIENTS = True
Both = tuple[np.ndarray, np.ndarray]
"""Neurons of the original and of the compressed model; always told to searchers that follow gradients."""
Place = tuple[slice, slice]
SCALE = 255.0
"""Range of values that steps are given for."""


@dataclass(frozen=True)
class Params:
    """Settings of the ascent; the authors' command for MNIST but for ``step`` and ``clipped``."""

    constraint: Literal["occlusion", "light", "blackout"] = "occlusion"
    """The change allowed: one rectangle; all values by the same amount; one small square after another, towards
    black."""
    lambda1: Annotated[float, Ge(0)] = 1.0
    """Weight of pushing one model away from the label."""
    lambda2: Annotated[float, Ge(0)] = 0.1
    """Weight of the neurons."""
    step: Annotated[float, Gt(0)] = 10.0
    """Length of a step, on values from 0 to 255, along a gradient with a root mean square of 1."""
    clipped: bool = True
    """Whether values are clipped to their range after each step. If not, candidates are no images."""
    iterations: Annotated[int, Ge(1)] = 50
    """Steps of a climb."""
    threshold: Annotated[float, Ge(0)] = 0.0
    """Scaled value from which a neuron counts as covered, 0 to 1."""
    rectangle: Annotated[int, Ge(1)] = 10
    """Side of the rectangle of ``occlusion``, in pixels, as far as the image reaches."""
    square: Annotated[int, Ge(1)] = 6
    """Side of the squares of ``blackout``, in pixels."""

    sizes = 1, 1
    """Candidates of the first generation and of each that follows; no setting."""


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Climb from the seed input until the budget is spent; it is evaluated first, and again where a climb starts."""
    lower, upper = problem.space.lower, problem.space.upper
    width = upper - lower
    # Scale of each channel of an image, where a network takes channels on scales of their own; 1 where all share one.
    length, share = np.float32(params.step / SCALE) * width, width / width.max()
    seed = problem.inputs[0].ravel()
    left = problem.steps(*params.sizes) - 1
    tell = yield Ask(seed[None])
    label = int(tell.labels_original[0])
    covered = [np.zeros(values.shape[1], bool) for values in cast(Both, tell.neurons)]
    classes = tell.out_original.shape[1]
    while left > 0:
        push = np.where(np.arange(2) == rng.integers(2), -params.lambda1, 1.0)
        of_one, of_other = (
            _weights(own, classes, label, by, params.lambda2, rng) for own, by in zip(covered, push, strict=True)
        )
        allowed = _allowed(params, problem.inputs.shape[1:], rng)
        x = seed
        for iteration in range(min(params.iterations + 1, left)):
            left -= 1
            tell = yield Ask(x[None], weights=(of_one, of_other))
            # Where the models disagree on the seed input itself, there is nothing to learn from it.
            if iteration and tell.disagree[0]:
                for own, heights in zip(covered, cast(Both, tell.neurons), strict=True):
                    own |= heights[0] > params.threshold
                break
            x = x + length * allowed(normalised(share * cast(np.ndarray, tell.gradient)[0]))
            if params.clipped:
                x = np.clip(x, lower, upper)


def normalised(gradient: np.ndarray) -> np.ndarray:
    """A gradient divided by its root mean square, as far as it has one."""
    return gradient / (np.sqrt(np.mean(np.square(gradient))) + np.float32(1e-5))


def _weights(
    covered: np.ndarray, classes: int, label: int, push: float, pull: float, rng: np.random.Generator
) -> np.ndarray:
    """Weights of a network's neurons (1, M): ``push`` for the label's logit, ``pull`` for a neuron that is drawn."""
    weights = np.zeros((1, len(covered)), np.float32)
    weights[0, len(covered) - classes + label] += push
    # Any neuron where all are covered.
    weights[0, rng.choice(np.flatnonzero(~covered | covered.all()))] += pull
    return weights


def _allowed(params: Params, image: tuple[int, ...], rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    """The constraint of a climb: from a gradient (G,) to the change of an image (H, W, C), flat, that it allows."""
    match params.constraint:
        case "light":
            return light
        case "occlusion":
            place = drawn(image, params.rectangle, rng)
            return lambda gradient: occluded(gradient, image, place)
        case "blackout":
            return lambda gradient: blackened(gradient, image, drawn(image, params.square, rng))


def drawn(image: tuple[int, ...], side: int, rng: np.random.Generator) -> Place:
    """Rows and columns of a square somewhere in an image (H, W, C), cut where the image is smaller."""
    corner = [int(rng.integers(max(0, length - side) + 1)) for length in image[:2]]
    return slice(corner[0], corner[0] + side), slice(corner[1], corner[1] + side)


def light(gradient: np.ndarray) -> np.ndarray:
    """All values of a gradient (G,) become their mean: the image gets brighter or darker."""
    return np.full_like(gradient, gradient.mean())


def occluded(gradient: np.ndarray, image: tuple[int, ...], place: Place) -> np.ndarray:
    """The gradient (G,) at one place of an image (H, W, C), 0 elsewhere."""
    change = np.zeros(image, gradient.dtype)
    change[place] = gradient.reshape(image)[place]
    return change.ravel()


def blackened(gradient: np.ndarray, image: tuple[int, ...], place: Place) -> np.ndarray:
    """-1 at one place of an image (H, W, C) if the mean gradient (G,) there is negative; else 0."""
    change = np.zeros(image, gradient.dtype)
    change[place] = -1 if gradient.reshape(image)[place].mean() < 0 else 0
    return change.ravel()
