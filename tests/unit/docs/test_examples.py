"""The examples of the documentation run as they stand there."""

import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.factories import targets
from tests.factories.documents import blocks
from tests.factories.places import ROOT

from quantrift.core.base import plugins
from quantrift.core.base.archive import read_arrays
from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.networks import runtime
from quantrift.core.networks.architectures import mlp
from quantrift.core.networks.training.original import Original
from quantrift.core.search.distortions import compound
from quantrift.core.search.messages import Ask, Problem, Search, Tell
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import hsi_distortions, image_distortions
from quantrift.core.settings.networks import MLP
from quantrift.study.compression import method
from quantrift.study.compression.build import build
from quantrift.study.datasets import dataset_kind
from quantrift.study.datasets.official import Places
from quantrift.study.planning.configuration_files import load
from quantrift.study.planning.result_files import Results
from quantrift.study.results.targets import kinds


def example(file: str) -> str:
    """The module that a page on extending says is saved as ``file``."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    (code,) = re.findall(rf"```python\n((?:(?!```).)*)```\n\nSaved as `{re.escape(file)}`", text, re.DOTALL)
    return str(code)


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Adds the example of that file, its folder and name, to the plug-ins of a package."""
    added = []

    def add(package: str, file: str) -> None:
        (tmp_path / Path(file).name).write_text(example(file), encoding="utf-8")
        folder = import_module(package)
        monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
        plugins.names.cache_clear()
        added.append(f"{package}.{Path(file).stem}")

    yield add
    monkeypatch.undo()
    plugins.names.cache_clear()
    for name in added:
        sys.modules.pop(name, None)


def test_yaml_examples_are_valid_configuration(tmp_path: Path) -> None:
    examples = blocks("configuration.md", "yaml")
    assert len(examples) == 10
    for number, example in enumerate(examples):
        overlay = tmp_path / f"{number}.yaml"
        overlay.write_text(example, encoding="utf-8")
        config = load(ROOT / "config", [ROOT / "config" / "config.yaml", overlay])
        assert set(yaml.safe_load(example)) <= set(type(config).model_fields)


def test_the_example_searcher_climbs() -> None:
    module: dict[str, Any] = {"__name__": "hill_climb"}
    exec(example("searchers/hill_climb.py"), module)
    space = hsi_distortions.bind(hsi_distortions.Params(), Domain((7, 7, 16), 0, 1))
    rng = np.random.default_rng(0)
    problem = Problem("d", 0, (0,), np.zeros((1, 7, 7, 16), np.float32), (0,), space, generations=5)
    search = module["search"](problem, module["Params"](), rng)
    ask: Ask | None = next(search)
    asked = 0
    while ask is not None:
        asked += 1
        assert ask.candidates.shape == (1, *space.shape)
        assert np.all((ask.candidates >= space.lower) & (ask.candidates <= space.upper))
        ask = answer(search, np.array([[-np.abs(ask.candidates).sum()]]))
    assert asked == 5


def test_the_example_of_a_distortion_is_one_of_images(plug_in: Callable[[str, str], None]) -> None:
    compound.in_order.cache_clear()
    plug_in("quantrift.core.search.distortions.images", "images/shear.py")
    try:
        assert "shear" in compound.in_order("images")
        assert "shear" not in (image_distortions.Params().distortions or ())
        params = image_distortions.Params(distortions=("shear",))
        assert image_distortions.modules(params) == ["quantrift.core.search.distortions.images.shear"]
        space = image_distortions.bind(params, Domain((5, 5, 1), 0, 255))
    finally:
        compound.in_order.cache_clear()
    assert space.upper.tolist() == [1, np.float32(0.3)]
    upright = np.zeros((1, 5, 5, 1), np.float32)
    upright[:, :, 2] = 255
    # A vector may be beyond the bounds: half a pixel a line, so that whole ones show at the ends.
    [slid] = space.decode(np.array([[1, 0.5]], np.float32), Originals(upright), np.array([0]))
    assert slid[:, :, 0].argmax(axis=1)[[0, 2, 4]].tolist() == [3, 2, 1]


def test_the_example_of_a_table_is_a_kind(tmp_path: Path, plug_in: Callable[[str, str], None]) -> None:
    plug_in("quantrift.study.results.tables.kinds", "study/results/tables/kinds/found.py")
    folder = tmp_path / "metrics.csv"
    folder.write_text("run_seed,n_dii\n0,3\n1,4\n", encoding="utf-8")
    settings = kinds.load("found").Settings.model_validate({"kind": "found", "title": "Found", "from": ["rq1"]})
    results = Results(load(ROOT / "config", [ROOT / "config" / "config.yaml"]), Paths(tmp_path))
    keys = list(kinds.load("found").needs(settings, results)["metrics"])
    given = targets.given({"metrics": dict.fromkeys(keys, folder)}, {})
    stem = targets.table(tmp_path, given, kind="found", **{"from": ["rq1"]})
    table = pd.read_csv(stem.with_suffix(".csv"))
    assert len(table) == len(keys) == 12
    assert set(table["n_dii"]) == {7}
    assert "| Dataset | Network | Compression | Tool | DIIs |" in targets.markdown(stem)
    [code] = [block for block in blocks("extending.md", "python") if "answer = " in block]
    module = kinds.load("found")
    exec(code, module.__dict__)
    targets.table(tmp_path, given, kind="found", **{"from": ["rq1"]})
    first, *_ = read_json(stem.with_suffix(".columns.json"))["answer"]
    assert first.startswith(
        "sim_pavia \u00b7 hybridsn \u00b7 ptq_int8: 7 difference-inducing inputs with random, 7 with "
    )


@pytest.mark.slow
def test_the_example_of_a_method_compresses(
    trained: Path, scene_path: Path, tmp_path: Path, plug_in: Callable[[str, str], None]
) -> None:
    plug_in(method.FOLDER, "study/compression/methods/powers_of_two.py")
    assert {"powers_of_two", "ptq_int8"} <= {one.model_fields["method"].default for one in method.all_settings()}
    settings = method.settings({"method": "powers_of_two", "smallest": -3, "max_accuracy_loss": 1})
    build("shifts", settings, trained, scene_path, tmp_path / "shifts")
    facts = read_json(tmp_path / "shifts" / "compression.json")
    assert facts["settings"]["smallest"] == -3
    made_of = method.load("powers_of_two").compress(Original(trained), Inputs.load(scene_path), settings)
    assert made_of.content == (tmp_path / "shifts" / "model.tflite").read_bytes()
    assert made_of.content != (trained / "original.tflite").read_bytes()


def test_the_example_of_a_dataset_is_made_as_it_announces(tmp_path: Path, plug_in: Callable[[str, str], None]) -> None:
    plug_in(dataset_kind.FOLDER, "study/datasets/kinds/checkerboards.py")
    stated = {"kind": "checkerboards", "title": "Boards", "class_names": ["fine", "medium", "coarse"]}
    settings = dataset_kind.settings(stated)
    dataset_kind.build(settings, Places(), tmp_path / "source.npz")
    found = read_arrays(tmp_path / "source.npz")
    assert found["images"].shape == (300, 28, 28, settings.channels)
    assert found["images"].dtype == np.uint8
    assert (len(found["train"]), len(found["test"])) == settings.split_sizes == (150, 150)
    assert not np.intersect1d(found["train"], found["test"]).size
    assert set(found["labels"]) == {0, 1, 2}


def test_the_example_of_a_runtime_runs_originals(tmp_path: Path, plug_in: Callable[[str, str], None]) -> None:
    plug_in("quantrift.core.networks.runtimes", "core/networks/runtimes/dense.py")
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text("compressions: {tflite_float: {original_runtime: dense}}\n", encoding="utf-8")
    network = mlp.build(MLP(width=0.05), (8, 8, 3), 4)
    x = np.random.default_rng(0).random((40, 8, 8, 3), np.float32)
    path = tmp_path / runtime.module("dense").ORIGINAL
    path.write_bytes(runtime.module("dense").export(network))
    assert runtime.runtime_of(path) == "dense"
    loaded = runtime.load_runtime("dense", path, batch=7)
    config = load(ROOT / "config", [ROOT / "config" / "config.yaml", overlay])
    assert config.original_runtime("tflite_float") == "dense"
    assert (loaded.input_shape, loaded.classes) == ((8, 8, 3), 4)
    np.testing.assert_allclose(loaded(x), network.predict_on_batch(x), atol=1e-5)
    np.testing.assert_array_equal(loaded(x)[3:5], loaded(x[3:5]))
    assert loaded(x[:0]).shape == (0, 4)


@pytest.mark.slow
def test_the_example_of_a_function_is_assessed_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _, code, of_task, of_two_inputs = blocks("formats.md", "python")
    module: dict[str, Any] = {}
    exec(code, module)
    verdict, replayed = capsys.readouterr().out.splitlines()
    assert "on_my_server is a function called from Python" in verdict
    assert replayed == "True"
    assert (tmp_path / "assessment" / "report.html").is_file()
    exec(of_task, module)
    assert "exact and coarse are functions called from Python" in capsys.readouterr().out
    assert (tmp_path / "assessment_of_task" / "report.html").is_file()
    exec(of_two_inputs, module)
    assert capsys.readouterr().out.splitlines()[-1] == "image ['gain']"
    assert (tmp_path / "assessment_of_two_inputs" / "report.html").is_file()


def answer(search: Search, fitness: np.ndarray) -> Ask | None:
    """The next ask of a search told that its one candidate is valid, or None when it ends."""
    nothing, label = np.zeros((1, 2), np.float32), np.zeros(1, np.int64)
    tell = Tell(np.zeros((1, 7, 7, 16), np.float32), np.array([True]), np.zeros(1), nothing, nothing, label, label,
                np.array([False]), fitness)  # fmt: skip
    try:
        return search.send(tell)
    except StopIteration:
        return None
