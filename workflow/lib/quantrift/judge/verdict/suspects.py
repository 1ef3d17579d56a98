"""Layers suspected of wrong quantization, by the error that each adds to what it inherits.

Every layer of the original also runs on what the compressed network's layer reads, so that the difference of the two is
the layer's own error (``LayerError.added_sqnr_db``); it does not grow with depth as the whole error does. A layer is
suspected if

* its own error is large: below ``POOR``; or below ``FAIR`` and at least ``STEP`` below the median of all other layers,
  as networks differ in what their sound layers keep;
* it is there: where each network runs on its own, the layer is about as far from the original's (``SLACK``), and
  the layers that read it, and the output, inherit that (``RECOVERED``). Where they do not, two tensors of one name were
  compared that are not the same;
* no layer before it along the graph is suspected, as what was set for other inputs may clip these; but for one whose
  own ratio is at least ``WORSE`` below that of each suspected layer before it.

The layer with the largest error is named first.

A layer that gives NaN or infinity where the original's gives numbers is suspected whatever its ratio is, the first one
also behind a suspected layer.

Where the original is not in float, no layer can run alone, and the fall of the whole error stands for its own: a layer
is suspected if its ratio is below ``ALONE`` and ``FALL`` below that of each layer that it reads, which is ``FIRST`` for
the network's input. "Ratio" is the signal-to-quantization-noise ratio (SQNR) in dB throughout.
"""

from collections.abc import Mapping, Sequence
from math import inf
from statistics import median

from quantrift.core.networks.layer_errors import LayerError
from quantrift.core.networks.layer_tensors import OUTPUT

POOR = 10.0
"""dB: an error of a third of the signal, whatever the other layers have."""
FAIR = 22.0
"""dB that a layer may keep and still be an exception in its network: sound ones keep 23 and more on inputs like those
that their ranges were measured on. Some networks that are shipped keep 18, but no layer keeps much more there."""
STEP = 10.0
"""Loss in dB below the others that makes a layer an exception."""
WORSE = 15.0
"""dB by which clipping behind a faulty layer is no worse than the fault."""
ALONE = 20.0
"""dB that sound layers reach together, where no layer can run alone."""
FALL = 10.0
"""Loss in dB that no single layer of a sound network reaches."""
FIRST = 25.0
"""dB that sound first layers reach in 8 bits."""
SLACK = 6.0
"""dB by which the whole error of a layer may be less than its own, as errors may cancel."""
RECOVERED = 15.0
"""dB that no later layer gains on an error that it inherits: poolings and sums gained 9 at most."""
WORST = 5.0
"""dB below which clipping hides how large an error is."""


def suspects(
    layers: Sequence[LayerError],
    others: Mapping[str, Sequence[LayerError]] | None = None,
) -> dict[str, str]:
    """Name of each suspected layer -> why, one line, the largest error first.

    Args:
        layers: of a candidate, in the order of computation.
        others: name of each other candidate of the same original -> its layers, which are told as evidence.
    """
    found: dict[str, tuple[float, str]] = {}
    by_name = {layer.layer: layer for layer in layers}
    # Suspected layers, and those behind one -> least ratio of those suspected so far along the graph.
    after: dict[str, float] = {}
    broken = next((layer for layer in layers if layer.not_finite), None)
    for layer in layers:
        # Layers come in the order of computation, so that what was said of those before is known.
        least = min((after[name] for name in layer.reads if name in after), default=inf)
        own = layer.added_sqnr_db
        ratio = -inf if layer.not_finite else own if own is not None else layer.sqnr_db
        is_open = layer is broken or least == inf or (own is not None and own <= least - WORSE)
        why = _why(layer, by_name) if is_open else None
        if why and ratio is not None and (layer.not_finite or _is_inherited(layer, layers)):
            look = "" if layer.not_finite else ": look at the scales of this layer"
            found[layer.layer] = ratio, f"{why}{_elsewhere(layer.layer, others or {})}{look}"
            least = min(least, ratio)
        if least < inf:
            after[layer.layer] = least
    return {name: why for name, (_, why) in sorted(found.items(), key=lambda one: one[1][0])}


def _why(layer: LayerError, by_name: Mapping[str, LayerError]) -> str | None:
    """Reason why a layer is suspected, if it is."""
    if layer.not_finite:
        return f"gives NaN or infinity on {layer.not_finite} of {layer.inputs} inputs where the original gives numbers"
    if layer.sqnr_db is None:
        return None
    if layer.added_mse is None:
        # What is equal to the original's throughout has no ratio.
        ratios = (by_name[name].sqnr_db for name in layer.reads)
        least = min((ratio for ratio in ratios if ratio is not None), default=FIRST)
        if layer.sqnr_db >= ALONE or layer.sqnr_db > least - FALL:
            return None
        reached = f"what it reads has {least:.1f} dB" if layer.reads else f"sound first layers reach {FIRST:.0f} dB"
        return f"SQNR falls to {layer.sqnr_db:.1f} dB here, {reached}"
    own = layer.added_sqnr_db
    rest = [one.added_sqnr_db for one in by_name.values() if one is not layer and one.added_sqnr_db is not None]
    usual = median(rest) if rest else FIRST
    if own is None or layer.sqnr_db > own + SLACK or (own >= POOR and not (own < FAIR and own <= usual - STEP)):
        return None
    return f"SQNR falls here: on its own input the layer keeps {own:.1f} dB, other layers' median is {usual:.1f} dB"


def _is_inherited(layer: LayerError, layers: Sequence[LayerError]) -> bool:
    """Whether the layers that read a layer, and the output, are as far from the original's as its error makes them."""
    ratio = layer.sqnr_db if layer.added_sqnr_db is None else layer.added_sqnr_db
    assert ratio is not None
    most = max(ratio, WORST) + RECOVERED
    inherits = [(one, one.sqnr_db is not None and one.sqnr_db < most) for one in layers]
    readers = [is_as_far for one, is_as_far in inherits if layer.layer in one.reads]
    return (any(readers) or not readers) and all(is_as_far for one, is_as_far in inherits if one.layer == OUTPUT)


def _elsewhere(name: str, others: Mapping[str, Sequence[LayerError]]) -> str:
    """The same layer in other candidates."""
    same = [
        f"{other} {ratio:.1f} dB"
        for other, layers in others.items()
        for layer in layers
        if layer.layer == name and (ratio := layer.sqnr_db if layer.added_mse is None else layer.added_sqnr_db)
    ]
    return f" (the same layer in {', '.join(same)})" if same else ""
