"""Most that the arithmetic of LiteRT's kernels differs from real numbers, layer by layer.

Both kinds of kernels are covered, those of XNNPACK and the built-in ones, in any order of their sums.

* float32: a sum of k products has an error of at most gamma_k = k u / (1 - k u) times the sum of their magnitudes,
  with u = 2**-24, in any order and with fused operations or without (Higham, Accuracy and Stability of Numerical
  Algorithms, equation 3.5). Twice that is taken.
* int8: sums are exact in int32. Their scaling to the grid of the output is where errors come in: XNNPACK converts the
  sum to float32, multiplies and rounds to nearest; other kernels multiply by a 31-bit factor, round (the built-in ones)
  or cut off (those of XNNPACK for ARM), then shift by k bits and round, which can be off by 1/2 + 2**-k of a step.

Numbers that a float32 kernel would lose to infinity are refused before (``bounded_network``).
"""

import numpy as np

from quantrift.judge.certify.bounds.layers import Rounding

UNIT = 2.0**-24
"""Half the distance between 1 and the next float32."""
LARGEST_SUM = 2**31
LARGEST_FLOAT = 1e37
"""Magnitude of a sum of magnitudes below which nothing overflows in float32."""
OF_RESULT = 2.0**-21
"""Relative error of a sum that was converted to float32 and multiplied by a rounded factor; ample for three."""
TINY = 1e-30
"""Absolute error below which float32 has no normal numbers, with room for many of them."""


def of_float(fan_in: int) -> Rounding:
    """Rounding of a float32 layer whose outputs are sums of ``fan_in`` products and a bias."""
    terms = fan_in + 2
    return Rounding(2 * terms * UNIT / (1 - terms * UNIT), np.array(TINY), 0.0)


def of_int8(factor: np.ndarray, step: float) -> Rounding:
    """Rounding of an 8-bit layer.

    Args:
        factor: of a step of the sum to a step of the output, float64 (channels,), more than 0.
        step: of the output's grid.
    """
    # factor = m 2**exponent with m in [1/2, 1): kernels shift by -exponent.
    _, exponent = np.frexp(factor)
    return Rounding(0.0, step * (0.5 + np.exp2(np.minimum(exponent, 0).astype(float))), OF_RESULT)
