"""Requirements on networks from files. Each error names the file and the remedy."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.graphs.signature import Signature


def check_fit(path: Path, shape: tuple[int, ...], classes: int, inputs: Inputs) -> None:
    """Make sure that a network for images of ``shape`` with ``classes`` outputs fits ``inputs``.

    Raises:
        QuantriftError: if it takes other inputs, or has fewer outputs than there are classes.
    """
    refuse(
        (
            tuple(shape) != inputs.shape,
            f"{path}: made for inputs {tuple(shape)}, dataset '{inputs.dataset}' has {inputs.shape}; "
            "name it for the dataset it was trained on, or correct its inputs in the settings",
        ),
        (
            classes < len(inputs.class_names),
            f"{path}: has {classes} outputs, dataset '{inputs.dataset}' has {len(inputs.class_names)} classes: "
            "there are labels outside the classes; name it for the dataset it was trained on",
        ),
    )


def check_logits(path: Path, values: np.ndarray) -> None:
    """Make sure that outputs (n, K) of a network are logits.

    Raises:
        QuantriftError: for NaN and infinities, and for probabilities that come from anything but a softmax at the end.
    """
    wrong = int((~np.isfinite(values)).any(axis=1).sum())
    refuse(
        (
            wrong,
            f"{path}: gives NaN or infinity on {wrong} of {len(values)} test inputs; "
            "look at its weights, and at how its inputs are made in the settings",
        ),
        (
            len(values) and values.min() >= 0 and np.allclose(values.sum(axis=1), 1, rtol=0, atol=0.01),
            f"{path}: gives probabilities, but ends in no softmax that could be left out; export it to end in one",
        ),
    )


def check_independence(path: Path, runtime: Runtime, inputs: Inputs) -> None:
    """Make sure that a network's result for one input does not depend on the others of a call.

    Raises:
        QuantriftError: if any bit of its logits for the first test inputs depends on the others.
    """
    refuse(
        (
            depends_on_others(runtime, inputs.take(inputs.test[:PROBES])),
            f"{path}: its result for one input depends on the inputs beside it, so that no search could be repeated; "
            "export it for one input at a time",
        ),
    )


def depends_on_others(runtime: Runtime, x: np.ndarray) -> bool:
    """True if a network's results for ``x``, float32 (n, H, W, C), differ in any bit from ``one_by_one``."""
    return bool(len(x)) and runtime(x).tobytes() != one_by_one(runtime, x).tobytes()


def one_by_one(run: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """Results (n, ...) of a network that gets the inputs ``x``, (n, ...), one at a time; n > 0."""
    return np.concatenate([run(x[place : place + 1]) for place in range(len(x))])


PROBES = 9
"""More than kernels take at once."""


def probes(signature: Signature) -> np.ndarray:
    """Inputs for a network, float32 (PROBES, *row).

    Magnitudes differ, as some kernels derive the grid of their integers from all inputs of a run.
    """
    magnitudes = np.geomspace(1 / 16, 16, PROBES).reshape(PROBES, 1, 1, 1)
    found: np.ndarray = (magnitudes * np.random.default_rng(0).random((PROBES, *signature.row))).astype(np.float32)
    # A whole number beyond those that a file knows may be an error there.
    found[..., signature.whole] = 0
    return found
