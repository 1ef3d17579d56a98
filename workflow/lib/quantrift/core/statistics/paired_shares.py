"""Difference of two shares of the same cases, such as the accuracies of two networks on the same inputs."""

import numpy as np

from quantrift.core.statistics.intervals import Z95


def drop(lost: int, gained: int, count: int) -> tuple[float, float, float]:
    """Fall of a share between two measurements of the same cases, with its 95 % interval.

    Bonett and Price (2012): a Wald interval after one case is added to each of the two counts, which keeps its level
    in small samples and without any change.

    Args:
        lost: cases counted in the first measurement alone.
        gained: cases counted in the second alone.
        count: all cases.

    Returns:
        (fall, low, high), fractions -1 to 1; nan without cases.
    """
    if not count:
        return np.nan, np.nan, np.nan
    first, second = (lost + 1) / (count + 2), (gained + 1) / (count + 2)
    middle = first - second
    reach = Z95 * np.sqrt((first + second - middle**2) / (count + 2))
    return (lost - gained) / count, max(-1.0, float(middle - reach)), min(1.0, float(middle + reach))
