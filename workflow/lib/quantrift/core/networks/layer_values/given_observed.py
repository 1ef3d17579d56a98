"""Networks in given .tflite files with readable layers and neurons, on LiteRT, on one thread."""

from quantrift.core.networks.graphs.signature import Signature
from quantrift.core.networks.layer_values import neurons, observed
from quantrift.core.networks.libraries import content
from quantrift.core.networks.runtimes.litert import SUFFIXES


class Observed(observed.Observed):
    """A network in a given .tflite file, from images to logits, whose tensors can be read after each run."""

    def _content(self) -> bytes:
        return content(self._path, SUFFIXES, "litert")

    def _stated(self, content: bytes) -> tuple[Signature, int]:
        from quantrift.core.networks.graphs.tflite_ends import compared_output
        from quantrift.core.networks.graphs.tflite_start import tflite_signature

        details = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        return tflite_signature(self._path, content, *details), compared_output(content)


class Neurons(neurons.Neurons):
    """A network in a given .tflite file, from images to its logits and the values of its neurons."""

    OBSERVED = Observed
