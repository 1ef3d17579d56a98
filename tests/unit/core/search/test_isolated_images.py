"""Tools for images search by themselves as they do side by side."""

import numpy as np
import pytest
from tests.factories import configurations

from quantrift.core.pairs.pair import Pair
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.space import Domain
from quantrift.core.search.stopping import Stop
from quantrift.core.search.tool import Tool, build

IMAGE = (12, 12, 1)


class Rows:
    """A network of one layer that treats each image by itself."""

    input_shape, classes = IMAGE, 4

    def __init__(self, noise: float) -> None:
        drawn = np.random.default_rng(0).normal(size=(2, 144, 4))
        self._weights = (drawn[0] + noise * drawn[1]).astype(np.float32)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        logits = [(row.reshape(-1, 1) * self._weights).sum(axis=0) for row in x]
        return np.array(logits, np.float32).reshape(-1, 4)


def steps(tool: Tool, isolated: bool) -> dict[int, list[Step]]:
    """Steps of searches for the first disagreement, of six images in 8 bits."""
    images = np.random.default_rng(1).integers(0, 256, size=(6, 1, *IMAGE)).astype(np.float32) / 255
    problems = [Problem("d", 0, (n,), image, (0,), tool.space, 1, 3000) for n, image in enumerate(images)]
    rows = 5000 if isolated else 64
    searching = Engine(Evaluator(tool, Pair(Rows(0), Rows(0.02)), rows=rows), Stop(first_attack=True), 500, isolated)
    found: dict[int, list[Step]] = {}
    for event in searching.run(problems):
        if isinstance(event, Step):
            found.setdefault(event.number, []).append(event)
    return found


@pytest.mark.parametrize("name", ["diffchaser_code", "triggerfinder_code", "triggerfinder", "tensorfuzz"])
def test_isolated_searches_of_images_take_the_steps_of_those_side_by_side(name: str) -> None:
    tool = build(name, configurations.of_scale("paper").tools[name].model_dump(mode="json"), Domain(IMAGE, 0, 1))
    together, alone = steps(tool, isolated=False), steps(tool, isolated=True)
    assert [len(alone[number]) for number in range(6)] == [len(together[number]) for number in range(6)]
    for number, own in together.items():
        for one, other in zip(own, alone[number], strict=True):
            np.testing.assert_array_equal(one.candidates, other.candidates)
            np.testing.assert_array_equal(one.reached, other.reached)
            np.testing.assert_array_equal(one.evaluated.digests, other.evaluated.digests)
            np.testing.assert_array_equal(one.evaluated.scores, other.evaluated.scores)
    assert any(own[-1].reached.any() for own in alone.values())
