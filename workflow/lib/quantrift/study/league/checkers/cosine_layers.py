"""Cosine layer by layer: the layer with the least of all is named."""

from functools import partial

from quantrift.study.league import figures
from quantrift.study.league.by_figure import at_worst_layer
from quantrift.study.league.checker import BOTH
from quantrift.study.league.layer_figures import of_layers

TITLE = "Cosine, layers"
MEANING = "least Cosine of all layers, with its sign changed"
SUFFIXES = BOTH
PACKAGE = None
score, layer = at_worst_layer(partial(of_layers, figure=figures.cosine))
