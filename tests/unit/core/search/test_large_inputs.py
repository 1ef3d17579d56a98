"""Large inputs: memory of a step stays near that of its decoded inputs, whatever the parts they are computed in."""

import tracemalloc

import numpy as np
import pytest

from quantrift.core.pairs.pair import Pair
from quantrift.core.search import evaluator as of_evaluator
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.space import Domain
from quantrift.core.search.tool import Tool, build

SHAPE = (64, 48, 3)
BYTES = 4 * 64 * 48 * 3


class Means:
    """A network whose logits are means over some lines; it notes how many bytes it is given at once."""

    def __init__(self, offset: float) -> None:
        self.input_shape, self.classes, self.most, self._offset = SHAPE, 4, 0, np.float32(offset)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self.most = max(self.most, x.nbytes)
        parts = x.reshape(len(x), self.classes, x[0].size // self.classes if len(x) else 0)
        return np.array([[values.mean() for values in row] for row in parts], np.float32).reshape(-1, 4) + self._offset


def tool() -> Tool:
    parts = {"space": "image_distortions", "constraint": "psnr", "objective": "jensen_shannon", "searcher": "random"}
    settings = {kind: {"name": name, "params": {}} for kind, name in parts.items()}
    return build("mine", settings, Domain(SHAPE, 0, 1))


def problems(of: Tool, count: int) -> list[Problem]:
    images = np.random.default_rng(1).integers(0, 256, (count, 1, *SHAPE)) / np.float32(255)
    return [Problem("d", 0, (i,), x, (0,), of.space, 2) for i, x in enumerate(images.astype(np.float32))]


def found(portion: int, memory_mb: float, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[tuple[int, int], list], int]:
    """Records of each generation without its seconds, and the most bytes that a network got at once."""
    monkeypatch.setattr(of_evaluator, "PORTION", portion)
    mine, first = tool(), Means(0)
    steps: dict[tuple[int, int], list] = {}
    for event in Engine(Evaluator(mine, Pair(first, Means(0.01))), memory_mb=memory_mb).run(problems(mine, 6)):
        if isinstance(event, Step):
            tell, done = event.evaluated.tell, event.evaluated
            arrays = (tell.inputs, tell.valid, tell.labels_original, done.scores, done.psnr, done.digests)
            steps[event.number, event.generation] = [array.tobytes() for array in arrays]
    return steps, first.most


def test_results_do_not_depend_on_memory_or_on_the_parts_a_step_is_computed_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected, _ = found(2**24, 500, monkeypatch)
    assert len(expected) == 12
    for portion, memory_mb in ((1, 500), (3 * BYTES, 500), (2**24, 0.1), (7 * BYTES, 1)):
        assert found(portion, memory_mb, monkeypatch)[0] == expected


def test_networks_get_no_more_than_a_portion_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(3 * BYTES, 500, monkeypatch)[1] == 3 * BYTES


def test_a_step_holds_its_decoded_inputs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_evaluator, "PORTION", 4 * BYTES)
    mine = tool()
    [problem] = problems(mine, 1)
    evaluate = Evaluator(mine, Pair(Means(0), Means(0.01)))
    candidates = mine.space.sample(200, np.random.default_rng(0))
    # Work arrays are kept from call to call.
    evaluate([(problem, candidates[:4])])
    tracemalloc.start()
    evaluate([(problem, candidates)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 200 * BYTES < peak < 240 * BYTES
