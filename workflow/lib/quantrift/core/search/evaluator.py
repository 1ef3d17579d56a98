"""Evaluation of candidates: decoding, validity, outputs of both networks, fitness.

Decoding, constraint, networks and objective treat each row by itself, so a candidate's evaluation does not depend on
the rows that stand beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from time import process_time
from typing import Any

import numpy as np
import xxhash

from quantrift.core.pairs.pair import Networks, Outputs
from quantrift.core.search.messages import Ask, Problem, Tell
from quantrift.core.search.space import Originals, Scene
from quantrift.core.search.tool import Tool

PORTION = 2**24
"""Bytes of inputs that are decoded, checked or run at once, so that no copy of a whole step of large ones is made."""


@dataclass(frozen=True, eq=False)
class Evaluated:
    """n candidates of a problem with B seed inputs; the rows of a candidate stand together."""

    tell: Tell
    valid: np.ndarray
    """Whether the constraint holds, bool (n,); what a search is told of it stands in ``tell``."""
    scores: np.ndarray
    """Fitness of each row, float64 (n * B, m); NaN where not run."""
    active: np.ndarray
    """Active distortions of each candidate, uint32 (n,); see ``Space``."""
    psnr: np.ndarray
    """dB, float64 (n * B,)."""
    digests: np.ndarray
    """xxh3-64 of each decoded input's bytes, uint64 (n * B,)."""
    seconds: np.ndarray
    """Charged seconds of each row, float64 (n * B,): its share of the processor time of what was computed
    together. A busy machine does not stretch it. On an idle machine it equals wall time, as there is one thread."""


@dataclass(eq=False)
class Evaluator:
    """Evaluates candidates of one tool on one pair of networks."""

    tool: Tool
    networks: Networks
    scene: Scene | None = None
    """The scene that the inputs were cut from, if any."""
    rows: int = 256
    """Inputs decoded, checked and run at once, or fewer where they are large (``PORTION``); more would leave the
    processor's caches."""
    twins: Any = None
    """Differentiable twins of both networks (``quantrift.core.pairs.twins``). They add gradients to the answers, for a
    searcher that follows them (``with_gradients``)."""
    _gathered: tuple[Sequence[Problem], Originals] | None = None
    """Problems of the last evaluation, and their seed inputs: mostly those of the next one, too."""

    def __call__(self, asked: Sequence[tuple[Problem, np.ndarray]]) -> list[Evaluated]:
        """Evaluate candidates (n, genes) of some problems together; answers stand in the order asked."""
        begin = process_time()
        problems, lengths = [problem for problem, _ in asked], [len(own) for _, own in asked]
        sizes = [len(problem.inputs) for problem in problems]
        originals = self.originals(problems)
        # Each candidate once for each seed input of its problem.
        counts = np.repeat(sizes, lengths)
        candidates = np.concatenate([own for _, own in asked], dtype=np.float32, casting="same_kind")
        candidates = candidates if max(sizes) == 1 else np.repeat(candidates, counts, axis=0)
        source = _sources(lengths, sizes)
        inputs = np.empty((len(source), *originals.inputs.shape[1:]), np.float32)
        judged, psnr = np.empty(len(source)), np.empty(len(source))
        for part in self._parts(len(source), inputs):
            inputs[part] = self.tool.space.decode(candidates[part], originals, source[part])
            measured = self.tool.constraint.measure(inputs[part], originals, source[part])
            judged[part], psnr[part] = measured.judged, measured.psnr
        digests = np.array([digest(row) for row in inputs], np.uint64)

        rows = np.multiply(lengths, sizes).tolist()
        slices = [slice(end - count, end) for count, end in zip(rows, accumulate(rows), strict=True)]
        violation = self.tool.constraint.violation(_medians(judged, slices, sizes))
        holds = violation == 0
        valid = np.repeat(holds, counts)

        guides = self.tool.constraint.guides
        runs = valid if guides else np.ones_like(valid)

        ready = process_time()
        outputs, score = self._run(inputs, np.flatnonzero(runs), _targets(problems, rows))
        logits = [_spread(out, runs) for out in (outputs.original, outputs.compressed)]
        scores = _spread(score, runs)
        # argmax takes the lowest of equally probable classes.
        labels = [np.where(valid, out.argmax(axis=1), -1) for out in logits]
        disagree = labels[0] != labels[1]
        active = self.tool.space.active(candidates)
        # All candidates are charged for decoding and checking; only those that are run for networks and their score.
        decoding, inference = ready - begin, process_time() - ready
        seconds = np.full(len(valid), decoding / len(valid)) + runs * (inference / max(1, int(runs.sum())))

        answers: list[Evaluated] = []
        first = 0
        for length, size, part in zip(lengths, sizes, slices, strict=True):
            of_candidates = slice(first, first := first + length)
            tell = Tell(
                inputs=inputs[part],
                valid=holds[of_candidates] | (not guides),
                violation=violation[of_candidates] * guides,
                out_original=logits[0][part],
                out_compressed=logits[1][part],
                labels_original=labels[0][part],
                labels_compressed=labels[1][part],
                disagree=disagree[part],
                # The mean over the rows of a candidate (DiverGet §4.4.2).
                fitness=scores[part] if size == 1 else scores[part].reshape(-1, size, scores.shape[1]).mean(axis=1),
            )
            answers.append(
                Evaluated(
                    tell,
                    holds[of_candidates],
                    scores[part],
                    active[part][::size],
                    psnr[part],
                    digests[part],
                    seconds[part],
                )
            )
        return answers

    def originals(self, problems: Sequence[Problem]) -> Originals:
        """The seed inputs of some problems, one after the other."""
        if self._gathered and self._gathered[0] == problems:
            return self._gathered[1]
        indices = [index for problem in problems for index in problem.indices]
        inputs = np.concatenate([problem.inputs for problem in problems])
        self._gathered = list(problems), Originals(inputs, self.scene.at(indices) if self.scene else None)
        return self._gathered[1]

    def _run(self, inputs: np.ndarray, chosen: np.ndarray, targets: np.ndarray | None) -> tuple[Outputs, np.ndarray]:
        """Both networks' outputs and the fitness of the inputs numbered ``chosen``; ``targets`` as in ``Outputs``."""
        parts = []
        for part in self._parts(len(chosen), inputs) if len(chosen) else [slice(0)]:
            own = chosen[part]
            # Where all are chosen, nothing is copied.
            outputs = self.networks(inputs[part] if len(chosen) == len(inputs) else inputs[own])
            if targets is not None:
                outputs = replace(outputs, targets=targets[own])
            parts.append((outputs.original, outputs.compressed, self.tool.objective.score(outputs)))
        # A single part is not copied.
        original, compressed, score = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
        return Outputs(original, compressed), score

    def together(self, size: int) -> int:
        """Inputs of ``size`` bytes that are decoded, checked or run at once."""
        return max(1, min(self.rows, PORTION // max(1, size)))

    def _parts(self, count: int, inputs: np.ndarray) -> Iterator[slice]:
        """Parts of ``count`` rows; ``inputs`` (n, H, W, C) say how large one is."""
        together = self.together(inputs[:1].nbytes)
        return (slice(start, min(start + together, count)) for start in range(0, count, together))


def with_gradients(twins: Any, asks: Sequence[Ask], answers: Sequence[Evaluated]) -> list[Evaluated]:
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
    return (
        np.zeros((rows, count), np.float32)
        if ask.weights is None
        else np.repeat(ask.weights[which].astype(np.float32), rows // len(ask.candidates), axis=0)
    )


def _arrays(of: Tell | Evaluated) -> dict[str, Any]:
    """Fields of an answer that are arrays; gradients are None where no search asked for them."""
    return {name: value for name, value in vars(of).items() if name != "tell" and value is not None}


def joined(parts: Sequence[Evaluated]) -> Evaluated:
    """Candidates of one problem that were evaluated apart, as one."""

    def together(each: Sequence[Tell] | Sequence[Evaluated]) -> dict[str, Any]:
        return {name: np.concatenate([vars(one)[name] for one in each]) for name in _arrays(each[0])}

    return Evaluated(tell=Tell(**together([part.tell for part in parts])), **together(parts))


def apart(whole: Evaluated) -> list[Evaluated]:
    """Each of n candidates of one problem by itself."""
    count = len(whole.valid)
    # Where a candidate has a row for each of several seed inputs, its rows stand together.
    tell, own = (
        {name: value.reshape(count, -1, *value.shape[1:]) for name, value in _arrays(one).items()}
        for one in (whole.tell, whole)
    )
    parts = [[{name: value[place] for name, value in of.items()} for of in (tell, own)] for place in range(count)]
    return [Evaluated(tell=Tell(**told), **rest) for told, rest in parts]


def digest(inputs: np.ndarray) -> int:
    """xxh3-64 of an input's bytes; equal digests are taken for equal inputs."""
    return xxhash.xxh3_64_intdigest(np.ascontiguousarray(inputs).data)


def _targets(problems: Sequence[Problem], rows: Sequence[int]) -> np.ndarray | None:
    """Target class of the search of each row, int64, -1 where it has none; None where no search has one."""
    targets = [-1 if problem.target is None else problem.target for problem in problems]
    return np.repeat(targets, rows) if max(targets) >= 0 else None


def _sources(counts: Sequence[int], sizes: Sequence[int]) -> np.ndarray:
    """The seed input of each row, int64: a candidate has a row for each seed input of its problem.

    Args:
        counts: candidates of each problem.
        sizes: seed inputs of each problem.
    """
    if max(sizes) == 1:
        return np.repeat(np.arange(len(counts)), counts)
    firsts = np.cumsum([0, *sizes[:-1]])
    return np.concatenate(
        [np.tile(np.arange(first, first + size), n) for n, first, size in zip(counts, firsts, sizes, strict=True)]
    )


def _medians(judged: np.ndarray, slices: Sequence[slice], sizes: Sequence[int]) -> np.ndarray:
    """The median over each candidate's rows, by which it is judged (the authors' earlier tool), float64."""
    batches = (judged[part].reshape(-1, size) for part, size in zip(slices, sizes, strict=True))
    return judged if max(sizes) == 1 else np.concatenate([np.median(one, axis=1) for one in batches])


def _spread(values: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Rows of the candidates that were run, put in their places among all, NaN elsewhere."""
    if len(values) == len(runs):
        return values
    full = np.full((len(runs), values.shape[1]), np.nan, values.dtype)
    full[runs] = values
    return full
