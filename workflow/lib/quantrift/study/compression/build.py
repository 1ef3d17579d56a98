"""A compressed network, audited and compared with its original before anything is kept."""

from importlib import import_module
from pathlib import Path
from typing import cast

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import replacing, write_file
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import COMPRESSED, ORIGINAL
from quantrift.core.networks.beside_original import Network, compare
from quantrift.core.networks.operation_audit import audit, not_int8
from quantrift.core.networks.own.litert import LiteRT
from quantrift.core.networks.training.original import Original
from quantrift.core.settings.compressions import Compression, InEightBits
from quantrift.study.compression import method
from quantrift.study.compression.compression_report import write_report

LITERT, TENSORFLOW = (f"quantrift.core.networks.own.{name}" for name in ("litert", "tensorflow"))
"""Modules that run originals."""


def build(
    name: str, settings: Compression, model_dir: Path, inputs_path: Path, out: Path, runtime: str = LITERT
) -> None:
    """Compress the network in ``model_dir`` and write, into the folder ``out``, what came of it.

    * ``model.tflite``; ``audit.json``, its operations (``quantrift.core.networks.operation_audit``);
    * ``compression.json``: share of multiply-accumulates in 8 bits, and the share that the network's 3-D
      convolutions would have kept in float without the twin; sizes in bytes, and of the weights in bits; accuracies as
      fractions; ``flips``, the number of test inputs that original and compressed network label differently;
      ``degraded``, whether it lost more accuracy than ``max_accuracy_loss``; ``sha256`` of the compressed network and
      of the inputs; what the method itself says;
    * ``margins.npz``, how far test inputs are from the boundary (``statistics.margin_files``);
    * other files of the method.

    ``runtime`` is the module that runs the original.

    Raises:
        QuantriftError: if too little of the result runs in 8 bits or too much accuracy is lost; nothing is kept then.
    """
    inputs = Inputs.load(inputs_path)
    original = Original(model_dir)
    made = method.load(settings.method).compress(original, inputs, settings)
    report = audit(made.content)
    if isinstance(settings, InEightBits) and report["int8_mac_share"] < settings.min_int8_mac_share:
        raise QuantriftError(
            f"{name}: only {100 * report['int8_mac_share']:.1f} % of the multiply-accumulates run in 8 bits, "
            f"min_int8_mac_share is {100 * settings.min_int8_mac_share:.0f} %; not in 8 bits: {not_int8(report)}"
        )
    with replacing(out / COMPRESSED) as temporary:
        temporary.write_bytes(made.content)
        found = compare(running(original, runtime), LiteRT(temporary), inputs)
        degraded = found.before - found.after > settings.max_accuracy_loss
        if degraded and not settings.allow_degraded:
            raise QuantriftError(
                f"{name}: test accuracy falls from {100 * found.before:.2f} % to {100 * found.after:.2f} %, "
                f"max_accuracy_loss is {100 * settings.max_accuracy_loss:.0f} %; where ranges are measured, extreme "
                "values in a few representative inputs are the usual cause: clean the data, or draw other inputs with "
                "seed; otherwise compress less, or keep such a model on purpose with allow_degraded"
            )
    for other, content in made.files.items():
        write_file(out / other, content)
    write_report(
        out,
        name,
        report,
        found,
        inputs.clusters(inputs.test),
        original=model_dir / ORIGINAL,
        inputs=inputs_path,
        conv3d_float_share=original.facts["conv3d_mac_share"],
        settings=settings.model_dump(mode="json", exclude={"title"}),
        more={
            "degraded": degraded,
            **({"weight_bits": made.weight_bits} if made.weight_bits is not None else {}),
            **made.facts,
        },
    )


def running(original: Original, runtime: str) -> Network:
    """The original as searches run it, by the module of its runtime.

    TensorFlow alone is taken as it runs here already, on the threads of the method: its runtime wants a process of its
    own, for the sake of last bits that no count of labels shows.
    """
    if runtime == TENSORFLOW:
        return cast(Network, original.network.predict_on_batch)
    loaded = import_module(runtime)
    return cast(Network, loaded.load(original.folder / loaded.ORIGINAL))
