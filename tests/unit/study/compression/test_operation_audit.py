"""The audit finds what a converter left in float."""

from pathlib import Path

import keras
import pytest
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.networks.keras_files import load
from quantrift.core.networks.operation_audit import audit, not_int8
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.networks.tflite_graph import packed, with_all_buffers
from quantrift.study.compression.full_integer import full_integer
from quantrift.study.compression.methods.ptq_int8 import Settings as PtqInt8


def test_the_quantized_twin_multiplies_in_8_bits_only(compressed: Path, trained: Path) -> None:
    report = audit(compressed / "model.tflite")
    assert report["int8_mac_share"] == 1
    assert report["macs"] == read_json(trained / "model.json")["twin_macs"]
    assert not_int8(report) == ""


def test_the_float_original_multiplies_in_float_only(trained: Path) -> None:
    report = audit(trained / "original.tflite")
    assert report["int8_mac_share"] == 0
    assert {(op["op"], op["input"], op["weights"]) for op in report["ops"] if op["macs"]} == {
        ("CONV_2D", "FLOAT32", "FLOAT32"),
        ("FULLY_CONNECTED", "FLOAT32", "FLOAT32"),
    }


def test_quantizing_the_3d_network_leaves_its_3d_convolutions_in_float(trained: Path, tiny_scene: ScenePatches) -> None:
    report = audit(full_integer(load(trained / "model.keras"), tiny_scene, PtqInt8(representative=20)))
    facts = read_json(trained / "model.json")
    assert report["macs"] == facts["macs"]
    assert 1 - report["int8_mac_share"] == pytest.approx(facts["conv3d_mac_share"])
    floats = {op["op"] for op in report["ops"] if op["macs"] and not op["int8"]}
    assert floats == {"CONV_3D"}
    assert not_int8(report) == f"3 x CONV_3D on FLOAT32 ({100 * facts['conv3d_mac_share']:.1f} %)"


def test_depthwise_convolutions_and_matrix_products_are_counted() -> None:
    x = image = keras.Input((8, 8, 4))
    x = keras.layers.DepthwiseConv2D(3)(x)
    tokens = keras.layers.Reshape((36, 4))(x)
    product = keras.ops.matmul(keras.ops.transpose(tokens, (0, 2, 1)), tokens)
    report = audit(to_tflite(keras.Model(image, product)))
    counts = {op["op"]: op["macs"] for op in report["ops"] if op["macs"]}
    assert counts == {"DEPTHWISE_CONV_2D": 6 * 6 * 4 * 9, "BATCH_MATMUL": 4 * 4 * 36}


@pytest.mark.parametrize(
    ("kind", "bits"), [("FLOAT32", 32), ("FLOAT16", 16), ("INT4", 4), ("INT8", 8), ("UINT8", 8), ("INT16", 16)]
)
def test_weights_are_counted_with_the_bits_of_their_type(kind: str, bits: int) -> None:
    vector = keras.Input((7,))
    content = to_tflite(keras.Model(vector, keras.layers.Dense(3, use_bias=False)(vector)))

    model = with_all_buffers(content)
    [weights] = [tensor for tensor in model.subgraphs[0].tensors if [*tensor.shape] == [3, 7]]
    weights.type = getattr(schema.TensorType, kind)
    report = audit(packed(model))
    assert report["constants"][kind] == 21
    assert report["weight_bits"] == 21 * bits


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(b"no network at all")
    with pytest.raises(QuantriftError, match=r"model\.tflite: not a \.tflite file"):
        audit(path)


def test_damaged_files_are_refused(compressed: Path) -> None:
    content = (compressed / "model.tflite").read_bytes()
    with pytest.raises(QuantriftError, match=r"the model: damaged \.tflite file \(.*\); build it again"):
        audit(content[:1000])
    # The byte that says where the root's field of graphs stands: LiteRT itself crashes on a file without graphs.
    root = int.from_bytes(content[:4], "little")
    table = root - int.from_bytes(content[root : root + 4], "little", signed=True)
    with pytest.raises(QuantriftError, match=r"not a \.tflite file; build it again"):
        audit(content[: table + 8] + bytes(2) + content[table + 10 :])
