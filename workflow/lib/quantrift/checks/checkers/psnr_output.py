"""PSNR of the output: the logits of both networks beside each other."""

from quantrift.checks import figures
from quantrift.checks.by_figure import at_output
from quantrift.checks.checker import BOTH

TITLE = "PSNR, output"
MEANING = "PSNR of the logits, in dB, with its sign changed"
SUFFIXES = BOTH
PACKAGE = None
score = at_output(figures.psnr)
