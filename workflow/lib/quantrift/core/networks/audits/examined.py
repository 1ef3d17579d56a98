"""Audit of a .tflite or .onnx file with the faults that it shows; runs nothing."""

from pathlib import Path
from typing import Any

from quantrift.core.base.errors import reading
from quantrift.core.networks import operation_audit
from quantrift.core.networks.audits import onnx_contents, tflite_contents
from quantrift.core.networks.audits.file_findings import Finding, findings


def examined(model: Path) -> tuple[dict[str, Any], list[Finding]]:
    """The audit of a file (``operation_audit.audit``), and its faults.

    In .onnx files an operation computes with 8-bit integers if its operands are; rounding is no operation there.

    Raises:
        QuantriftError: if it is neither kind of file, a damaged one, or one without operations.
    """
    if model.suffix != ".onnx":
        return operation_audit.audit(model), findings(tflite_contents.contents(model.read_bytes()))
    # What reads files trusts every shape in them, and meets damage with whatever comes of it.
    with reading(model, "damaged .onnx file", "build it again"):
        found = onnx_contents.contents(model)
        return operation_audit.report(found, model, ".onnx"), findings(found)
