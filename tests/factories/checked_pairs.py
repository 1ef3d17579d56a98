"""Rows of pairs with what checkers said of them, by hand."""

from typing import Any


def row(
    network: str,
    strength: float | None,
    state: str,
    layer: str | None,
    conditional: bool = False,
    **scores: float | None,
) -> dict[str, Any]:
    """A pair in a .tflite file; each checker names ``conv1``, and failed where it has no score.

    Args:
        network: its name, which is also its family.
        strength: of the planted fault; ``None`` for a good file.
        state: ``broken``, ``good`` or ``borderline``.
        layer: in which the fault lies.
        conditional: whether the fault acts on the share ``strength`` of the inputs alone.
        scores: checker -> score.
    """
    said = {
        name: {"score": score, "layer": "conv1", "seconds": 0.5, "failed": None if score is not None else "no"}
        for name, score in scores.items()
    }
    fault = "int8" if strength is None else "scale"
    about = {"network": network, "family": network, "format": "tflite", "fault": fault, "seed": 0}
    about["conditional"] = conditional
    return about | {"strength": strength, "state": state, "layer": layer, "disagreement": 0.1, "checkers": said}
