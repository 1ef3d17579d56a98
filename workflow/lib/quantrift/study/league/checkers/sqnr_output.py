"""SQNR of the output: the logits of both networks beside each other."""

from quantrift.study.league import figures
from quantrift.study.league.by_figure import at_output
from quantrift.study.league.checker import BOTH

TITLE = "SQNR, output"
MEANING = "SQNR of the logits, in dB, with its sign changed"
SUFFIXES = BOTH
PACKAGE = None
score = at_output(figures.sqnr)
