"""Files that a user names are copied once; digests, checks and runs see the copy."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import helper, numpy_helper, save_model

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import temporary_prefix
from quantrift.core.base.temporary_folders import START, temporary_folder
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.runtime import file_digest, files_of
from quantrift.judge.intake.example import paths


def test_a_copy_keeps_the_bytes_whatever_happens_to_the_file(tmp_path: Path) -> None:
    file = tmp_path / "model.bin"
    file.write_bytes(b"as given")
    with GivenFiles() as given:
        copy = given.file(file)
        file.write_bytes(b"something else")
        assert copy.read_bytes() == b"as given"
        assert given.file(file) == copy, "a file is opened once"
        assert copy.name == file.name
        assert given.sources == [file]
    assert not copy.exists()


def test_an_error_names_the_file_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.onnx").write_bytes(b"x")

    def failing() -> None:
        with GivenFiles() as given:
            copy = given.file(Path("model.onnx"))
            raise QuantriftError(f"{copy}: is damaged, and {copy.with_name('weights.bin')} is not there")

    with pytest.raises(QuantriftError) as error:
        failing()
    assert str(error.value) == "model.onnx: is damaged, and weights.bin is not there"


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_what_is_no_file_has_no_copy(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "inputs.npz"
    if kind == "folder":
        path.mkdir()
    if kind == "pipe":
        # Nobody writes to it, so that opening it in the usual way would wait for ever.
        os.mkfifo(path)
    with GivenFiles() as given:
        assert not given.file(path).exists()


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUANTRIFT_MAX_UNPACKED", "1KB")
    (tmp_path / "inputs.npz").write_bytes(bytes(1001))
    with GivenFiles() as given, pytest.raises(QuantriftError, match=r"inputs.npz: .*--max-unpacked"):
        given.file(tmp_path / "inputs.npz")


def test_files_beside_a_network_come_along_and_count_in_its_digest(tmp_path: Path) -> None:
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", 1, [None, 3])],
        [helper.make_tensor_value_info("y", 1, [None, 4])],
        [numpy_helper.from_array(np.ones((3, 4), np.float32), "w")],
    )
    file = tmp_path / "model.onnx"
    save_model(helper.make_model(graph), file, save_as_external_data=True, location="weights.bin", size_threshold=0)
    whole = hashlib.sha256(file.read_bytes() + (tmp_path / "weights.bin").read_bytes()).hexdigest()
    with GivenFiles() as given:
        copy = given.network(file)
        (tmp_path / "weights.bin").write_bytes(bytes(48))
        assert [one.name for one in files_of(copy)] == ["model.onnx", "weights.bin"]
        assert file_digest(copy) == whole


def test_a_saved_model_is_copied_with_its_variables_which_count_in_its_digest(tmp_path: Path) -> None:
    for name, content in (
        ("saved_model.pb", b"graph"),
        ("variables/variables.index", b"1"),
        ("assets/vocabulary", b""),
    ):
        (tmp_path / "network" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "network" / name).write_bytes(content)
    digests = []
    for weights in (b"1", b"2"):
        (tmp_path / "network" / "variables" / "variables.index").write_bytes(weights)
        with GivenFiles() as given:
            copy = given.network(tmp_path / "network")
            assert copy.name == "network"
            assert [one.relative_to(copy).as_posix() for one in files_of(copy)] == [
                "saved_model.pb",
                "variables/variables.index",
            ]
            digests.append(file_digest(copy))
    assert digests[0] != digests[1]


def test_a_way_of_running_stands_behind_the_copy() -> None:
    with GivenFiles() as given:
        copy, other = given.network(paths().int8), given.network(paths().int8.with_name("int8.tflite@reference"))
        assert other == copy.with_name("int8.tflite@reference")


def test_folders_of_killed_processes_go_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    module = "quantrift.core.networks.foreign.given_files"
    killed = f"import os; from {module} import GivenFiles; one = GivenFiles(); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", killed], env=os.environ | {"TMPDIR": str(tmp_path)}).returncode == 9
    [left] = tmp_path.iterdir()
    mine = temporary_folder()
    assert not left.exists()
    assert Path(mine.name).name.startswith(temporary_prefix(START))
    with temporary_folder():
        assert Path(mine.name).exists(), "a running process keeps its folders"
