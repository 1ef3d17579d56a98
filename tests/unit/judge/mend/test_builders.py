"""Choice of a builder by the kind of file."""

import sys
from pathlib import Path

import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.intake.example import paths
from quantrift.judge.mend.builder import Manner, module
from quantrift.judge.mend.run import mend
from quantrift.judge.mend.settings import Settings


def test_a_quantizer_that_is_not_installed_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ai_edge_quantizer", None)
    with pytest.raises(QuantriftError) as error:
        mend(paths().int8, paths().int8, paths().inputs, tmp_path / "out", Settings())
    line = "quantrift mend of .tflite files needs AI Edge Quantizer; pip install 'quantrift[mend]'"
    assert str(error.value) == line


def test_files_say_how_they_were_quantized() -> None:
    manner = module("litert").manner
    assert manner(paths().int8) == Manner(per_channel=True, float_border=True, quantized=True)
    assert not manner(paths().dynamic).quantized


@pytest.mark.parametrize("per_channel", [True, False])
def test_scales_of_weights_in_onnx_files_are_seen(pair: dict[str, Path], per_channel: bool) -> None:
    manner = module("onnxruntime").manner
    assert manner(pair["channel" if per_channel else "tensor"]).per_channel == per_channel
    assert not manner(pair["original"]).quantized
