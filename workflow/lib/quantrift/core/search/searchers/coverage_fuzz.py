"""Coverage-guided fuzzing (TensorFuzz, the baseline of DiffChaser §4.3): noise on inputs that gave new logits.

A corpus of inputs starts with the seed input. Each step adds noise to one of them many times, and every mutant whose
logits are far from those of the whole corpus joins it. Values are those of the authors' public code and of the command
in its README for finding disagreements after quantization; that code scales images to [-1, 1], so that its 0.2 and 1.0
are 0.1 and 0.5 of the range of values.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Gt

from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.novelty import Seen

SPACES = ("pixels",)


@dataclass(frozen=True)
class Params:
    """Settings of the fuzzer."""

    mutations: Annotated[int, Ge(1)] = 100
    """Mutants of an input in each step (README: mutations_per_corpus_item)."""
    sigma: Annotated[float, Gt(0)] = 0.1
    """Standard deviation of the noise, as a share of the range of values (public code: 0.2 on [-1, 1])."""
    radius: Annotated[float, Gt(0)] | None = 0.5
    """Largest change of a value since the seed input, over all steps together, as a share of the range of values
    (README: perturbation_constraint 1.0 on [-1, 1]); None for no bound, the default of the code."""
    threshold: Annotated[float, Ge(0)] = 1.0
    """Square of the distance of logits beyond which they are new (README: ann_threshold)."""
    recent: Annotated[int, Ge(1)] = 5
    """Newest members of the corpus that the next one to mutate is drawn from, beside one of all (public code)."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Candidates of the first generation and of each that follows."""
        return 1, self.mutations


def search(problem: Problem, params: Params, rng: np.random.Generator) -> Search:
    """Fuzz from the seed input, whose own evaluation is the first candidate."""
    lower, upper = problem.space.lower, problem.space.upper
    seed = problem.inputs[:1].reshape(1, -1)
    tell = yield Ask(seed)
    corpus, seen = [seed[0]], Seen(params.threshold, tell.out_original[0])
    for _ in range(problem.steps(*params.sizes) - 1):
        parent = corpus[sampled(len(corpus), params.recent, rng)]
        noise = rng.standard_normal((params.mutations, len(parent)), np.float32)
        change = np.float32(params.sigma) * (upper - lower) * noise + (parent - seed)
        if params.radius is not None:
            reach = np.float32(params.radius) * (upper - lower)
            change = np.clip(change, -reach, reach)
        tell = yield Ask(np.clip(seed + change, lower, upper))
        valid = np.flatnonzero(tell.valid)
        # Copies, as a part of the answer would hold on to all of it.
        corpus += [tell.inputs[number].ravel().copy() for number in valid[seen.admit(tell.out_original[valid])]]


def sampled(count: int, recent: int, rng: np.random.Generator) -> int:
    """Index of the next of ``count`` members of a corpus to mutate: drawn from the newest and one of all."""
    reservoir = [*range(max(0, count - recent), count), int(rng.integers(count))]
    return reservoir[rng.integers(len(reservoir))]
