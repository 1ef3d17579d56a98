"""Adversarial samples stay in range and move as far as asked; verdicts are those of the real files."""

import sys
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.evaluate import labels
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.adversarial_samples import attack
from quantrift.core.settings.attacks import Attack, CarliniWagner, FastGradient
from quantrift.study.compression.adversarial_labels import Verdicts, judge, read

FGSM = FastGradient(method="fast_gradient", radius=0.05, inputs=40)
CW = CarliniWagner(method="carlini_wagner", inputs=40, searches=2, steps=20, first=10)


def arrays(out: Path) -> tuple[np.ndarray, np.ndarray]:
    found = read_arrays(out)
    return found["numbers"], found["samples"]


@pytest.fixture(scope="module")
def made(trained: Path, tiny_scene: ScenePatches, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Samples of both attacks."""
    pytest.importorskip("foolbox")
    folder = tmp_path_factory.mktemp("samples")
    for name, settings in (("fgsm", FGSM), ("cw", CW)):
        attack(trained / "model.keras", tiny_scene, settings, folder / f"{name}.npz")
    return {name: folder / f"{name}.npz" for name in ("fgsm", "cw")}


def test_a_gradient_step_moves_each_value_by_the_radius_or_to_the_edge(
    made: dict[str, Path], tiny_scene: ScenePatches
) -> None:
    numbers, samples = arrays(made["fgsm"])
    low, high = tiny_scene.data_range
    assert samples.dtype == np.float32
    assert (samples.min(), samples.max()) >= (low, low)
    assert samples.max() <= high
    moved = np.abs(samples - tiny_scene.take(numbers))
    radius = FGSM.radius * (high - low)
    assert moved.max() == pytest.approx(radius, rel=1e-3)
    inner = (samples > low) & (samples < high) & (moved > 0)
    assert np.allclose(moved[inner], radius, rtol=1e-3)


def test_test_inputs_are_attacked_each_once(made: dict[str, Path], tiny_scene: ScenePatches) -> None:
    both = [arrays(file)[0].tolist() for file in made.values()]
    assert both[0] == both[1] == sorted(set(both[0]))
    assert len(both[0]) == 40
    assert set(both[0]) <= set(tiny_scene.test.tolist())


@pytest.mark.parametrize("name", ["fgsm", "cw"])
def test_samples_fool_the_network_more_often_than_inputs_do(
    made: dict[str, Path], trained: Path, tiny_scene: ScenePatches, name: str
) -> None:
    numbers, samples = arrays(made[name])
    network, truth = LiteRT(trained / "original.tflite"), tiny_scene.labels[numbers]
    right = [(labels(network(x)) == truth).mean() for x in (tiny_scene.take(numbers), samples)]
    assert right[1] < right[0] - 0.3


def test_the_smallest_change_is_smaller_than_the_step(made: dict[str, Path], tiny_scene: ScenePatches) -> None:
    norms = {}
    for name, file in made.items():
        numbers, samples = arrays(file)
        norms[name] = np.sqrt(np.square(samples - tiny_scene.take(numbers)).sum(axis=(1, 2, 3)))
    assert np.median(norms["cw"]) < np.median(norms["fgsm"])


def test_attacks_can_be_repeated(
    made: dict[str, Path], trained: Path, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    attack(trained / "model.keras", tiny_scene, CW, tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == made["cw"].read_bytes()


def test_verdicts_are_counts_over_the_real_files(
    trained: Path, compressed: Path, tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    numbers = tiny_scene.test[:60]
    x = tiny_scene.take(numbers)
    noise = np.random.default_rng(0).normal(size=x.shape).astype(np.float32)
    samples = (x + np.linspace(0, 4, len(x), dtype=np.float32).reshape(-1, 1, 1, 1) * noise).astype(np.float32)
    write_arrays(tmp_path / "samples.npz", {"numbers": numbers, "samples": samples})
    original, other = LiteRT(trained / "original.tflite"), LiteRT(compressed / "model.tflite")
    judge(tmp_path / "samples.npz", tiny_scene, original, other, tmp_path / "fgsm.json")
    found = read(tmp_path / "fgsm.json")
    truth = tiny_scene.labels[numbers]
    (first, second), (third, fourth) = ([labels(net(v)) for net in (original, other)] for v in (x, samples))
    assert found == Verdicts(
        attacked=60,
        differing_before=(first != second).sum(),
        fooled=((first == truth) & (third != truth)).sum(),
        differing=(third != fourth).sum(),
        fooled_differing=((first == truth) & (third != truth) & (third != fourth)).sum(),
        differing_anew=((third != fourth) & (first == second)).sum(),
    )
    assert 0 < found.differing < 60


def test_without_the_library_it_says_what_to_install(
    trained: Path, tiny_scene: ScenePatches, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "foolbox", None)
    with pytest.raises(QuantriftError, match=r"pip install quantrift\[attacks\]"):
        attack(trained / "model.keras", tiny_scene, FGSM, tmp_path / "x.npz")
    assert not list(tmp_path.iterdir())


def test_every_attack_says_how_many_inputs_it_takes() -> None:
    assert all(issubclass(one, Attack) for one in (FastGradient, CarliniWagner))
    assert FastGradient(method="fast_gradient").inputs == 10_000
