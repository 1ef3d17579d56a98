"""Every network multiplies in 8 bits only, once it is quantized."""

from typing import Any

import keras
import numpy as np
import pytest

from quantrift.core.base.inputs import ImageStack, Inputs, ScenePatches
from quantrift.core.networks import architecture
from quantrift.core.networks.architectures import ssrn
from quantrift.core.networks.macs import conv3d_share, macs
from quantrift.core.networks.operation_audit import audit, not_int8
from quantrift.core.settings.networks import SSRN, Networks
from quantrift.study.compression.full_integer import full_integer
from quantrift.study.compression.methods.ptq_int8 import Settings as PtqInt8

FEW = PtqInt8(representative=4)
ALL = Networks()


def noise(shape: tuple[int, int, int]) -> Inputs:
    """Twelve inputs of noise, grey or coloured images or, with more channels, patches of a scene."""
    rng = np.random.default_rng(0)
    rows, _, channels = shape
    numbers = np.arange(12)
    common: dict[str, Any] = {
        "dataset": "noise",
        "title": "Noise",
        "class_names": ["one", "other", "third"],
        "labels": numbers % 3,
        "train": numbers,
        "validation": numbers[:0],
        "test": numbers[:0],
    }
    if channels <= 3:
        return ImageStack(**common, images=rng.integers(0, 256, (12, *shape), np.uint8))
    scene = rng.normal(size=(12, 12, channels)).astype(np.float32)
    return ScenePatches(**common, scene=scene, positions=np.stack([numbers, numbers], axis=1), patch=rows)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("ssrn", (7, 7, 20)),
        ("lenet1", (28, 28, 1)),
        ("lenet4", (28, 28, 1)),
        ("cnn", (28, 28, 1)),
        ("mlp", (32, 32, 3)),
        ("resnet20", (32, 32, 3)),
        ("plainnet20", (32, 32, 3)),
        ("vgg16", (28, 28, 1)),
        ("vgg16", (32, 32, 3)),
    ],
)
@pytest.mark.slow
def test_all_work_of_a_quantized_twin_is_in_8_bits(name: str, shape: tuple[int, int, int]) -> None:
    keras.utils.set_random_seed(0)
    network = architecture.load(name).build(getattr(ALL, name).model_copy(update={"width": 0.1}), shape, 3)
    twin = architecture.twin(name, network)
    report = audit(full_integer(twin, noise(shape), FEW))
    assert not_int8(report) == ""
    assert report["int8_mac_share"] == 1
    assert report["macs"] == sum(macs(twin).values())
    # The input and the logits stay in 32 bits at the border; all between them is in 8 bits.
    floats = [op["op"] for op in report["ops"] if "FLOAT32" in (op["input"], op["output"])]
    assert floats == ["QUANTIZE", "DEQUANTIZE"]


@pytest.mark.slow
def test_quantizing_ssrn_without_its_twin_leaves_nearly_everything_in_float() -> None:
    keras.utils.set_random_seed(0)
    model = ssrn.build(SSRN(width=0.1), (7, 7, 20), 3)
    report = audit(full_integer(model, noise((7, 7, 20)), FEW))
    assert 1 - report["int8_mac_share"] == pytest.approx(conv3d_share(model))
    assert not_int8(report).startswith("11 x CONV_3D on FLOAT32")
