"""Cosine of the output: the logits of both networks beside each other."""

from quantrift.study.league import figures
from quantrift.study.league.by_figure import at_output
from quantrift.study.league.checker import BOTH

TITLE = "Cosine, output"
MEANING = "Cosine of the logits, with its sign changed"
SUFFIXES = BOTH
PACKAGE = None
score = at_output(figures.cosine)
