"""Quantrift from Python: load a pair, search it, assess it, mend it, write the report.

>>> from quantrift.api import load_pair, search
>>> from quantrift.assess.example import paths
>>> example = paths()
>>> pair = load_pair(example.original, example.int8)
>>> pair.input_shape, pair.classes
((28, 28, 1), 10)

It uses the code of the workflow and of ``quantrift assess``, so that numbers are the same. A network is the path of a
file, the bytes of a .tflite, .onnx, .pt2 or .pte file, a Keras model, or any function from a batch of inputs to its
outputs (:class:`Function`): a PyTorch module, a served model, a phone over a link.
"""

from quantrift.api.assessments import assess, replay, report
from quantrift.api.mendings import mend
from quantrift.api.pairs import Pair, load_pair
from quantrift.api.searches import Searched, search
from quantrift.assess.assessment import LIMITS, Limits, read
from quantrift.assess.given_functions import Function
from quantrift.assess.input_form import InputForm
from quantrift.records.replaying import Replay
from quantrift.subjects.task import made

__all__ = [
    "LIMITS",
    "Function",
    "InputForm",
    "Limits",
    "Pair",
    "Replay",
    "Searched",
    "assess",
    "load_pair",
    "made",
    "mend",
    "read",
    "replay",
    "report",
    "search",
]
