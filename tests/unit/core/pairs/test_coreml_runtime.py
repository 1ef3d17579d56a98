"""Core ML runs its packages on macOS alone; coremltools is a stand-in here, as no Mac was at hand."""

import shutil
import sys
import zipfile
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks import coreml
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import PairFiles


class Model:
    """Core ML's model of a package: LiteRT's logits, one more each, so that it shows which of them ran."""

    network: LiteRT

    def __init__(self, folder: str, compute_units: str) -> None:
        assert (Path(folder) / "Manifest.json").is_file()
        assert compute_units == "processor"

    def predict(self, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        image = given[coreml.INPUT]
        assert len(image) == 1
        return {"logits": self.network(image).astype(np.float64) + 1}


@pytest.fixture
def package(trained: Path, compressed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compressed model with a package beside it, on a Mac."""
    model = Path(shutil.copy(compressed / "model.tflite", tmp_path))
    with zipfile.ZipFile(tmp_path / coreml.FILE, "w") as archive:
        archive.writestr("model.mlpackage/Manifest.json", "{}")
    library = ModuleType("coremltools")
    library.__spec__ = ModuleSpec("coremltools", None)
    vars(library).update(models=SimpleNamespace(MLModel=Model), ComputeUnit=SimpleNamespace(CPU_ONLY="processor"))
    monkeypatch.setitem(sys.modules, "coremltools", library)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(Model, "network", LiteRT(model), raising=False)
    return model


def logits(trained: Path, model: Path, scene_path: Path) -> np.ndarray:
    x = Inputs.load(scene_path).take(np.arange(3))
    return given_pair.load(PairFiles(original=trained / "original.tflite", compressed=model))(x).compressed


def test_on_macos_core_ml_runs_the_package_beside_a_model(package: Path, trained: Path, scene_path: Path) -> None:
    found = logits(trained, package, scene_path)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 1 + LiteRT(package)(Inputs.load(scene_path).take(np.arange(3))), rtol=1e-6)


@pytest.mark.parametrize("without", ["macOS", "coremltools", "a package"])
def test_elsewhere_the_weights_run_in_float(
    without: str, package: Path, trained: Path, scene_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if without == "macOS":
        monkeypatch.setattr(sys, "platform", "linux")
    elif without == "coremltools":
        monkeypatch.delitem(sys.modules, "coremltools")
        monkeypatch.setattr(coreml, "find_spec", lambda name: None)
    else:
        package.with_name(coreml.FILE).unlink()
    assert coreml.runnable(package) is None
    expected = LiteRT(package)(Inputs.load(scene_path).take(np.arange(3)))
    assert np.array_equal(logits(trained, package, scene_path), expected)
