"""Foreign files are checked before a loader reads them, in a process that can write to its own folder alone."""

import io
import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import h5py
import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.given_keras import read_network
from quantrift.core.networks.foreign.onnx_graph import check_graph
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.foreign.saved_model import PURE, SAVING, check, checked_copy
from quantrift.core.networks.keras_archive import check_plain
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.judge.intake.example import paths


@pytest.fixture(scope="module")
def reader() -> Iterator[ForeignFiles]:
    with ForeignFiles() as files:
        yield files


def test_a_keras_network_is_converted_and_run_there_as_here(reader: ForeignFiles, tmp_path: Path) -> None:
    network, path = read_network(paths().original), tmp_path / "net.h5"
    network.save(path)
    reader.convert_keras(path, tmp_path / "net.tflite")
    x = np.random.default_rng(0).random((5, 28, 28, 1)).astype(np.float32)
    said = reader.predict(path, x)
    np.testing.assert_allclose(said, network.predict_on_batch(x), atol=1e-5)
    assert (LiteRT(tmp_path / "net.tflite")(x).argmax(axis=1) == said.argmax(axis=1)).all()


def test_a_process_that_is_ended_by_a_file_is_one_line_and_the_next_file_is_read(tmp_path: Path) -> None:
    with ForeignFiles() as files:
        files.run(paths().int8, "litert")
        assert files._process is not None
        os.kill(files._process.pid, signal.SIGSEGV)
        with pytest.raises(QuantriftError, match=r"int8\.tflite: ends the process that reads it \(SIGSEGV\)"):
            files.run(paths().int8, "litert")
        files.run(paths().int8, "litert")


def test_its_folder_is_gone_when_it_is_closed() -> None:
    with ForeignFiles() as files:
        files.run(paths().int8, "litert")
        process, folder = files._process, Path(files._folder)
        assert folder.is_dir()
    assert process is not None
    assert process.returncode == 0
    assert not folder.exists()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SavedModel of convolutions, batch normalisation, dropout and several signatures."""
    folder = tmp_path_factory.mktemp("saved") / "net"
    x = given = keras.Input((8, 8, 3))
    for layer in (
        layers.Conv2D(4, 3, padding="same"),
        layers.BatchNormalization(),
        layers.DepthwiseConv2D(3),
        layers.Activation("swish"),
        layers.Dropout(0.3),
        layers.GlobalAveragePooling2D(),
        layers.Dense(4, activation="softmax"),
    ):
        x = layer(x)
    keras.Model(given, x).export(folder, format="tf_saved_model", verbose=False)
    return folder


def test_saved_models_of_keras_are_pure_and_converted(saved: Path, reader: ForeignFiles, tmp_path: Path) -> None:
    reader.convert(saved, "saved_model", tmp_path / "net.tflite")
    x = np.random.default_rng(0).random((3, 8, 8, 3)).astype(np.float32)
    expected = tf.saved_model.load(str(saved)).signatures["serving_default"](tf.constant(x))
    found = LiteRT(tmp_path / "net.tflite")(x)
    assert (found.argmax(axis=1) == next(iter(expected.values())).numpy().argmax(axis=1)).all()


def test_the_copy_holds_what_was_checked_and_nothing_else(saved: Path, tmp_path: Path) -> None:
    copy = checked_copy(saved, tmp_path)
    names = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    assert names == {
        "saved_model.pb",
        "variables/variables.index",
        "variables/variables.data-00000-of-00001",
    }
    assert (saved / "fingerprint.pb").is_file()


class Writes(tf.Module):
    """A network that writes a file when it computes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._target = str(path)

    @tf.function(input_signature=[tf.TensorSpec((None, 8, 8, 3))])
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        with tf.control_dependencies([tf.io.write_file(self._target, "ran")]):
            return tf.reduce_mean(x, axis=(1, 2))


def test_a_saved_model_that_writes_is_refused_by_its_operation(tmp_path: Path, reader: ForeignFiles) -> None:
    network = Writes(tmp_path / "ran")
    tf.saved_model.save(network, tmp_path / "net", signatures=network.__call__)
    with pytest.raises(QuantriftError, match="operation WriteFile in function .* is never run"):
        reader.convert(tmp_path / "net", "saved_model", tmp_path / "out.tflite")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net"]


@pytest.mark.parametrize("content", [b"", b"\xff" * 50, b"\x08\x01"])
def test_damaged_graphs_are_refused(content: bytes) -> None:
    with pytest.raises(QuantriftError, match="SavedModel"):
        check(content, Path("net"))


def test_no_operation_of_the_list_knows_files() -> None:
    words = ("File", "Read", "Write", "Print", "Save", "Restore", "Py", "Debug", "Dataset", "Load", "Dump", "Send")
    known = {"ReadVariableOp", "DisableCopyOnRead", "EmptyTensorList"}
    assert [name for name in sorted(PURE - known) if any(word in name for word in words)] == []
    assert PURE < SAVING
    operations = {name for name in PURE if name in dir(tf.raw_ops)}
    assert len(PURE - operations - {"_Arg", "_Retval", "Placeholder", "Variable"}) < 20


@pytest.mark.parametrize("kind", ["external", "soft", "stored elsewhere", "virtual"])
def test_hdf5_files_that_lead_elsewhere_are_refused(kind: str, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        group = file.create_group("a")
        group["good"] = np.arange(5)
        check_plain(file, "x.h5")
        if kind == "external":
            group["bad"] = h5py.ExternalLink("other.h5", "/")
        elif kind == "soft":
            group["bad"] = h5py.SoftLink("/a/good")
        elif kind == "stored elsewhere":
            group.create_dataset("bad", (4,), "u1", external=[(str(tmp_path / "raw"), 0, 4)])
        else:
            layout = h5py.VirtualLayout((4,), "u1")
            layout[:] = h5py.VirtualSource("other.h5", "x", (4,))
            group.create_virtual_dataset("bad", layout)
        with pytest.raises(QuantriftError, match="'bad' in it is"):
            check_plain(file, "x.h5")


def test_hdf5_files_are_held_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("big", (10**6, 10**4), "f4", chunks=(1000, 1000), compression="gzip")
        with pytest.raises(QuantriftError, match=r"unpacks to 40\.0 GB, more than the limit of 4 GB"):
            check_plain(file, "x.h5")
        monkeypatch.setenv("QUANTRIFT_MAX_UNPACKED", "50GB")
        check_plain(file, "x.h5")


@pytest.mark.parametrize("place", ["../w.bin", "/etc/passwd", "link.bin", "nowhere.bin", "folder/w.bin"])
def test_weights_of_onnx_files_stand_beside_them_or_nowhere(place: str, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    folder = tmp_path / "net"
    (folder / "folder").mkdir(parents=True)
    for name in ("../w.bin", "folder/w.bin", "w.bin"):
        (folder / name).write_bytes(bytes(40))
    (folder / "link.bin").symlink_to("/etc/passwd")

    def written(location: str) -> Path:
        weights = onnx.numpy_helper.from_array(np.zeros((2, 5), np.float32), "w")
        weights.ClearField("raw_data")
        weights.data_location = onnx.TensorProto.EXTERNAL
        weights.external_data.add(key="location", value=location)
        given = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 2])
        told = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 5])
        node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
        graph = onnx.helper.make_graph([node], "net", [given], [told], [weights])
        path = folder / "net.onnx"
        path.write_bytes(onnx.helper.make_model(graph).SerializeToString())
        return path

    check_graph(written("w.bin"))
    with pytest.raises(QuantriftError, match="which is no file beside it"):
        check_graph(written(place))


@pytest.mark.parametrize(
    "place", ["If", "Loop", "Scan", "a list of graphs", "function", "If in If", "If in a function"]
)
@pytest.mark.parametrize("what", ["operation", "weights"])
def test_graphs_inside_of_an_onnx_graph_are_checked_likewise(what: str, place: str, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    node, typed = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    weights = onnx.numpy_helper.from_array(np.zeros((2, 5), np.float32), "w")
    if what == "weights":
        weights.ClearField("raw_data")
        weights.data_location = onnx.TensorProto.EXTERNAL
        weights.external_data.add(key="location", value="../w.bin")
        inner = node("Constant", [], ["z"], value=weights)
    else:
        inner = node("Run", ["x"], ["z"], domain="evil")

    def holding(one: object) -> object:
        return onnx.helper.make_graph([one], "body", [], [typed("z", onnx.TensorProto.FLOAT, None)])

    if place.startswith("If in"):
        inner = node("If", ["x"], ["z"], then_branch=holding(inner))
    functions = []
    if "function" in place:
        opsets = [onnx.helper.make_opsetid("", 17)]
        functions.append(onnx.helper.make_function("own", "Mine", ["x"], ["z"], [inner], opsets))
        outer = node("Mine", ["x"], ["z"], domain="own")
    elif place == "a list of graphs":
        outer = node("If", ["x"], ["z"], branches=[holding(inner)])
    else:
        outer = node(place.split()[0], ["x"], ["z"], body=holding(inner))
    graph = onnx.helper.make_graph([outer], "net", [typed("x", onnx.TensorProto.FLOAT, ["n", 2])], [])
    (tmp_path / "net.onnx").write_bytes(onnx.helper.make_model(graph, functions=functions).SerializeToString())
    with pytest.raises(QuantriftError, match="needs operation Run of evil|which is no file beside it"):
        check_graph(tmp_path / "net.onnx")


def test_whatever_error_a_file_causes_there_is_a_refusal_that_names_it(reader: ForeignFiles, tmp_path: Path) -> None:
    weights = io.BytesIO()
    with h5py.File(weights, "w") as held:
        held["x"] = [1.0]
    with zipfile.ZipFile(tmp_path / "net.keras", "w") as archive:
        archive.writestr("config.json", json.dumps({"class_name": ["Sequential"], "config": {}}))
        archive.writestr("model.weights.h5", weights.getvalue())
    with pytest.raises(QuantriftError, match=r"net\.keras: .*\(TypeError: unhashable type: 'list'\)"):
        reader.convert_keras(tmp_path / "net.keras", tmp_path / "net.tflite")


def test_a_file_of_hdf5_with_a_damaged_tree_of_groups_is_refused(reader: ForeignFiles, tmp_path: Path) -> None:
    path = tmp_path / "net.h5"
    keras.Sequential([keras.Input((4,)), layers.Dense(3)]).save(path)
    path.write_bytes(path.read_bytes().replace(b"TREE", bytes(4)))
    with pytest.raises(QuantriftError, match=r"net\.h5: .*\(RuntimeError: Unable to get group info"):
        reader.convert_keras(path, tmp_path / "net.tflite")


@pytest.mark.slow
def test_a_process_that_takes_too_long_is_ended_and_the_file_refused() -> None:
    script = "from quantrift.core.networks.foreign.worker import allow\nallow(1)\nwhile True: pass"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -signal.SIGXCPU
    with ForeignFiles() as files:
        files.run(paths().int8, "litert")
        assert files._process is not None
        os.kill(files._process.pid, signal.SIGXCPU)
        with pytest.raises(QuantriftError, match=r"int8\.tflite: is not read and run on one input within 50 s"):
            files.run(paths().int8, "litert")


def test_factor_and_offset_of_the_first_layers_come_with_the_converted_network(
    reader: ForeignFiles, tmp_path: Path
) -> None:
    rescaled = keras.Sequential(
        [keras.Input((4, 4, 1)), layers.Rescaling(0.5, offset=-1.0), layers.Flatten(), layers.Dense(3)]
    )
    rescaled.save(tmp_path / "net.keras")
    rescaled.save(tmp_path / "net.h5")
    for name, by_keras in (("net.keras", False), ("net.h5", True)):
        known, found = reader.convert_keras(tmp_path / name, tmp_path / "net.tflite")
        assert (known, found is not None) == (by_keras, True)
        assert [one.tolist() for one in found or ()] == [[0.5], [-1.0]]
    assert reader.convert_keras(paths().original, tmp_path / "example.tflite") == (False, None)
