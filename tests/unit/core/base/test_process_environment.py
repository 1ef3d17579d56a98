"""Results do not depend on the variables and the configuration files of the shell that starts a run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quantrift.core.base.process_environment import DEFAULTS, SET, overruled
from quantrift.core.settings.networks import HybridSN

TRAIN = """
import sys
from pathlib import Path
if sys.argv[1] == "pinned":
    from quantrift.core.base import process_environment
    process_environment.pin()
from quantrift.core.settings.networks import HybridSN
from quantrift.core.networks.training.trained_network import train
train("hybridsn", HybridSN.model_validate_json(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
"""
KERAS = {"floatx": "float64", "epsilon": 0.001, "backend": "jax", "image_data_format": "channels_first"}
HOSTILE = {
    "KERAS_BACKEND": "jax",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3",
    "OMP_NUM_THREADS": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "XLA_FLAGS": "--no_such_flag",
}
THREADS = {name: value for name, value in SET.items() if name.endswith("_NUM_THREADS")}


@pytest.fixture
def clean(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has set nothing, and whose home is empty."""
    theirs = {
        name: value for name, value in os.environ.items() if name not in SET and name not in overruled(os.environ)
    }
    return theirs | {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "home")}


@pytest.fixture
def hostile(clean: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The same with variables and files that change results."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "keras.json").write_text(json.dumps(KERAS))
    (folder / "matplotlibrc").write_text("axes.grid: True\nsvg.fonttype: none\n")
    return clean | HOSTILE | {"KERAS_HOME": str(folder), "MATPLOTLIBRC": str(folder)}


@pytest.mark.slow
def test_pinned_training_writes_what_it_writes_where_nothing_is_set(
    clean: dict[str, str], hostile: dict[str, str], hybridsn_settings: HybridSN, scene_path: Path, tmp_path: Path
) -> None:
    settings = hybridsn_settings.model_dump_json()
    defaults = {path: path.read_bytes() for path in DEFAULTS.iterdir()}
    made = []
    for how, environment in (("as it is", clean | THREADS), ("pinned", hostile)):
        out = tmp_path / how
        command = [sys.executable, "-c", TRAIN, how, settings, str(scene_path), str(out)]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        made.append({path.name: path.read_bytes() for path in out.iterdir() if path.name != "model.timing.json"})
    assert "model.keras" in made[0]
    assert made[0] == made[1]
    assert defaults == {path: path.read_bytes() for path in DEFAULTS.iterdir()}, "Keras writes nothing there"


def test_figures_start_from_matplotlibs_own_settings(hostile: dict[str, str]) -> None:
    code = (
        "from quantrift.core.base import process_environment\nprocess_environment.pin()\nimport matplotlib as mpl\n"
        "print([key for key in mpl.rcParams if key != 'backend' and mpl.rcParams[key] != mpl.rcParamsDefault[key]])"
    )
    done = subprocess.run([sys.executable, "-c", code], env=hostile, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_pinning_leaves_alone_what_has_no_part_in_results(hostile: dict[str, str]) -> None:
    kept = {
        "CUDA_VISIBLE_DEVICES": "",
        "OPENBLAS_CORETYPE": "Haswell",
        "OPENBLAS_L2_SIZE": "1024",
        "QUANTRIFT_MIRROR": "/data",
        "TF_CLI_CONFIG_FILE": "terraform.rc",
        "TF_CPP_MIN_LOG_LEVEL": "0",
        "TF_FORCE_GPU_ALLOW_GROWTH": "true",
    }
    code = (
        "import json, os\nfrom quantrift.core.base import process_environment\n"
        "process_environment.pin()\nprocess_environment.pin()\n"
        "print(json.dumps([dict(os.environ), process_environment.ignored()]))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=hostile | kept, capture_output=True, text=True, check=True)
    found, ignored = json.loads(done.stdout)
    assert kept.items() <= found.items()
    assert SET.items() <= found.items()
    assert not overruled(found)
    assert set(ignored) == {*HOSTILE, "KERAS_HOME", "MATPLOTLIBRC"}


def test_pinning_loads_nothing_that_it_comes_too_late_for() -> None:
    code = (
        "import sys, quantrift.core.base.process_environment\nprint({'numpy', 'pydantic', 'keras'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
