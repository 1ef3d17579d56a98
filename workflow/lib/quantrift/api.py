"""Quantrift from Python: load a pair, search it, assess it, mend it, certify it, write the report.

``import quantrift`` offers the same names, each loaded where it is first used.

>>> from quantrift import load_pair, search
>>> from quantrift.judge.intake.example import paths
>>> example = paths()
>>> pair = load_pair(example.original, example.int8)
>>> pair.input_shape, pair.classes
((28, 28, 1), 10)

It uses the code of the workflow and of ``quantrift assess``, so that numbers are the same. A network is the path of a
file, the bytes of a .tflite, .onnx, .pt2 or .pte file, a Keras model, or any function from a batch of inputs to its
outputs (:class:`Function`): a PyTorch module, a served model, a phone over a link.
"""

from quantrift.core.pairs.task import task_of
from quantrift.core.search.records.replaying import Replay
from quantrift.judge.intake.given_functions import Function
from quantrift.judge.intake.input_form import InputForm
from quantrift.judge.python.assessments import assess, replay, report
from quantrift.judge.python.certifications import certify
from quantrift.judge.python.mendings import mend
from quantrift.judge.python.pairs import Pair, load_pair
from quantrift.judge.python.searches import Searched, search
from quantrift.judge.verdict.assessment import LIMITS, Limits, read

made = task_of
"""The name of ``task_of`` in earlier versions."""

__all__ = [
    "LIMITS",
    "Function",
    "InputForm",
    "Limits",
    "Pair",
    "Replay",
    "Searched",
    "assess",
    "certify",
    "load_pair",
    "made",
    "mend",
    "read",
    "replay",
    "report",
    "search",
    "task_of",
]
