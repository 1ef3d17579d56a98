"""Tiny data and networks that several unit tests share; made once, never changed by a test."""

from pathlib import Path

import numpy as np
import pytest

from quantrift.compression.build import build
from quantrift.config.compressions import PtqInt8
from quantrift.config.networks import HybridSN, Training
from quantrift.data.inputs import ScenePatches
from quantrift.models.train import train


@pytest.fixture(scope="session")
def hybridsn_settings() -> HybridSN:
    """A HybridSN that trains in seconds."""
    training = Training(epochs=4, batch=16, learning_rate=0.005, decay=1e-4, seed=3)
    return HybridSN(width=0.25, patch=9, components=13, training=training)


@pytest.fixture(scope="session")
def tiny_scene() -> ScenePatches:
    """A scene of 16x16 pixels with three noisy classes in broad stripes; no validation inputs."""
    rng = np.random.default_rng(0)
    classes = np.arange(16)[:, None] // 6 + np.zeros((16, 16), np.int64)
    spectra = rng.normal(size=(3, 13))
    scene = (spectra[classes] + 0.5 * rng.normal(size=(16, 16, 13))).astype(np.float32)
    order = rng.permutation(256)
    return ScenePatches(
        dataset="tiny",
        title="Tiny scene",
        class_names=["low", "middle", "high"],
        labels=classes.ravel(),
        train=np.sort(order[:100]),
        validation=np.empty(0, np.int64),
        test=np.sort(order[100:]),
        scene=scene,
        positions=np.argwhere(classes >= 0),
        patch=9,
    )


@pytest.fixture(scope="session")
def scene_path(tiny_scene: ScenePatches, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of ``tiny_scene``."""
    path = tmp_path_factory.mktemp("data") / "hybridsn.npz"
    tiny_scene.save(path)
    return path


@pytest.fixture(scope="session")
def trained(hybridsn_settings: HybridSN, scene_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the HybridSN trained on ``tiny_scene``."""
    out = tmp_path_factory.mktemp("trained")
    train("hybridsn", hybridsn_settings, scene_path, out)
    return out


@pytest.fixture(scope="session")
def compressed(trained: Path, scene_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of ``trained`` in 8 bits."""
    out = tmp_path_factory.mktemp("compressed")
    build("ptq_int8", PtqInt8(representative=50), trained, scene_path, out)
    return out
