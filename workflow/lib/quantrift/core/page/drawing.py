"""matplotlib's classes, loaded on first use.

Each job reads the settings of all kinds of figures, which stand beside what draws them, and hardly any job draws.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib import colormaps as colormaps
    from matplotlib import rc_context as rc_context
    from matplotlib.axes import Axes as Axes
    from matplotlib.axis import Axis as Axis
    from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvasAgg
    from matplotlib.figure import Figure as Figure
    from matplotlib.figure import SubFigure as SubFigure
    from matplotlib.image import AxesImage as AxesImage
    from matplotlib.lines import Line2D as Line2D
    from matplotlib.patches import Patch as Patch
    from matplotlib.patches import Rectangle as Rectangle
    from matplotlib.text import Text as Text
    from matplotlib.ticker import LogFormatter as LogFormatter
    from matplotlib.ticker import MaxNLocator as MaxNLocator
    from matplotlib.ticker import NullFormatter as NullFormatter

_WHERE = {
    "colormaps": "",
    "rc_context": "",
    "Axes": ".axes",
    "Axis": ".axis",
    "FigureCanvasAgg": ".backends.backend_agg",
    "Figure": ".figure",
    "SubFigure": ".figure",
    "AxesImage": ".image",
    "Line2D": ".lines",
    "Patch": ".patches",
    "Rectangle": ".patches",
    "Text": ".text",
    "LogFormatter": ".ticker",
    "MaxNLocator": ".ticker",
    "NullFormatter": ".ticker",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(name)
    return getattr(import_module(f"matplotlib{_WHERE[name]}"), name)
