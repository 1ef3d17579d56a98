"""Choice of a builder by the kind of file."""

import sys
from pathlib import Path

import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.judge.intake.example import paths
from quantrift.judge.mend.builder import Manner, check_installed, manner_of, suffix_of


def test_a_quantizer_that_is_not_installed_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_installed("onnxruntime")
    monkeypatch.setitem(sys.modules, "ai_edge_quantizer", None)
    with pytest.raises(QuantriftError) as error:
        check_installed("litert")
    line = "quantrift mend of .tflite files needs AI Edge Quantizer; pip install 'quantrift[mend]'"
    assert str(error.value) == line


def test_files_say_how_they_were_quantized() -> None:
    assert manner_of(paths().int8, "litert") == Manner(per_channel=True, float_border=True, quantized=True)
    assert not manner_of(paths().dynamic, "litert").quantized
    assert {suffix_of(runtime) for runtime in ("litert", "onnxruntime")} == {".tflite", ".onnx"}


@pytest.mark.parametrize("per_channel", [True, False])
def test_scales_of_weights_in_onnx_files_are_seen(pair: dict[str, Path], per_channel: bool) -> None:
    assert manner_of(pair["channel" if per_channel else "tensor"], "onnxruntime").per_channel == per_channel
    assert not manner_of(pair["original"], "onnxruntime").quantized
