"""Repair by data: trainings of a given network, and the option ``--retrain`` beside layers in float."""

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories.digit_networks import LIMITS

from quantrift.cli.main import main
from quantrift.core.base.arrays import read_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.given_training import GivenTraining
from quantrift.core.settings.training import Training
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_networks import original
from quantrift.judge.mend.builder import Manner, builder
from quantrift.judge.mend.mending import Mending, read
from quantrift.judge.mend.ranges import measured
from quantrift.judge.verdict.assessment import read as read_assessment

pytestmark = pytest.mark.slow

pytest.importorskip("ai_edge_quantizer.quantizer", reason="needs the extra mend")

TIMES = 150
"""Size of the weights of a channel that is always 0, against the largest of the others."""


def inputs() -> np.ndarray:
    return read_arrays(paths().inputs)["inputs"].astype(np.float32)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The example's original with a channel that one scale for each tensor cannot hold, and 8 bits of it."""
    folder = tmp_path_factory.mktemp("pair")
    network = keras.saving.load_model(paths().original, compile=False)
    second = [layer for layer in network.layers if isinstance(layer, layers.Conv2D)][1]
    kernel, bias = second.get_weights()
    kernel[..., 2], bias[2] = -TIMES * np.abs(kernel[..., :2]).max(), 0
    second.set_weights([kernel, bias])
    found = {"keras": folder / "blown_up.keras", "tflite": folder / "original.tflite", "8 bits": folder / "q.tflite"}
    network.save(found["keras"])
    with ForeignFiles() as files:
        original(found["keras"], folder, files)
    made = builder(found["tflite"], "litert", Manner(per_channel=False, float_border=True))
    ranges = measured(lambda: [made.values(inputs()[:64])])["min-max"]
    found["8 bits"].write_bytes(made.build((), ranges))
    return found


def words(pair: dict[str, Path], first: str, out: Path) -> list[str]:
    files = {"--original": pair[first], "--compressed": pair["8 bits"], "--inputs": paths().inputs, "--out": out}
    few = ("--seeds", "40", "--generations", "2", "--no-compare")
    return ["mend", *(word for option, path in files.items() for word in (option, str(path))), *LIMITS, *few]


@pytest.fixture(scope="module")
def out(pair: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mended") / "out"
    assert main([*words(pair, "keras", folder), "--retrain", "original", "--retrain", "compressed"]) == 0
    return folder


@pytest.fixture(scope="module")
def found(out: Path) -> Mending:
    return read(out)


def test_each_way_and_its_control_stand_beside_the_layers_in_float(found: Mending) -> None:
    names = [
        "original retrained",
        "original retrained, control",
        "compressed retrained",
        "compressed retrained, control",
    ]
    assert [one.network for one in found.retrained] == names
    assert [one.network for one in found.fresh] == ["as given", "all in 8 bits", "mended", *names]
    assert {one.order for one in found.curve} == {"disagreement", "mended", names[0], names[2]}
    by_name = {one.network: one for one in found.fresh}
    for one in found.retrained:
        row = by_name[one.network]
        assert (one.after, one.cases) == (row.events, row.cases)
        assert one.before == by_name["all in 8 bits"].events
        assert (row.kept, row.int8_mac_share, row.size) == (0, 1, by_name["all in 8 bits"].size)
        assert one.learned > 0
        assert one.given == found.split.calibration


def test_counts_are_those_that_the_written_networks_give(out: Path, found: Mending, pair: dict[str, Path]) -> None:
    fresh = read_arrays(out / "fresh.npz")
    x, truth = fresh["inputs"].astype(np.float32), fresh["labels"]
    first = LiteRT(pair["tflite"])(x).argmax(axis=1)
    disagreeing = {one.name: one.clean.disagreeing for one in read_assessment(out / "assessment").candidates}
    for one in found.retrained:
        if not one.files:
            assert one.network.endswith("control")
            assert one.verdict is None
            continue
        said = LiteRT(out / one.files[0])(x).argmax(axis=1)
        assert disagreeing[Path(one.files[0]).stem] == (said != first).sum()
        assert one.accuracy == (said == truth).mean()
        assert one.accuracy_original == (first == truth).mean()
        assert one.verdict is not None
    retrained = keras.saving.load_model(out / "original_retrained.keras", compile=False).predict(x, verbose=0)
    assert found.retrained[0].accuracy_retrained_original == (retrained.argmax(axis=1) == truth).mean()


def test_a_retrained_original_is_said_to_be_another_one(out: Path, found: Mending) -> None:
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "another original than blown_up.keras" in page
    first, _, third, _ = found.retrained
    assert first.original_changed is not None
    assert first.pair is not None
    assert (third.original_changed, third.pair, third.accuracy_retrained_original) == (None, None, None)


def test_an_original_that_cannot_be_trained_is_refused_before_anything_is_built(
    pair: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words(pair, "tflite", tmp_path / "out"), "--retrain", "original"]) == 2
    assert "--retrain trains the original, which no .tflite allows; give the .keras" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("rounded", [False, True])
def test_a_network_learns_what_it_is_taught_though_its_file_froze_it(tmp_path: Path, rounded: bool) -> None:
    x, folder = inputs()[:24], tmp_path
    before = keras.saving.load_model(paths().original, compile=False)
    before.trainable = False
    before.save(folder / "frozen.keras")
    labels = (before.predict(x, verbose=0).argmax(axis=1) + 1) % 10
    training = Training(epochs=300, batch=24, learning_rate=0.01)
    with GivenTraining() as process:
        made = process.train(folder / "frozen.keras", x, labels, training, rounded=rounded)
    (folder / "made.keras").write_bytes(made.keras)
    (folder / "made.tflite").write_bytes(made.tflite)
    after = keras.saving.load_model(folder / "made.keras", compile=False)
    assert (after.predict(x, verbose=0).argmax(axis=1) == labels).mean() > 0.8
    np.testing.assert_allclose(LiteRT(folder / "made.tflite")(x), after.predict(x, verbose=0), rtol=1e-3, atol=1e-3)
    assert [one.shape for one in after.get_weights()] == [one.shape for one in before.get_weights()]


def test_a_layer_that_cannot_be_rounded_is_named(tmp_path: Path) -> None:
    network = keras.Sequential(
        [keras.Input((8, 8, 1)), layers.DepthwiseConv2D(3, name="deep"), layers.Flatten(), layers.Dense(3)]
    )
    network.save(tmp_path / "deep.keras")
    x, labels = np.zeros((4, 8, 8, 1), np.float32), np.arange(4) % 3
    training = Training(epochs=1, batch=4, learning_rate=0.001)
    with GivenTraining() as process:
        process.train(tmp_path / "deep.keras", x, labels, training, rounded=False)
        with pytest.raises(QuantriftError, match=r"layer 'deep' \(DepthwiseConv2D\) has no fake-quantized form"):
            process.train(tmp_path / "deep.keras", x, labels, training, rounded=True)
