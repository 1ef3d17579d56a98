"""Numbers as text: enough digits to compare, no false precision."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from quantrift.core.statistics.column import Kind


def number(text: str) -> float | None:
    """The number a CSV cell holds, or None for an empty cell, NaN or text."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def shown(value: float, kind: Kind) -> str:
    """``value`` as text without its unit: fractions as percent or percentage points, sizes with their own unit."""
    if math.isinf(value):
        return "∞" if value > 0 else "\u2212∞"
    if kind in ("fraction", "points"):
        return f"{'+' if kind == 'points' and value > 0 else ''}{_fixed(100 * value)}"
    if kind == "p":
        return f"{value:.4f}" if value >= 0.001 or value == 0 else f"{value:.1e}"
    if kind == "effect":
        return _minus(f"{value:.3f}")
    if kind == "bytes":
        return _size(value)
    if value == int(value):
        return _minus(f"{int(value):,}".replace(",", "\u202f"))
    if abs(value) < 0.0005:
        return _minus(f"{value:.1e}")
    return _minus(f"{value:.{3 if abs(value) < 1 else 2 if abs(value) < 10 else 1}f}")


def _fixed(value: float) -> str:
    """Two decimals, more for small values, so that a positive value never reads as 0."""
    decimals = 2 if value == 0 or abs(value) >= 0.01 else min(8, 1 - math.floor(math.log10(abs(value))))
    return _minus(f"{value:.{decimals}f}")


def _size(value: float) -> str:
    for unit in ("B", "kB", "MB"):
        if abs(value) < 1000:
            return f"{value:.0f}\u00a0B" if unit == "B" else f"{value:.3g}\u00a0{unit}"
        value /= 1000
    return f"{value:.3g}\u00a0GB"


def _minus(text: str) -> str:
    return text.replace("-", "\u2212")


def missing(value: object) -> bool:
    """Whether a cell has no value: None, NaN or pandas' NA."""
    return value is None or str(value) == "<NA>" or value != value


def percent(value: float | None) -> str:
    """A fraction as percent with two decimals, more where it would read 0: ``1.07``, ``0.0031``; "" for no value."""
    if value is None or missing(value):
        return ""
    share = 100 * float(value)
    decimals = 2 if share == 0 or abs(share) >= 0.005 else 1 - math.floor(math.log10(abs(share)))
    return f"{share:.{decimals}f}"


def whole(value: int | None) -> str:
    """An integer with thousands separated; "" for no value."""
    return "" if value is None or missing(value) else f"{int(value):,}"


def distinct(values: Iterable[Any], text: Callable[[Any], str] = str) -> str:
    """The different values, ascending, between commas; missing ones are left out."""
    return ", ".join(map(text, sorted({value for value in values if not missing(value)})))
