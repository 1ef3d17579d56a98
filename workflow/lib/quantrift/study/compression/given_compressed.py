"""Compressed networks from files, audited and compared with their originals."""

from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import write_file
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import COMPRESSED, ORIGINAL
from quantrift.core.networks.beside_original import compare
from quantrift.core.networks.foreign.requirements import check_fit, check_independence, check_logits
from quantrift.core.networks.operation_audit import audit
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.study.compression.compression_report import write_report


def adopt(name: str, file: Path, model_dir: Path, inputs_path: Path, out: Path) -> None:
    """Take over the .tflite ``file`` as the network in ``model_dir``, compressed, and write what ``build`` writes.

    ``model.tflite`` holds the bytes as they are. How much of it runs in 8 bits and how much accuracy is lost stands in
    ``compression.json``, and is no reason to refuse it.

    Raises:
        QuantriftError: if the file cannot be read, is not for the images and classes of its original, or does not give
            logits that depend on one input alone.
    """
    inputs = Inputs.load(inputs_path)
    path = model_dir / ORIGINAL
    original, compressed = LiteRT(path), LiteRT(file)
    check_fit(file, compressed.input_shape, compressed.classes, inputs)
    if compressed.classes != original.classes:
        raise QuantriftError(
            f"{file}: has {compressed.classes} outputs, its original {original.classes}; "
            "name a compressed version of the same network"
        )
    check_independence(file, compressed, inputs)
    report = audit(file)
    found = compare(original, compressed, inputs)
    check_logits(file, found.of_compressed)
    write_file(out / COMPRESSED, file.read_bytes())
    clusters = inputs.clusters(inputs.test)
    write_report(out, name, report, found, clusters, path, inputs_path, conv3d_float_share=None, settings={}, more={})
