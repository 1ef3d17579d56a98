"""Tiny data and networks that several unit tests share; made once, never changed by a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.factories.shared import made_once

# Imported where they are used: not every room needs TensorFlow.
if TYPE_CHECKING:
    from quantrift.core.base.inputs import ScenePatches
    from quantrift.core.search.run import Files
    from quantrift.core.settings.networks import HybridSN


@pytest.fixture(scope="module", autouse=True)
def _readers_of_foreign_files() -> Iterator[None]:
    """Start them without the import of TensorFlow; another of this name in a room starts them as users do."""
    from tests.factories.warm_reader import start_forked

    from quantrift.core.networks.foreign.reader import ForeignFiles

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ForeignFiles, "_start", start_forked)
        yield


@pytest.fixture(scope="session")
def hybridsn_settings() -> HybridSN:
    """A HybridSN that trains in seconds."""
    from quantrift.core.settings.networks import HybridSN, Training

    training = Training(epochs=4, batch=16, learning_rate=0.005, decay=1e-4, seed=3)
    return HybridSN(width=0.25, patch=9, components=13, training=training)


@pytest.fixture(scope="session")
def tiny_scene() -> ScenePatches:
    """A scene of 16x16 pixels with three noisy classes in broad stripes; no validation inputs."""
    from quantrift.core.base.inputs import ScenePatches

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
    from quantrift.core.networks.training.trained_network import train

    return made_once(tmp_path_factory, "trained", lambda out: train("hybridsn", hybridsn_settings, scene_path, out))


@pytest.fixture(scope="session")
def compressed(trained: Path, scene_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of ``trained`` in 8 bits."""
    from quantrift.study.compression.build import build
    from quantrift.study.compression.methods.ptq_int8 import Settings as PtqInt8

    settings = PtqInt8(representative=50)
    return made_once(tmp_path_factory, "compressed", lambda out: build("ptq_int8", settings, trained, scene_path, out))


@pytest.fixture(scope="session")
def lay_out(scene_path: Path, trained: Path, compressed: Path) -> Callable[[Files], None]:
    """Put the tiny networks where the workflow would, and draw their seed inputs: 4 run seeds of 5 inputs."""
    from quantrift.core.base.inputs import Inputs
    from quantrift.core.networks.runtimes.litert import LiteRT
    from quantrift.core.pairs import seed_inputs

    def put(files: Files) -> None:
        for source, target in (
            (scene_path, files.inputs),
            (trained / "original.tflite", files.original),
            (compressed / "model.tflite", files.compressed),
        ):
            target.parent.mkdir(parents=True)
            target.write_bytes(source.read_bytes())
        inputs = Inputs.load(files.inputs)
        pool = seed_inputs.pool(inputs, LiteRT(files.original))
        seed_inputs.write(files.seeds, seed_inputs.draw(pool, "tiny", "hybridsn", 4, 5, overlap=False), inputs)

    return put


@pytest.fixture(scope="session")
def tiny_searches(lay_out: Callable[[Files], None], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Tool -> candidates tables of its two blocks of two run seeds of five inputs each, in a results folder.

    So lenient a PSNR that small networks disagree on something.
    """
    from tests.factories.records import SUBJECT, lenient

    from quantrift.core.base.paths import Paths
    from quantrift.core.base.seed_blocks import Block
    from quantrift.core.search.results_files import files_in
    from quantrift.core.search.run import Budget, Job, run

    paths = Paths(tmp_path_factory.mktemp("results"))
    found: dict[str, list[Path]] = {}
    for tool in ("random_feasible", "pso_div", "ga_div"):
        settings = lenient(tool)
        files = files_in(paths, SUBJECT, settings)
        if not found:
            lay_out(files)
        job = Job(SUBJECT, tool, settings, Budget(20), vectors={"sample": 20}, rows=256, memory_mb=200)
        folder = paths.searches(**SUBJECT, tool=tool)
        found[tool] = [folder / f"seeds_00{first}-00{first + 1}.parquet" for first in (0, 2)]
        for first, out in zip((0, 2), found[tool], strict=True):
            run(job, files, Block(range(first, first + 2)), out)
    return found
