"""Cosine of the output: the logits of both networks beside each other."""

from quantrift.checks import figures
from quantrift.checks.by_figure import at_output
from quantrift.checks.checker import BOTH

TITLE = "Cosine, output"
MEANING = "Cosine of the logits, with its sign changed"
SUFFIXES = BOTH
PACKAGE = None
score = at_output(figures.cosine)
