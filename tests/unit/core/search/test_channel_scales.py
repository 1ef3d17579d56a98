"""Networks with channels on scales of their own are searched in images of 8 bits, which are scaled after decoding."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories.inputs import images as images_of

from quantrift.core.base import search_parts
from quantrift.core.base.inputs import ImageStack
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search import image_operators
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.searchers import metropolis_hastings
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import image_distortions, pixels
from quantrift.core.search.tool import Tool, build
from quantrift.core.settings.model_files import ImageInputs

SHAPE = (8, 7, 3)
IMAGES = np.random.default_rng(0).integers(0, 256, (5, *SHAPE), np.uint8)
IMAGES[0].reshape(-1)[:4] = 0, 255, 0, 255
CIFAR = ((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010))


def stack(images: np.ndarray, mean: Any = (0.0,), std: Any = (1.0,)) -> ImageStack:
    """The images as a network wants them that has this mean and deviation of channels; from 0 to 1 by default."""
    black, white = ((end - np.array(mean)) / np.array(std) for end in (0, 1))
    return images_of(images, black=black.astype(np.float32), white=white.astype(np.float32))


PLAIN, OWN = stack(IMAGES), stack(IMAGES, *CIFAR)


class Standardising:
    """Two networks that know the channels of ``OWN``, given those or, where ``first`` is set, images from 0 to 1."""

    profile = None

    def __init__(self, *, first: bool) -> None:
        self._first = first
        shared, off = np.random.default_rng(1).normal(size=(2, int(np.prod(SHAPE)), 3))
        self._weights = shared.astype(np.float32), (shared + 0.05 * off).astype(np.float32)

    def __call__(self, x: np.ndarray) -> Outputs:
        if self._first:
            x = x * (OWN.white - OWN.black) + OWN.black
        rows = x.reshape(len(x), int(np.prod(SHAPE)), 1)
        said = (np.array([(row * own).sum(axis=0) for row in rows]).reshape(-1, 3) for own in self._weights)
        return Outputs(*said)


def tool(inputs: ImageStack, stated: dict[str, tuple[str, dict[str, Any]]]) -> Tool:
    resolved: dict[str, Any] = {}
    for kind, (name, params) in stated.items():
        full = vars(search_parts.load(kind, name).Params(**params))
        resolved[kind] = {"name": name, "params": dict(full)}
    return build("mine", resolved, Domain.of(inputs))


def searched(inputs: ImageStack, stated: dict[str, tuple[str, dict[str, Any]]], evaluations: int = 120) -> list[Step]:
    """All steps of the searches of the images, in order."""
    mine = tool(inputs, stated)
    given = [Problem("some", 0, (i,), inputs.take([i]), (0,), mine.space, 25, evaluations) for i in range(len(inputs))]
    engine = Engine(Evaluator(mine, Standardising(first=inputs is PLAIN)))
    steps = [event for event in engine.run(given) if isinstance(event, Step)]
    return sorted(steps, key=lambda step: (step.number, step.generation))


def levels(step: Step, inputs: ImageStack) -> np.ndarray:
    """The 8 bits of the images that a step evaluated; that they are 8 bits to the last bit is checked too."""
    x = step.evaluated.tell.inputs
    found = np.rint((x - inputs.black) / (inputs.white - inputs.black) * 255).astype(np.uint8)
    assert stack(found, *(CIFAR if inputs is OWN else ())).take(range(len(found))).tobytes() == x.tobytes()
    return found


TOOLS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "triggerfinder": {
        "space": ("pixels", {}),
        "constraint": ("none", {}),
        "objective": ("top1_distance", {}),
        "searcher": ("metropolis_hastings", {"variant": "code"}),
    },
    "diffchaser": {
        "space": ("pixels", {}),
        "constraint": ("linf", {"radius": 0.1}),
        "objective": ("k_uncertainty", {}),
        "searcher": ("diffchaser", {"population": 20, "radius": 0.1}),
    },
    "diffchaser_code": {
        "space": ("pixels", {}),
        "constraint": ("none", {}),
        "objective": ("k_uncertainty", {}),
        "searcher": ("diffchaser", {"population": 20, "variant": "code"}),
    },
    "natural": {
        "space": ("image_distortions", {}),
        "constraint": ("psnr", {"peak": "data_range"}),
        "objective": ("jensen_shannon", {}),
        "searcher": ("pso", {}),
    },
    "natural_by_brightest": {
        "space": ("image_distortions", {}),
        "constraint": ("psnr", {"peak": "patch_max", "min_db": 12}),
        "objective": ("jensen_shannon", {}),
        "searcher": ("ga", {}),
    },
}


@pytest.mark.parametrize("name", TOOLS)
def test_a_search_finds_what_it_finds_where_the_network_standardises_by_itself(name: str) -> None:
    own, plain = searched(OWN, TOOLS[name]), searched(PLAIN, TOOLS[name])
    assert len(own) == len(plain)
    disagreeing = 0
    for one, other in zip(own, plain, strict=True):
        assert np.array_equal(levels(one, OWN), levels(other, PLAIN))
        for what in ("valid", "labels_original", "labels_compressed", "fitness"):
            np.testing.assert_array_equal(getattr(one.evaluated.tell, what), getattr(other.evaluated.tell, what))
        np.testing.assert_allclose(one.evaluated.psnr, other.evaluated.psnr, rtol=1e-5)
        disagreeing += int(one.evaluated.tell.disagree.sum())
    assert disagreeing > 0


def test_operators_mutate_the_8_bits_of_the_images(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []

    def watched(operator: image_operators.Operator) -> image_operators.Operator:
        def mutate(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            seen.append(image)
            return operator(image, rng)

        return mutate

    monkeypatch.setattr(metropolis_hastings, "OPERATORS", tuple(map(watched, image_operators.OPERATORS)))
    searched(OWN, TOOLS["triggerfinder"], evaluations=1)
    assert all(image.dtype == np.uint8 for image in seen)
    assert sorted(image.tobytes() for image in seen) == sorted(image.tobytes() for image in IMAGES)


Scales = st.lists(st.tuples(st.floats(0, 1, width=32), st.floats(2**-10, 1000, width=32)), min_size=3, max_size=3)


@given(scales=Scales, high=st.sampled_from([1.0, 255.0]))
@settings(max_examples=60)
def test_every_level_goes_to_the_network_and_back_whatever_mean_and_deviation_are(
    scales: list[tuple[float, float]], high: float
) -> None:
    form = ImageInputs(high=high, mean=tuple(high * mean for mean, _ in scales), std=tuple(std for _, std in scales))
    every = np.repeat(np.arange(256, dtype=np.uint8), 3).reshape(4, 8, 8, 3)
    inputs = stack(every, np.array(form.mean) / high, np.array(form.std) / high)
    x = inputs.take(inputs.test)
    for module in (pixels, image_distortions):
        space: Any = module.bind(module.Params(), Domain.of(inputs))
        candidates = x.reshape(4, -1) if module is pixels else np.zeros((4, *space.shape), np.float32)
        assert space.decode(candidates, Originals(x), np.arange(4)).tobytes() == x.tobytes()
    space = pixels.bind(pixels.Params(), Domain.of(inputs))
    assert np.array_equal(space.levels(x), every)
    assert space.of_levels(every).tobytes() == x.tobytes()


def test_without_levels_values_stay_between_black_and_white_of_their_channel() -> None:
    space = pixels.bind(pixels.Params(None), Domain.of(OWN))
    noise = space.sample(200, np.random.default_rng(0)).reshape(-1, 3)
    assert (noise >= OWN.black).all()
    assert (noise <= OWN.white).all()
    assert (np.ptp(noise, axis=0) > 0.99 * (OWN.white - OWN.black)).all()
    lower, upper = (bound.reshape(SHAPE) for bound in space.around(OWN.take([0]).reshape(-1), 0.1))
    np.testing.assert_allclose(upper - lower, np.broadcast_to(0.2 * (OWN.white - OWN.black), SHAPE), atol=0.55)
    assert (lower >= OWN.black).all()
    assert (upper <= OWN.white).all()


def test_without_levels_distortions_are_those_of_plain_images() -> None:
    found = []
    for inputs in (PLAIN, OWN):
        space = image_distortions.bind(image_distortions.Params(levels=None), Domain.of(inputs))
        vectors = space.sample(40, np.random.default_rng(2))
        found.append(space.decode(vectors, Originals(inputs.take(inputs.test)), np.arange(40) % 5))
    np.testing.assert_allclose(found[1], found[0] * (OWN.white - OWN.black) + OWN.black, atol=1e-6)


def test_one_scale_for_all_channels_is_no_scale_of_each() -> None:
    assert Domain.of(stack(IMAGES, (0.5, 0.5, 0.5), (0.25, 0.25, 0.25))) == Domain(SHAPE, -2, 2)
    assert Domain.of(PLAIN).settings == {"shape": SHAPE, "range": (0, 1)}


def test_records_say_the_scales_to_the_last_bit() -> None:
    domain = Domain.of(OWN)
    assert Domain.stated(domain.settings) == domain
    low, high = domain.bounds
    assert (low.tobytes(), high.tobytes()) == (OWN.black.tobytes(), OWN.white.tobytes())
