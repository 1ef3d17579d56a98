"""Numbers as text for readers; None and NaN become empty cells."""

import math


def missing(value: object) -> bool:
    """Whether a cell has no value: None, NaN or pandas' NA."""
    return value is None or str(value) == "<NA>" or value != value


def percent(value: float | None) -> str:
    """A fraction as percent with two decimals, more where it would read 0: ``1.07``, ``0.0031``."""
    if value is None or missing(value):
        return ""
    shown = 100 * float(value)
    if shown == 0 or abs(shown) >= 0.005:
        return f"{shown:.2f}"
    return f"{shown:.{1 - math.floor(math.log10(abs(shown)))}f}"


def span(low: float | None, high: float | None) -> str:
    """An interval of fractions as percent, with a leading blank; empty where an end is missing."""
    return "" if missing(low) or missing(high) else f" [{percent(low)}, {percent(high)}]"


def estimate(value: float | None, low: float | None, high: float | None, rests_on: object = "") -> str:
    """A fraction as percent with its interval, and the number of cases it rests on, in words, where these are few."""
    if value is None or missing(value):
        return ""
    return percent(value) + span(low, high) + (f" ({rests_on})" if rests_on and not missing(rests_on) else "")


def plain(value: float | None, decimals: int = 2) -> str:
    """A number with a fixed number of decimals."""
    return "" if value is None or missing(value) else f"{float(value):.{decimals}f}"


def whole(value: int | None) -> str:
    """An integer with thousands separated."""
    return "" if value is None or missing(value) else f"{int(value):,}"
