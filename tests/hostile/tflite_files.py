""".tflite files with wrong numbers in them."""

import struct
from collections.abc import Callable
from pathlib import Path

from ai_edge_litert import schema_py_generated as schema
from tests.hostile.makers import of

from quantrift.judge.intake.example import paths


def _tflite(folder: Path, change: Callable[[schema.ModelT], None]) -> Path:
    import flatbuffers

    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(paths().int8.read_bytes(), 0))
    change(model)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    (folder / "net.tflite").write_bytes(bytes(builder.Output()))
    return folder / "net.tflite"


@of("compressed")
def tflite_custom_operation(folder: Path, canary: Path) -> Path:
    def change(model: schema.ModelT) -> None:
        code = model.operatorCodes[0]
        code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CUSTOM
        code.customCode = "FlexWriteFile"

    return _tflite(folder, change)


@of("compressed")
def tflite_tensor_of_forty_gigabytes(folder: Path, canary: Path) -> Path:
    def change(model: schema.ModelT) -> None:
        model.subgraphs[0].tensors[model.subgraphs[0].operators[0].outputs[0]].shape = [1, 10**5, 10**5, 1]

    return _tflite(folder, change)


@of("compressed")
def tflite_operands_out_of_range(folder: Path, canary: Path) -> Path:
    def change(model: schema.ModelT) -> None:
        model.subgraphs[0].operators[0].inputs = [10**6, 10**6, 10**6]

    return _tflite(folder, change)


@of("compressed")
def tflite_without_a_network(folder: Path, canary: Path) -> Path:
    return _tflite(folder, lambda model: setattr(model, "subgraphs", []))


@of("compressed")
def tflite_offsets_out_of_range(folder: Path, canary: Path) -> Path:
    content = bytearray(paths().int8.read_bytes())
    content[:4] = struct.pack("<I", len(content) - 4)
    (folder / "net.tflite").write_bytes(content)
    return folder / "net.tflite"


@of("compressed")
def tflite_cut_short(folder: Path, canary: Path) -> Path:
    content = paths().int8.read_bytes()
    (folder / "net.tflite").write_bytes(content[: len(content) // 2])
    return folder / "net.tflite"
