"""Inference with OpenVINO, on one thread: networks from the same .onnx files that ONNX Runtime runs."""

from functools import partial
from pathlib import Path

from quantrift.core.base.errors import QuantriftError, on_one_line
from quantrift.core.networks.libraries import content, library
from quantrift.core.networks.runtimes import onnxruntime, openvino
from quantrift.core.networks.runtimes.openvino import Requests, by_name, request

SUFFIXES: tuple[str, ...] = ()
"""It runs ONNX Runtime's files, when asked to."""
PACKAGES = (*openvino.PACKAGES, *onnxruntime.PACKAGES)
ORIGINAL, COMPRESSED = onnxruntime.ORIGINAL, None
WAYS = dict.fromkeys(onnxruntime.SUFFIXES, "openvino")
HOW = "OpenVINO"
NAME = "openvino_onnx"
"""Not written into the call that loads the library, where it would be taken for a package (``base.code_digests``)."""

export = onnxruntime.export


class OpenVINO(Requests):
    """A network in an .onnx file, in float32 or in integers, which OpenVINO rounds in its own way."""

    def __init__(self, path: str | Path, batch: int = 256, values: bool = False) -> None:
        """Loads ``path``, to be run on at most ``batch`` inputs at once.

        With ``values`` it gives the values of all its outputs side by side, in place of logits.

        Raises:
            QuantriftError: if a library is not installed; if ONNX Runtime or OpenVINO cannot read the file, or it is no
                network from images to logits.
        """
        path = Path(path)
        core = library("openvino", NAME).Core()
        content(path, onnxruntime.SUFFIXES, NAME)
        # ONNX Runtime tells names and types of inputs and outputs as the file states them.
        signature = onnxruntime.ONNXRuntime(path, batch, values).signature
        try:
            model = core.read_model(str(path))
            made = request(core, model)
        except RuntimeError as error:
            reason = on_one_line(error)
            raise QuantriftError(f"{path}: OpenVINO cannot run it ({reason}); run it with onnxruntime") from None
        several = [signature.name, *signature.carried_shapes] if signature.carried else []
        super().__init__(path, signature, made, batch, by_name(path, model.inputs, several) or [0])


load, load_values = OpenVINO, partial(OpenVINO, values=True)
