"""Search for the fewest units in float: bisection over an order, then elimination one by one."""

from collections.abc import Callable, Collection, Sequence

Passes = Callable[[Collection[str]], bool]
"""Whether the network with some units in float is accepted."""


def shortest(order: Sequence[str], passes: Passes) -> int | None:
    """Length of a beginning of an order that is accepted while one shorter by one is not; ``None`` if all is not.

    It is the shortest of all if a longer beginning is never worse, which rounding errors that cancel may break.
    """
    if passes(()):
        return 0
    if not passes(order):
        return None
    low, high = 0, len(order)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(order[:middle]) else (middle, high)
    return high


def fewest(order: Sequence[str], passes: Passes) -> frozenset[str] | None:
    """Units to leave in float, none of which can be quantized without losing acceptance; ``None`` if nothing helps.

    Args:
        order: all units, those first that cost the most.
        passes: the rule; asked about log2(n) beginnings, then once for each unit that is left.
    """
    length = shortest(order, passes)
    if length is None:
        return None
    kept = list(order[:length])
    # The cheapest one first, as it is the most likely to go.
    for name in reversed(order[:length]):
        rest = [one for one in kept if one != name]
        if passes(rest):
            kept = rest
    return frozenset(kept)
