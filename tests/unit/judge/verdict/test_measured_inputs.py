"""Tables and signals are assessed from files to a replayed verdict, and their disagreements are drawn as they are."""

from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers
from matplotlib.figure import Figure
from tests.factories.networks import chain
from tests.factories.new_builds import on_given

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs, MeasuredStack
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.search.records.replaying import replay
from quantrift.judge.intake.input_form import InputForm
from quantrift.judge.verdict.charts import draw_row
from quantrift.judge.verdict.new_build import still
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

TINY = Size(seeds=4, generations=2, queries=20, vectors=2, shrunk=2, layer_inputs=4)


def inputs_of(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Rows with three numbers and three one-hot columns, tones of two channels, or their energies in twelve bins."""
    if kind == "table":
        return np.concatenate([rng.normal(size=(40, 3)), np.eye(3)[np.arange(40) % 3]], axis=1).astype(np.float32)
    if kind == "spectrogram":
        bins, centre = np.arange(12), rng.uniform(0, 12, (40, 32, 1))
        found: np.ndarray = np.exp(-((bins - centre) ** 2) / 4).astype(np.float32)
        return found[..., None]
    phase = 2 * np.pi * rng.uniform(0.02, 0.2, (40, 1)) * np.arange(32)
    return np.stack([np.sin(phase), np.cos(phase)], axis=2).astype(np.float32)


FIRST = {
    "table": [layers.Dense(8, "relu")],
    "signal": [layers.Conv1D(8, 5, activation="relu"), layers.GlobalAveragePooling1D()],
    "spectrogram": [layers.Conv2D(8, 5, activation="relu"), layers.GlobalAveragePooling2D()],
}
FORMS = {"spectrogram": InputForm(layout="channels_last")}
READ = {
    "table": "rows of a table with 6 features",
    "signal": "signals of 32 steps and 2 channels",
    "spectrogram": "signals of 32 steps and 12 channels",
}


@pytest.mark.parametrize("kind", READ)
@pytest.mark.slow
def test_from_files_to_a_verdict_that_can_be_replayed(kind: str, tmp_path: Path) -> None:
    x = inputs_of(kind, np.random.default_rng(0))
    # Layers draw their own seeds when they are made.
    keras.utils.set_random_seed(0)
    first = [layer.__class__.from_config(layer.get_config()) for layer in FIRST[kind]]
    model = chain(x.shape[1:], *first, layers.Dense(3, kernel_initializer="random_normal"))

    def in_8_bits(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([row[None]] for row in x)

    (tmp_path / "net.tflite").write_bytes(to_tflite(model))
    (tmp_path / "int8.tflite").write_bytes(to_tflite(model, in_8_bits))
    write_arrays(tmp_path / "x.npz", {"x": x})
    out = tmp_path / "out"
    paths = tmp_path / "net.tflite", [tmp_path / "int8.tflite"], tmp_path / "x.npz"
    # Nothing but the user tells a spectrogram from a picture.
    space = "spectrogram_distortions" if kind == "spectrogram" else None
    form = FORMS.get(kind, InputForm())
    found = assess(*paths, out, Settings(size=TINY, space=space, form=form))
    assert (found.inputs.kind, found.space) == ("table" if kind == "table" else "signal", f"{kind}_distortions")
    assert any(line.startswith("ranges: those of the 40 inputs given") for line in found.assumed)
    if kind == "table":
        assert any(line.startswith("categories: columns 3 to 5, told from") for line in found.assumed)
    [one] = found.candidates
    for tool in one.tools:
        assert tool.valid == tool.evaluations > 0
        assert replay(out / tool.records).complete
    stored = read_arrays(out / one.dii_file)["inputs"]
    assert stored.shape[1:] == found.inputs.shape
    again = still(out / one.dii_file, paths[1][0], paths[0], form)
    assert len(again.rows) == len(stored)
    assert on_given(again.judgements) == on_given(one.judgements)
    text = (out / "report.html").read_text(encoding="utf-8")
    assert READ[kind] in text
    for wrong, said in (
        (InputForm(range=(0, 1)), "are for images"),
        (InputForm(categories=((99,),)), "columns are 0 to 5" if kind == "table" else "--categories is for tables"),
    ):
        with pytest.raises(QuantriftError, match=said):
            assess(
                *paths, tmp_path / "other", Settings(size=TINY, space=space, form=replace(wrong, layout=form.layout))
            )


def stack(kind: str, values: np.ndarray) -> Inputs:
    every = np.arange(len(values))
    return MeasuredStack(
        dataset="given",
        title="Given",
        class_names=["a"],
        labels=0 * every,
        train=every,
        validation=every[:0],
        test=every,
        values=values,
        kind=kind,  # type: ignore[arg-type]
        names=["age", "height"] if kind == "table" else [],
        category=np.full(values.shape[3], -1),
    )


def test_a_row_of_a_table_is_shown_as_its_changed_features_and_a_signal_as_lines(tmp_path: Path) -> None:
    axes = Figure().subplots(3, 3)
    table = np.array([[[[1, 10]]], [[[3, 20]]]], np.float32)
    changed = table[0] + np.array([0, 5], np.float32)
    draw_row(axes[0], table[0], changed, stack("table", table))
    [text] = [text.get_text() for text in axes[0][0].texts]
    assert "age" not in text
    assert text.split() == ["height", "10", "→", "15", "50.0", "%", "of", "its", "range"]
    signals = np.random.default_rng(0).normal(size=(2, 1, 30, 2)).astype(np.float32)
    draw_row(axes[1], signals[0], signals[1], stack("signal", signals))
    for axis, expected in zip(axes[1], (signals[0], signals[1], signals[1] - signals[0]), strict=True):
        drawn = np.stack([line.get_ydata() for line in axis.lines], axis=1)
        np.testing.assert_array_equal(drawn, expected[0])
        assert not axis.images
    bins = np.random.default_rng(0).normal(size=(2, 1, 30, 9)).astype(np.float32)
    draw_row(axes[2], bins[0], bins[1], stack("signal", bins))
    assert axes[2][0].images[0].get_array().shape == (9, 30)
    saved = stack("table", table)
    saved.save(tmp_path / "inputs.npz")
    again = Inputs.load(tmp_path / "inputs.npz")
    assert again.table == saved.table
    assert again.channel_ranges == ((1, 3), (10, 20))
