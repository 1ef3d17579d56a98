"""The examples of the documentation run as they stand there."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.factories import targets
from tests.factories.places import ROOT

from quantrift.base import plugins
from quantrift.base.paths import Paths
from quantrift.plan.configuration_files import load
from quantrift.plan.result_files import Results
from quantrift.search.distortions import folders, images
from quantrift.search.messages import Ask, Problem, Search, Tell
from quantrift.search.space import Domain, Originals
from quantrift.search.spaces import hsi_distortions, image_distortions
from quantrift.tables import kinds as kinds_of_tables
from quantrift.targets import kinds


def blocks(page: str, language: str) -> list[str]:
    """Code blocks of one language on a page."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_yaml_examples_are_valid_configuration(tmp_path: Path) -> None:
    examples = blocks("configuration.md", "yaml")
    assert len(examples) == 8
    for number, example in enumerate(examples):
        overlay = tmp_path / f"{number}.yaml"
        overlay.write_text(example, encoding="utf-8")
        config = load(ROOT / "config", [ROOT / "config" / "config.yaml", overlay])
        assert set(yaml.safe_load(example)) <= set(type(config).model_fields)


def test_the_example_searcher_climbs() -> None:
    code, _, _ = blocks("extending.md", "python")
    module: dict[str, Any] = {"__name__": "hill_climb"}
    exec(code, module)
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


def test_the_example_of_a_distortion_is_one_of_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, code, _ = blocks("extending.md", "python")
    (tmp_path / "shear.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(images, "__path__", [*images.__path__, str(tmp_path)])
    for cached in (plugins.names, folders.in_order):
        cached.cache_clear()
    try:
        assert "shear" in folders.in_order("images")
        assert "shear" not in (image_distortions.Params().distortions or ())
        params = image_distortions.Params(distortions=("shear",))
        assert image_distortions.modules(params) == ["quantrift.search.distortions.images.shear"]
        space = image_distortions.bind(params, Domain((5, 5, 1), 0, 255))
    finally:
        for cached in (plugins.names, folders.in_order):
            cached.cache_clear()
    assert space.upper.tolist() == [1, np.float32(0.3)]
    upright = np.zeros((1, 5, 5, 1), np.float32)
    upright[:, :, 2] = 255
    # A vector may be beyond the bounds: half a pixel a line, so that whole ones show at the ends.
    [slid] = space.decode(np.array([[1, 0.5]], np.float32), Originals(upright), np.array([0]))
    assert slid[:, :, 0].argmax(axis=1)[[0, 2, 4]].tolist() == [3, 2, 1]


def test_the_example_of_a_table_is_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, code = blocks("extending.md", "python")
    (tmp_path / "found.py").write_text(code, encoding="utf-8")
    folder = tmp_path / "metrics.csv"
    folder.write_text("run_seed,n_dii\n0,3\n1,4\n", encoding="utf-8")
    monkeypatch.setattr(kinds_of_tables, "__path__", [*kinds_of_tables.__path__, str(tmp_path)])
    plugins.names.cache_clear()
    try:
        settings = kinds.load("found").Settings.model_validate({"kind": "found", "title": "Found", "from": ["rq1"]})
        results = Results(load(ROOT / "config", [ROOT / "config" / "config.yaml"]), Paths(tmp_path))
        keys = list(kinds.load("found").needs(settings, results)["metrics"])
        given = targets.given({"metrics": dict.fromkeys(keys, folder)}, {})
        stem = targets.table(tmp_path, given, kind="found", **{"from": ["rq1"]})
    finally:
        plugins.names.cache_clear()
    table = pd.read_csv(stem.with_suffix(".csv"))
    assert len(table) == len(keys) == 12
    assert set(table["n_dii"]) == {7}
    assert "| Dataset | Network | Compression | Tool | DIIs |" in targets.markdown(stem)


def answer(search: Search, fitness: np.ndarray) -> Ask | None:
    """The next ask of a search told that its one candidate is valid, or None when it ends."""
    nothing, label = np.zeros((1, 2), np.float32), np.zeros(1, np.int64)
    tell = Tell(np.zeros((1, 7, 7, 16), np.float32), np.array([True]), np.zeros(1), nothing, nothing, label, label,
                np.array([False]), fitness)  # fmt: skip
    try:
        return search.send(tell)
    except StopIteration:
        return None
