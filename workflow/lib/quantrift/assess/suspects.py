"""Layers that seem to be quantized wrongly, told from how far each is from the original's.

Rounding to 8 bits costs each layer a little, and what it costs adds up slowly: over the layers of a network the
signal-to-quantization-noise ratio (SQNR) falls step by step. A wrong scale costs a lot at once, and all later layers
inherit it. So a layer is suspected if its SQNR is below ``POOR`` and at least ``STEP`` below the least of all layers
before it; before the first layer stands ``FIRST``. Later layers that are only as bad are not suspected again.
"""

from collections.abc import Collection, Mapping, Sequence

from quantrift.compression.layer_errors import LayerError

POOR = 20.0
"""dB: an error of a tenth of the signal. A scale that is wrong by a tenth or more leaves no more than that."""
STEP = 10.0
"""dB that no single layer of a sound network loses."""
FIRST = 25.0
"""dB that sound first layers reach in 8 bits."""


def suspects(
    layers: Sequence[LayerError],
    others: Mapping[str, Sequence[LayerError]] | None = None,
    skipped: Collection[str] = (),
) -> dict[str, str]:
    """Name of each suspected layer -> why, one line.

    Args:
        layers: of a candidate, in the order of computation.
        others: name of each other candidate of the same original -> its layers, which are told as evidence.
        skipped: layers that are not judged, like outputs after a softmax, whose logarithms say little.
    """
    found = {}
    before: float | None = None
    for layer in layers:
        if layer.sqnr_db is None or layer.layer in skipped:
            continue
        least = FIRST if before is None else before
        if layer.sqnr_db < POOR and layer.sqnr_db <= least - STEP:
            reached = f"sound first layers reach {FIRST:.0f} dB" if before is None else f"all before it {before:.1f} dB"
            elsewhere = _elsewhere(layer.layer, others or {})
            found[layer.layer] = (
                f"SQNR falls to {layer.sqnr_db:.1f} dB here, {reached}{elsewhere}: look at the scales of this layer"
            )
        before = layer.sqnr_db if before is None else min(before, layer.sqnr_db)
    return found


def _elsewhere(name: str, others: Mapping[str, Sequence[LayerError]]) -> str:
    """The same layer in other candidates."""
    same = [
        f"{other} {layer.sqnr_db:.1f} dB"
        for other, layers in others.items()
        for layer in layers
        if layer.layer == name and layer.sqnr_db is not None
    ]
    return f" (the same layer in {', '.join(same)})" if same else ""
