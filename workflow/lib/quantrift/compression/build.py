"""A compressed network, audited and compared with its original before anything is kept."""

from pathlib import Path

from quantrift.compression import methods
from quantrift.compression.audit import audit, not_int8
from quantrift.config.errors import QuantriftError
from quantrift.config.files import read_json, replacing, write_json
from quantrift.config.networks import PtqInt8
from quantrift.data.inputs import Inputs
from quantrift.models.evaluate import accuracy, flips, logits
from quantrift.models.runtimes.litert import LiteRT
from quantrift.models.saving import load
from quantrift.models.versions import versions


def build(method: str, settings: PtqInt8, model_dir: Path, inputs_path: Path, out: Path) -> None:
    """Compress the network in ``model_dir`` and write, into the folder ``out``, what came of it.

    * ``model.tflite``; ``audit.json``, its operations (``quantrift.compression.audit``);
    * ``compression.json``: share of multiply-accumulates in 8 bits, and the share that the network's 3-D
      convolutions would have kept in float without the twin; sizes in bytes; accuracies as fractions, and
      ``flips``, the number of test inputs that original and compressed network label differently.

    Raises:
        QuantriftError: if too little of the result runs in 8 bits or too much accuracy is lost; nothing is kept then.
    """
    inputs = Inputs.load(inputs_path)
    original = model_dir / "original.tflite"
    content = methods.load(method).compress(load(model_dir / "twin.keras"), inputs, settings)
    report = audit(content)
    if report["int8_mac_share"] < settings.min_int8_mac_share:
        raise QuantriftError(
            f"{method}: only {report['int8_mac_share']:.1%} of the multiply-accumulates run in 8 bits, "
            f"min_int8_mac_share is {settings.min_int8_mac_share:.0%}; not in 8 bits: {not_int8(report)}"
        )
    truth = inputs.labels[inputs.test]
    of_original = logits(LiteRT(original), inputs, inputs.test)
    with replacing(out / "model.tflite") as temporary:
        temporary.write_bytes(content)
        of_compressed = logits(LiteRT(temporary), inputs, inputs.test)
        before, after = accuracy(of_original, truth), accuracy(of_compressed, truth)
        if before - after > settings.max_accuracy_loss:
            raise QuantriftError(
                f"{method}: test accuracy falls from {before:.2%} to {after:.2%}, max_accuracy_loss is "
                f"{settings.max_accuracy_loss:.0%}; extreme values in a few representative inputs are the usual cause: "
                "clean the data, or draw other inputs with seed"
            )
    write_json(out / "audit.json", report)
    facts = {
        "method": method,
        "int8_mac_share": report["int8_mac_share"],
        "conv3d_float_share": read_json(model_dir / "model.json")["conv3d_mac_share"],
        "size_bytes": len(content),
        "size_bytes_original": original.stat().st_size,
        "accuracy": after,
        "accuracy_original": before,
        "flips": flips(of_original, of_compressed),
        "test_inputs": len(truth),
        "runtime": "LiteRT, XNNPACK, 1 thread",
        "settings": settings.model_dump(mode="json"),
        "versions": versions(),
    }
    write_json(out / "compression.json", facts)
