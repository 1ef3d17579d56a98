"""A compressed network, audited and compared with its original before anything is kept."""

from pathlib import Path

from quantrift.compression import methods
from quantrift.compression.audit import audit, not_int8
from quantrift.compression.comparison import compare, write_report
from quantrift.config.errors import QuantriftError
from quantrift.config.files import read_json, replacing
from quantrift.config.networks import PtqInt8
from quantrift.data.inputs import Inputs
from quantrift.models.runtimes.litert import LiteRT
from quantrift.models.saving import load


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
    with replacing(out / "model.tflite") as temporary:
        temporary.write_bytes(content)
        found = compare(LiteRT(original), LiteRT(temporary), inputs)
        if found.before - found.after > settings.max_accuracy_loss:
            raise QuantriftError(
                f"{method}: test accuracy falls from {found.before:.2%} to {found.after:.2%}, max_accuracy_loss is "
                f"{settings.max_accuracy_loss:.0%}; extreme values in a few representative inputs are the usual cause: "
                "clean the data, or draw other inputs with seed"
            )
    sizes = original.stat().st_size, len(content)
    conv3d_share = read_json(model_dir / "model.json")["conv3d_mac_share"]
    write_report(out, method, report, found, sizes, conv3d_share, settings.model_dump(mode="json"))
