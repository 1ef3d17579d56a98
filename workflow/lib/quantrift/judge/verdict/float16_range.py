"""Values beyond the range of float16: here they are computed in float32, and a device may overflow on them."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from quantrift.core.networks.layer_values.beyond_float16 import LIMIT, SEEN, Magnitudes, magnitudes
from quantrift.core.networks.runtime import runtime_of
from quantrift.judge.intake.given_functions import Called
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.assessment import Judgement
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.record_summary import exact

Given = Callable[[Ready], Iterable[np.ndarray]]
"""Inputs as a network takes them, some at a time."""
BATCH = 256
"""Inputs that are held at once."""


def of_range(
    first: Ready | None, networks: Mapping[str, Ready], given: Given, count: int, diagnoses: Diagnoses
) -> tuple[dict[str, list[Judgement]], list[str]]:
    """Look at the tensors of the original where a compressed network states float16 and runs in float32.

    Where the tensors of the original cannot be seen, those of the compressed network stand for them. Nothing is
    computed where no network states float16.

    Args:
        first: the original, if it is at hand.
        networks: name -> compressed network.
        given: the inputs as given, for a network that takes them; changed ones are not looked at.
        count: number of these inputs.
        diagnoses: computes the magnitudes, which are unknown where that fails.

    Returns:
        Name of a network -> its judgement, where a value is beyond the range: it does not pass; and lines on networks
        whose values keep to it, or are unknown.
    """
    judgements: dict[str, list[Judgement]] = {}
    lines: list[str] = []
    known: dict[Path, Magnitudes | None] = {}
    for name, one in networks.items():
        if isinstance(one, Called) or "float16" not in one.widened:
            continue
        near = [network for network in (first, one) if network is not None and not isinstance(network, Called)]
        seen = next((network for network in near if runtime_of(network.path) in SEEN), None)
        if seen is not None and seen.path not in known:
            values = seen.values.signature.values is not None
            known[seen.path] = diagnoses(
                f"{name}: range of float16", None, magnitudes, runtime_of(seen.path), seen.path, values, given(seen)
            )
        found = None if seen is None else known[seen.path]
        if seen is None or found is None:
            lines.append(
                f"{one.given.name}: unknown whether its values stay within the {LIMIT:,.0f} of float16, as tensors of "
                "the original cannot be seen: a device that computes in float16 may overflow"
            )
        elif beyond := found.beyond:
            judgements[name] = [_judgement(seen, beyond, found.inputs(count), count)]
        else:
            tensor, most = max(found.largest.items(), key=lambda item: item[1])
            lines.append(
                f"{one.given.name}: within the range of float16 on the inputs as given; of the tensors of "
                f"{seen.given.name}, '{tensor}' reaches {most:,.4g} of {LIMIT:,.0f}. Changed inputs were not looked at"
            )
    return judgements, lines


def _judgement(seen: Ready, beyond: Mapping[str, float], hit: int, count: int) -> Judgement:
    """A judgement that is never a pass: this processor computes in float32, so that no device was tried."""
    tensor, most = next(iter(beyond.items()))
    more = f" (and {len(beyond) - 1} more)" if len(beyond) > 1 else ""
    text = (
        f"range of float16: tensor '{tensor}'{more} of {seen.given.name} reaches {most:,.4g}, beyond {LIMIT:,.0f}, on "
        f"{hit:,} of {count:,} inputs: overflows on a device that computes in float16. Here it was computed in float32"
    )
    figure, share = "inputs with values beyond float16", exact(hit, count)
    return Judgement("float16_range", figure, None, share, 0.0, "inconclusive", count, None, None, text)
