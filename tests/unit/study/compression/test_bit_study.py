"""Networks of a bit study: their results file, and each depends on its own name alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.factories import inputs
from tqdm import tqdm

from quantrift.core.base.archive import read_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.evaluate import labels, logits
from quantrift.core.networks.training.compiled_training import CompiledTraining
from quantrift.core.settings.bit_studies import BitTraining
from quantrift.core.settings.compressions import Heterogeneous as CommonHeterogeneous
from quantrift.core.settings.networks import MLP, Training
from quantrift.study.compression.bits import side_by_side
from quantrift.study.compression.bits.bit_networks import restored
from quantrift.study.compression.bits.bit_study import train
from quantrift.study.compression.bits.bit_training import Job, Trainer
from quantrift.study.compression.bits.rounding import rounded
from quantrift.study.compression.methods.heterogeneous import Settings as Heterogeneous
from quantrift.study.compression.methods.homogeneous import Settings as Homogeneous

pytestmark = pytest.mark.slow

SETTINGS: dict[str, Homogeneous | Heterogeneous] = {
    "equal_2": Homogeneous(bits=2),
    "drawn": Heterogeneous(bits=(3, 9), shares=(0.6, 0.4), budget=6),
    "float": Homogeneous(bits=32),
}
FILES = ["accuracies.parquet", "drawn.parquet", "history.parquet", "networks.npz"]
SHAPES = [(64, 26), (26, 26), (26, 3)]


@pytest.fixture(scope="module")
def inputs_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images of three noisy patterns."""
    rng = np.random.default_rng(0)
    truth = np.arange(90) % 3
    patterns = rng.integers(0, 150, (3, 8, 8, 1))
    path = tmp_path_factory.mktemp("data") / "mlp.npz"
    pixels = patterns[truth] + rng.integers(0, 100, (90, 8, 8, 1))
    names, train, test = ["one", "two", "three"], np.arange(60), np.arange(60, 90)
    inputs.images(pixels, truth, names, dataset="patterns", train=train, test=test).save(path)
    return path


def job(settings: dict[str, Any] | None = None, repetitions: int = 2, **how: Any) -> Job:
    training = Training(epochs=2, batch=16, learning_rate=0.003)
    trained = BitTraining(training=training, width=0.05, **how)
    wanted = SETTINGS if settings is None else settings
    networks = [(setting, repetition) for setting in wanted for repetition in range(repetitions)]
    return Job("patterns", "mlp", MLP(), trained, wanted, networks, 0)


@pytest.fixture(scope="module")
def study(inputs_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study")
    train(job(), inputs_path, out)
    return out


def table(study: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(study / f"{name}.parquet")


def kernels(study: Path) -> dict[tuple[str, int], list[np.ndarray]]:
    """Weights of each network."""
    return {(setting, number): network.get_weights() for setting, number, network in restored(study / "networks.npz")}


def test_every_file_has_each_network_and_nothing_else_is_left(study: Path) -> None:
    keys = [(setting, number) for setting in SETTINGS for number in (0, 1)]
    assert sorted(path.name for path in study.iterdir()) == sorted([*FILES, "networks.timing.json"])
    for name in ("accuracies", "drawn", "history"):
        found = table(study, name)
        assert list(dict.fromkeys(zip(found["setting"], found["repetition"], strict=True))) == keys
    assert list(kernels(study)) == keys
    accuracies = table(study, "accuracies")
    assert set(accuracies["attack"]) == {"none"}
    assert set(accuracies["strength"]) == {0.0}
    assert set(accuracies["inputs"]) == {30}
    history = table(study, "history")
    assert history["epoch"].tolist() == [1, 2] * len(keys)
    assert history["accuracy"].between(0, 1).all()


def test_restored_networks_label_as_many_inputs_correctly_as_is_written(study: Path, inputs_path: Path) -> None:
    inputs = Inputs.load(inputs_path)
    found = []
    for _, _, network in restored(study / "networks.npz"):
        said = labels(logits(network.predict_on_batch, inputs, inputs.test))
        found.append(int((said == inputs.labels[inputs.test]).sum()))
    assert found == table(study, "accuracies")["correct"].tolist()
    assert max(found) > 20


def test_each_weight_stands_on_a_level_of_its_bits(study: Path) -> None:
    arrays = read_arrays(study / "networks.npz")
    for (setting, number), weights in kernels(study).items():
        for place, shape in zip((0, 2, 4), SHAPES, strict=True):
            bits = np.broadcast_to(arrays[f"{setting}/{number}/{place}.bits"], shape)
            assert weights[place].shape == shape
            np.testing.assert_allclose(weights[place], rounded(weights[place], bits), rtol=0, atol=3e-7)
    assert np.unique(kernels(study)["equal_2", 0][0]).tolist() == pytest.approx([-1 / 3, 1 / 3])
    assert len(np.unique(kernels(study)["float", 0][0])) > 1000


def test_bits_drawn_are_counted_and_differ_between_repetitions(study: Path) -> None:
    drawn = table(study, "drawn")
    weights = sum(rows * columns for rows, columns in SHAPES)
    assert set(drawn.groupby(["setting", "repetition"])["weights"].sum()) == {weights}
    assert set(drawn[drawn["setting"] == "equal_2"]["bits"]) == {2}
    own = drawn[drawn["setting"] == "drawn"].pivot(index="repetition", columns="bits", values="weights")
    np.testing.assert_allclose(own[3] / weights, 0.6, atol=0.05)
    arrays = read_arrays(study / "networks.npz")
    assert (arrays["drawn/0/0.bits"] != arrays["drawn/1/0.bits"]).any()
    assert (arrays["float/0/0"] != arrays["float/1/0"]).any()


def test_a_network_does_not_depend_on_what_else_is_trained(study: Path, inputs_path: Path, tmp_path: Path) -> None:
    train(job({"drawn": SETTINGS["drawn"]}, repetitions=1), inputs_path, tmp_path)
    whole, alone = read_arrays(study / "networks.npz"), read_arrays(tmp_path / "networks.npz")
    for name in alone.keys() - {"about"}:
        assert alone[name].tobytes() == whole[name].tobytes(), name


def test_an_interrupted_job_keeps_what_is_finished_and_ends_with_the_same_bytes(
    study: Path, inputs_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = CompiledTraining.fit
    trained: list[str] = []

    def interrupted(*arguments: Any) -> Any:
        trained.append(arguments[3].name)
        if len(trained) == 4:
            raise KeyboardInterrupt
        return fit(*arguments)

    monkeypatch.setattr(CompiledTraining, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(job(), inputs_path, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["training"]
    train(job(), inputs_path, tmp_path)
    # The fourth began twice, and nothing else did.
    assert [trained.count(name) for name in dict.fromkeys(trained)] == [1, 1, 1, 2, 1, 1]
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (study / name).read_bytes(), name


def test_side_by_side_they_are_the_same_bytes(study: Path, inputs_path: Path, tmp_path: Path) -> None:
    train(job(), inputs_path, tmp_path, at_once=4)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*FILES, "networks.timing.json"])
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (study / name).read_bytes(), name


def test_side_by_side_every_network_is_trained_once_and_in_another_process(
    inputs_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CompiledTraining, "fit", lambda *_: pytest.fail("trains here"))
    side_by_side.train(job({"equal_2": SETTINGS["equal_2"]}), inputs_path, tmp_path, 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["equal_2.0.npz", "equal_2.1.npz"]


def test_a_mistake_of_one_process_is_that_of_the_job(inputs_path: Path, tmp_path: Path) -> None:
    greedy = {"greedy": Heterogeneous(bits=(3, 9), shares=(0.5, 0.5), budget=4)}
    with pytest.raises(QuantriftError, match="^[^:]*exceeds the budget of 4"):
        side_by_side.train(job(greedy, 1), inputs_path, tmp_path, 2)


def test_a_job_of_plain_values_is_the_same_job() -> None:
    plain = json.loads(json.dumps(side_by_side.plain(job(inputs=20))))
    again = side_by_side.job_of(plain)
    assert side_by_side.plain(again) == plain
    assert (again.networks, again.how) == (job().networks, job(inputs=20).how)
    drawn = again.settings["drawn"]
    assert isinstance(drawn, CommonHeterogeneous)
    assert (drawn.bits, drawn.shares, drawn.budget) == ((3, 9), (0.6, 0.4), 6)


def test_what_another_job_finished_is_not_taken(
    inputs_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"equal_2": SETTINGS["equal_2"]}
    with tqdm(disable=True) as progress:
        own, other, limited = (
            Trainer(one, inputs_path, tmp_path)
            for one in (job(settings), replace(job(settings), seed=1), job(settings, inputs=20))
        )
        finished = own.trained("equal_2", 0, progress)
        monkeypatch.setattr(CompiledTraining, "fit", lambda *_: pytest.fail("trains"))
        again = Trainer(job(settings), inputs_path, tmp_path).trained("equal_2", 0, progress)
        assert again.correct == finished.correct
        assert again.history == finished.history
        assert again.drawn == finished.drawn
        assert {name: value.tobytes() for name, value in again.weights.items()} == {
            name: value.tobytes() for name, value in finished.weights.items()
        }
        for trainer in (other, limited):
            with pytest.raises(pytest.fail.Exception, match="trains"):
                trainer.trained("equal_2", 0, progress)


def test_training_inputs_are_drawn_once_for_all_networks(inputs_path: Path, tmp_path: Path) -> None:
    limited = [Trainer(job(inputs=number), inputs_path, tmp_path).inputs.train for number in (20, 20, 99)]
    assert limited[0].tolist() == limited[1].tolist() == sorted(set(limited[0].tolist()))
    assert [len(one) for one in limited] == [20, 20, 60]


def test_bits_beyond_the_budget_end_the_job(inputs_path: Path, tmp_path: Path) -> None:
    greedy = {"greedy": Heterogeneous(bits=(3, 9), shares=(0.5, 0.5), budget=4)}
    with pytest.raises(QuantriftError, match="exceeds the budget of 4"):
        train(job(greedy, 1), inputs_path, tmp_path)


def test_kernels_of_many_bits_are_kept_in_float(study: Path) -> None:
    arrays = read_arrays(study / "networks.npz")
    assert arrays["equal_2/0/0.levels"].dtype == np.uint8
    assert arrays["drawn/0/0.levels"].dtype == np.uint16
    assert arrays["float/0/0"].dtype == np.float32
