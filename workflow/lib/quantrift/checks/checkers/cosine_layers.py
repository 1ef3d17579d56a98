"""Cosine layer by layer: the layer with the least of all is named."""

from functools import partial

from quantrift.checks import figures
from quantrift.checks.by_figure import at_worst_layer
from quantrift.checks.checker import BOTH
from quantrift.checks.layer_figures import of_layers

TITLE = "Cosine, layers"
MEANING = "least Cosine of all layers, with its sign changed"
SUFFIXES = BOTH
PACKAGE = None
score, layer = at_worst_layer(partial(of_layers, figure=figures.cosine))
