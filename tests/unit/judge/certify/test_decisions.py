"""Decisions about boxes are true: compared with all their images on the real runtimes, float32 and int8."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import PairFiles
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import pixels
from quantrift.judge.certify.asked_neighbourhoods import asked
from quantrift.judge.certify.bounds import arithmetic, bounded_network, tflite_chain
from quantrift.judge.certify.bounds.bounded_network import BoundedNetwork
from quantrift.judge.certify.bounds.decision import Decider
from quantrift.judge.certify.bounds.layers import Rounding
from quantrift.judge.certify.bounds.zonotope import Zonotope
from quantrift.judge.certify.boxes import Boxes, ImageBox
from quantrift.judge.certify.enumeration import Enumerator, State
from quantrift.judge.certify.proof import NEW, Prover

SHAPE = (4, 4, 1)
SCALE = pixels.bind(pixels.Params(), Domain(SHAPE, 0.0, 1.0))
PLACES = [5, 6, 10]
"""Values of an image that vary in the boxes."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A convolution, max pooling and two dense layers, random, in float32 and in int8."""
    import keras
    import tensorflow as tf
    from keras import layers
    from tests.factories.networks import chain

    # Layers draw their own seeds when they are made, before a chain of them is.
    keras.utils.set_random_seed(0)
    model = chain(
        SHAPE,
        layers.Conv2D(4, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(8, activation="relu6"),
        layers.Dense(3),
    )
    folder = tmp_path_factory.mktemp("tiny")
    given = np.random.default_rng(0).random((64, *SHAPE), np.float32)

    def representative() -> Iterator[list[np.ndarray]]:
        yield from ([row[None]] for row in given)

    for name in ("float", "int8"):
        converter = tf.lite.TFLiteConverter.from_keras_model(model)
        if name == "int8":
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            converter.representative_dataset = representative
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter.inference_input_type = converter.inference_output_type = tf.int8
        (folder / f"{name}.tflite").write_bytes(converter.convert())
    return folder / "float.tflite", folder / "int8.tflite"


def bounded(path: Path) -> BoundedNetwork:
    return BoundedNetwork.of(path, LiteRT(path).signature, SCALE)


@pytest.fixture(scope="module")
def decider(files: tuple[Path, Path]) -> Decider:
    pair = given_pair.load(PairFiles(original=files[0], compressed=files[1]))
    return Decider(Enumerator(pair, SCALE), [bounded(path) for path in files])


def boxes() -> Iterator[tuple[np.ndarray, ImageBox]]:
    """Images with boxes of three values, up to 8,000 members each."""
    rng = np.random.default_rng(5)
    for _ in range(25):
        image = rng.integers(0, 256, SHAPE).astype(np.uint8)
        low, high = image.copy(), image.copy()
        for place in PLACES:
            low.flat[place] = max(0, int(image.flat[place]) - rng.integers(11))
            high.flat[place] = min(255, int(image.flat[place]) + rng.integers(10))
        yield image, ImageBox(low, high)


def test_with_enough_boxes_each_decision_is_the_truth(decider: Decider) -> None:
    outcomes = set()
    for image, box in boxes():
        truth = bool(decider.enumerator.labels(box.members())[2].all())
        found = decider.decide(box, image, 10**4, np.random.default_rng(0))
        assert found.agree == truth
        if not truth:
            wrong = found.counterexample
            assert wrong is not None
            assert box.contains(wrong.image)
            [first], [second], [agree] = decider.enumerator.labels(wrong.image[None])
            assert (first, second, agree) == (wrong.label_original, wrong.label_compressed, False)
        outcomes.add((truth, found.boxes > 1))
    # Bounds alone settle some, others need halves.
    assert {(True, False), (True, True)} <= outcomes


def test_a_budget_ends_it_without_an_answer_but_never_with_a_wrong_one(decider: Decider) -> None:
    unknown = 0
    for image, box in boxes():
        truth = bool(decider.enumerator.labels(box.members())[2].all())
        found = decider.decide(box, image, 1, np.random.default_rng(0))
        assert found.boxes == 1
        assert truth or not found.agree
        assert not truth or found.counterexample is None
        unknown += not found.agree and found.counterexample is None
    assert unknown


def outside(path: Path) -> int:
    """Logits of all members of the boxes that bounds do not hold."""
    network, runtime = bounded(path), LiteRT(path)
    found = 0
    for _, box in boxes():
        logits, bounds = runtime(SCALE.of_levels(box.members())), network.logits(box)
        found += int(np.count_nonzero((logits < bounds.low) | (logits > bounds.high)))
    return found


def test_bounds_hold_all_logits_of_all_members(files: tuple[Path, Path]) -> None:
    assert [outside(path) for path in files] == [0, 0]


def test_bounds_without_rounding_of_int8_do_not(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arithmetic, "of_int8", lambda factor, step: Rounding(0.0, np.array(0.0), 0.0))
    assert outside(files[1]) > 0


def test_bounds_without_rounding_of_float32_do_not(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arithmetic, "of_float", lambda fan_in: Rounding(0.0, np.array(0.0), 0.0))
    network, runtime = bounded(files[0]), LiteRT(files[0])
    outer = 0
    for image, _ in boxes():
        [logits] = runtime(SCALE.of_levels(image[None]))
        bounds = network.logits(ImageBox(image, image))
        outer += int(np.count_nonzero((logits < bounds.low) | (logits > bounds.high)))
    assert outer > 0


def test_bounds_without_the_error_of_a_slope_do_not(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def line(x: Zonotope, low: float, high: float) -> Zonotope:
        # ReLU by its slope alone.
        slope = np.clip(x.high / np.maximum(x.high - x.low, 1e-12), 0, 1)
        return Zonotope(slope * x.centre, slope * x.generators, slope * x.box) if np.isfinite(low) else x

    monkeypatch.setattr(Zonotope, "clamped", line)
    assert outside(files[0]) > 0


def test_single_pixels_proven_are_those_that_enumeration_certifies(decider: Decider) -> None:
    rng = np.random.default_rng(8)
    found = set()
    [patch], [pixel] = asked("patch=1", SHAPE), asked("pixel", SHAPE)
    assert isinstance(patch, Boxes)
    assert isinstance(pixel, Neighbourhood)
    for number in range(6):
        image = rng.integers(0, 256, SHAPE).astype(np.uint8)
        *_, proof = Prover(decider, 1).run(patch, image, number, NEW)
        *_, state = decider.enumerator.run(pixel, image, State())
        outcomes = proof.outcome(patch.size), state.outcome(pixel.size)
        assert outcomes in {("proven", "certified"), ("counterexample", "counterexample")}
        if proof.image is not None:
            assert patch.contains(image, proof.counterexample(SHAPE))
        found.add(outcomes)
    assert found


def test_a_patch_is_no_larger_than_the_shorter_side_and_goes_with_nothing_else() -> None:
    for shape in ((6, 4, 1), (4, 6, 1)):
        [largest] = asked("patch=4", shape)
        assert isinstance(largest, Boxes)
        assert largest.size == 3
        with pytest.raises(QuantriftError, match="'patch=5'; give a whole number from 1 to 4"):
            asked("patch=5", shape)
    with pytest.raises(QuantriftError, match="'patch' goes with no other, as it is a box; put a comma there"):
        asked("patch=2+brightness=1", (6, 4, 1))
    with pytest.raises(QuantriftError, match="'patch=2' stands there twice; take one out"):
        asked("patch=2, patch=2", (6, 4, 1))


def test_a_proof_that_was_ended_goes_on_to_the_same_end(decider: Decider) -> None:
    [patch] = asked("patch=2", SHAPE)
    assert isinstance(patch, Boxes)
    image = np.random.default_rng(2).integers(0, 256, SHAPE).astype(np.uint8)
    whole = list(Prover(decider, 2).run(patch, image, 0, NEW))
    for proof in whole:
        again = list(Prover(decider, 2).run(patch, image, 0, proof)) or [proof]
        assert again[-1] == whole[-1]
    few = [NEW, *Prover(decider, 1).run(patch, image, 0, NEW)][-1]
    more = list(Prover(decider, 2).run(patch, image, 0, few)) or [few]
    assert more[-1] == whole[-1]
    assert Prover(decider, 2).left(patch, whole[-1]) == 0


def test_a_byte_at_a_tie_of_the_input_grid_keeps_both_numbers(files: tuple[Path, Path]) -> None:
    network = bounded(files[1])
    for image, _ in boxes():
        for level in (0, 127, 128, 255):
            one = np.full_like(image, level)
            logits = LiteRT(files[1])(SCALE.of_levels(one[None]))[0]
            bounds = network.logits(ImageBox(one, one))
            assert ((bounds.low <= logits) & (logits <= bounds.high)).all()
        break


@pytest.mark.parametrize("kind", ["range", "terms"])
def test_networks_that_bounds_cannot_hold_are_refused(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    patched = {"range": ("LARGEST_FLOAT", 1e-3), "terms": ("MOST_TERMS", 10)}[kind]
    monkeypatch.setattr(bounded_network, *patched)
    with pytest.raises(QuantriftError, match="too large for bounds"):
        bounded(files[0])


def test_chains_are_read_layer_by_layer(files: tuple[Path, Path]) -> None:
    for path in files:
        names = [type(layer).__name__ for layer in tflite_chain.read(path)[0]]
        wanted = ["Affine", "MaxPool", "Reshape", "Affine", "Affine"]
        assert [name for name in names if name != "Grid"] == wanted
