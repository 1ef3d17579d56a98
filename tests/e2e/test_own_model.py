"""The overlay for one's own data and networks, on the pair that comes with the package, at a tiny budget."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from tests.factories.places import CONFIG

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.files import sha256
from quantrift.judge.intake import example

pytestmark = pytest.mark.slow

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """config/own_model.yaml as its first lines say: paths and digests replaced; and smaller."""
    pair, arrays = example.paths(), read_arrays(example.paths().inputs)
    images, labels = np.rint(arrays["inputs"] * 255).astype(np.uint8), arrays["labels"].astype(np.uint8)
    data = tmp_path / "my_data.npz"
    write_arrays(data, {"x_train": images[:64], "y_train": labels[:64], "x_test": images[64:], "y_test": labels[64:]})
    config: dict[str, Any] = yaml.safe_load((CONFIG / "own_model.yaml").read_text(encoding="utf-8"))
    network = config["models"]["my_net"]
    for entry, name, path in (
        (config["datasets"]["my_data"], "file", data),
        (network, "original", pair.original),
        (network["compressed"], "my_int8", pair.int8),
    ):
        entry[name] = {"path": str(path), "sha256": sha256(path)}
    config["protocols"]["mine"] |= {"run_seeds": 2, "inputs": 5, "generations": 3}
    config["protocols"]["mine_first"] |= {"run_seeds": 2, "inputs": 6, "evaluations": 30}
    config["calibrations"]["my_strengths"] |= {"inputs": 5, "draws": 2, "compounds": 5}
    file = tmp_path / "overlay.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    return file


def test_a_users_pair_goes_through_the_workflow(overlay: Path, snakemake: Run) -> None:
    done = snakemake("--configfile", str(overlay))
    assert done.returncode == 0, done.stderr[-3000:]
    results = overlay.parent / "results" / "own_model"
    page = (results / "report.html").read_text(encoding="utf-8")
    for title in ("My network", "How often natural distortions make the models disagree"):
        assert title in page
    rates = (results / "tables" / "my_rates.csv").read_text(encoding="utf-8")
    assert {"my_int8", "ptq_dynamic"} <= {cell for line in rates.splitlines() for cell in line.split(",")}
    for name in ("models", "compression", "my_why", "my_minimal", "my_queries"):
        assert (results / "tables" / f"{name}.csv").is_file()
    for name in ("layer_errors", "my_gallery", "my_layers"):
        assert (results / "figures" / f"{name}.svg").is_file()
