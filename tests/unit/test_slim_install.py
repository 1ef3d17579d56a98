"""An installation without extras compares .tflite and .onnx files; what it lacks, it names in one line."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.factories.places import PACKAGE, ROOT

from quantrift.cli.main import COMMANDS, main
from quantrift.core import base
from quantrift.core.base import extras
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks import versions
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.search.record_columns import settings
from quantrift.judge.intake import example

# Matplotlib brings packaging; SciPy takes a torch that is marked as absent for one that is loaded.
ABSENT = sorted({*extras.PACKAGES} - {"packaging", "torch"})
"""Import names of what only extras install."""
RUN = """
import json, sys
from quantrift.cli.main import main
code = main(sys.argv[1:])
print(json.dumps({"code": code, "loaded": sorted({name.partition(".")[0] for name in sys.modules})}))
"""
HELP = f"""
import json
from contextlib import redirect_stdout
from io import StringIO
from quantrift.cli.main import main

def code(name):
    with redirect_stdout(StringIO()):
        try:
            return main([name, "--help"])
        except SystemExit as end:
            return end.code

print(json.dumps({{name: code(name) for name in {list(COMMANDS)}}}))
"""


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path, Path]]:
    """Ending -> original, compressed network and inputs."""
    pair, folder = example.paths(), tmp_path_factory.mktemp("pairs")
    with np.load(pair.inputs, allow_pickle=False) as file:
        np.savez(folder / "inputs.npz", inputs=file["inputs"])
    rng = np.random.default_rng(0)
    filters, dense = (rng.standard_normal(shape).astype(np.float32) for shape in ((8, 1, 5, 5), (8, 10)))
    onnx_file(folder / "original.onnx", filters, dense)
    onnx_file(folder / "rounded.onnx", filters.round(1), dense.round(1))
    return {
        ".tflite": (pair.dynamic, pair.int8, pair.inputs),
        ".keras": (pair.original, pair.int8, pair.inputs),
        ".onnx": (folder / "original.onnx", folder / "rounded.onnx", folder / "inputs.npz"),
    }


def onnx_file(path: Path, filters: np.ndarray, dense: np.ndarray) -> None:
    """A convolution, its mean over space, and logits of that."""
    onnx = pytest.importorskip("onnx")
    make, value = onnx.helper, onnx.numpy_helper.from_array
    graph = make.make_graph(
        [
            make.make_node("Conv", ["x", "filters"], ["convolved"]),
            make.make_node("Relu", ["convolved"], ["positive"]),
            make.make_node("GlobalAveragePool", ["positive"], ["mean"]),
            make.make_node("Flatten", ["mean"], ["flat"]),
            make.make_node("MatMul", ["flat", "dense"], ["logits"]),
        ],
        "network",
        [make.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 1, 28, 28])],
        [make.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, ["n", 10])],
        [value(filters, "filters"), value(dense, "dense")],
    )
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())


@pytest.fixture
def slim(tmp_path: Path) -> dict[str, str]:
    """Environment variables with which neither a command nor its processes find a package of an extra."""
    folder = tmp_path / "slim"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({ABSENT}))\n")
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(PACKAGE.parent)])}


def assessed(
    pair: tuple[Path, Path, Path], out: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    original, compressed, inputs = map(str, pair)
    given = ["--original", original, "--compressed", compressed, "--inputs", inputs, "--out", str(out)]
    command = [sys.executable, "-c", RUN, "assess", *given, "--seeds", "4", "--generations", "2"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("ending", [".tflite", ".keras", ".onnx"])
@pytest.mark.slow
def test_files_are_compared_where_no_extra_is_installed(
    ending: str, pairs: dict[str, tuple[Path, Path, Path]], slim: dict[str, str], tmp_path: Path
) -> None:
    done = assessed(pairs[ending], tmp_path / "out", slim)
    assert done.stdout.startswith(("PASS", "FAIL", "INCONCLUSIVE")), done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["code"] in (0, 1, 3)
    assert (tmp_path / "out" / "report.html").is_file()
    records = [str(file) for file in sorted((tmp_path / "out").rglob("seeds_*.npz")) if "searches" not in file.name]
    assert len(records) == 2
    again = subprocess.run(
        [sys.executable, "-c", RUN, "replay", *records], env=slim, capture_output=True, text=True, check=True
    )
    assert json.loads(again.stdout.splitlines()[-1])["code"] == 0, again.stderr
    assert list((tmp_path / "out").rglob("*.parquet")) == []


def test_records_in_parquet_name_the_extra_that_reads_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "quantrift.core.base.table_parquet", raising=False)
    monkeypatch.delattr(base, "table_parquet", raising=False)
    with pytest.raises(QuantriftError) as error:
        settings(tmp_path / "seeds_000.parquet")
    assert str(error.value) == "seeds_000.parquet needs pyarrow; pip install 'quantrift[workflow]'"


@pytest.mark.parametrize(
    ("ending", "other"),
    [
        (".tflite", {"onnx", "onnxruntime"}),
        (".keras", {"h5py", "onnx", "onnxruntime"}),
        (".onnx", {"ai_edge_litert", "flatbuffers"}),
    ],
)
@pytest.mark.slow
def test_where_extras_are_installed_a_comparison_loads_none_of_their_packages(
    ending: str, other: set[str], pairs: dict[str, tuple[Path, Path, Path]], tmp_path: Path
) -> None:
    done = assessed(pairs[ending], tmp_path / "out")
    loaded = set(json.loads(done.stdout.splitlines()[-1])["loaded"])
    assert "matplotlib" in loaded
    assert loaded & ({*ABSENT, "torch"} | other) == set()


def test_a_network_that_tensorflow_has_to_read_is_one_line_with_the_command_that_installs_it(
    slim: dict[str, str], tmp_path: Path
) -> None:
    pair, original = example.paths(), tmp_path / "original.h5"
    load(pair.original).save(original)
    done = assessed((original, pair.int8, pair.inputs), tmp_path / "out", slim)
    assert json.loads(done.stdout)["code"] == 2
    assert done.stderr == "quantrift assess: original.h5 needs TensorFlow; pip install 'quantrift[keras]'\n"
    assert not (tmp_path / "out").exists()


def test_each_command_helps_or_names_the_extra_that_it_needs(slim: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", HELP], env=slim, capture_output=True, text=True, check=True)
    codes = json.loads(done.stdout)
    said = {line.split()[1].rstrip(":"): line for line in done.stderr.splitlines()}
    assert {name for name, code in codes.items() if code == 0} >= {
        "assess",
        "audit",
        "certify",
        "export-inputs",
        "judge-outputs",
        "mend",
        "replay",
    }
    assert {name for name, code in codes.items() if code == 2} == set(said)
    assert all("; pip install 'quantrift[workflow]'" in line for line in said.values())


@pytest.mark.parametrize(
    ("name", "package", "line"),
    [
        ("openvino", "openvino", "runtime openvino needs OpenVINO; pip install 'quantrift[openvino]'"),
        ("openvino_ir", "openvino", "runtime openvino_ir needs OpenVINO; pip install 'quantrift[openvino]'"),
        ("torch", "torch", "runtime torch needs PyTorch; pip install 'quantrift[torch]'"),
        ("executorch", "executorch", "runtime executorch needs ExecuTorch; pip install 'quantrift[executorch]'"),
        ("litert", "ai_edge_litert", "runtime litert needs ai_edge_litert; pip install ai_edge_litert"),
        ("onnxruntime", "onnxruntime", "runtime onnxruntime needs onnxruntime; pip install onnxruntime"),
        ("tensorflow", "tensorflow", "original.keras needs TensorFlow; pip install 'quantrift[keras]'"),
    ],
)
def test_a_runtime_without_its_library_says_how_to_get_it(
    name: str, package: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(QuantriftError) as error:
        load_runtime(name, example.paths().original)
    assert str(error.value) == line


def test_each_package_is_named_with_the_extra_that_installs_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {
        extra: {Requirement(line).name for line in lines} for extra, lines in project["optional-dependencies"].items()
    }
    packages = {name: set(map(canonicalize_name, found)) for name, found in packages_distributions().items()}
    wrong = [
        name
        for name, (_, extra) in extras.PACKAGES.items()
        if not names[extra] & packages.get(name, {canonicalize_name(name)})
    ]
    assert wrong == []
    assert not {Requirement(line).name for line in project["dependencies"]} & set().union(*names.values())


def test_versions_are_those_of_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "version", lambda name: "none" if name in ("keras", "tensorflow") else "1.0")
    assert set(versions.versions()) == {"python", "ai-edge-litert", "numpy"}


def test_the_command_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert capsys.readouterr().out == f"quantrift {project['version']}\n"
