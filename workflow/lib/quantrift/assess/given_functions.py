"""Networks given as functions: their declaration, and checks that a search of them can be repeated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from quantrift.assess.expected_inputs import Expected
from quantrift.assess.given_networks import Ready
from quantrift.assess.input_form import FROM_FILES, InputForm
from quantrift.assess.network_input import check_kind
from quantrift.base.errors import QuantriftError
from quantrift.data.inputs import Inputs
from quantrift.models.foreign.requirements import FEW
from quantrift.models.function import BATCH, FunctionNetwork, Values
from quantrift.models.graphs.axis_order import LAYOUTS, Layout

SUMS = 0.01
"""Largest distance of the sum of probabilities from 1."""


@dataclass(frozen=True, eq=False)
class Function:
    """A network as a function, which stays in this process: nothing of it is written to files."""

    run: Callable[[np.ndarray], object]
    """From a batch of inputs, float32 (n, H, W, C), to an array of numbers (n, K), one row for each input. With K = 1,
    the sign of a logit, or a probability above 1/2, tells the second of two classes."""
    outputs: Values
    """Meaning of the numbers: ``logits`` or ``probabilities``."""
    input_shape: tuple[int, int, int] | None = None
    """(H, W, C) of one input; that of the given inputs where it is left out."""
    layout: Layout = "channels_last"
    """``channels_first`` if the function takes (n, C, H, W)."""
    batch: int = BATCH
    """Inputs that it gets at once at most; 1 where it treats them otherwise together than alone."""
    fixed: bool = False
    """Whether it always gets ``batch`` inputs, the last one repeated where there are fewer."""
    name: str | None = None
    """Name in reports and messages; the function's own by default."""

    def __post_init__(self) -> None:
        """Refuse settings that fit no function.

        Raises:
            QuantriftError: one line that names the setting.
        """
        if not callable(self.run):
            raise QuantriftError(f"run is of type {type(self.run).__name__}; give a function from inputs to outputs")
        for setting, value, known in (
            ("outputs", self.outputs, ("logits", "probabilities")),
            ("layout", self.layout, LAYOUTS),
        ):
            if value not in known:
                raise QuantriftError(f"{self.title}: {setting} is {value!r}; say {' or '.join(map(repr, known))}")
        if self.batch < 1:
            raise QuantriftError(f"{self.title}: batch is {self.batch}; give at least 1")
        if self.input_shape is not None and (len(self.input_shape) != 3 or min(self.input_shape) < 1):
            raise QuantriftError(f"{self.title}: input_shape is {self.input_shape}; give rows, columns and channels")

    @property
    def title(self) -> str:
        """Its name, on one line and without slashes."""
        own = self.name or str(getattr(self.run, "__name__", type(self.run).__name__))
        return " ".join(own.replace("/", " ").replace("<lambda>", "function").split()) or "function"


@dataclass(frozen=True, eq=False)
class Called(Ready):
    """A function that runs as a network. Both of its paths are its name, and no file."""

    @cached_property
    def expected(self) -> Expected:
        """Inputs that it takes: a function says nothing of them."""
        return Expected(self.given.name)

    def check(self, inputs: Inputs) -> None:
        """Make sure, on the first inputs, that searches of the function can be repeated.

        Raises:
            QuantriftError: it changes its inputs, gives other outputs when it is called again or when other inputs
                stand beside one, or outputs that are not finite or not what they are said to be.
        """
        network = self.network
        assert isinstance(network, FunctionNetwork)
        x = inputs.take(inputs.test[:FEW])
        before = x.copy()
        found = network.outputs(x)
        if x.tobytes() != before.tobytes():
            raise QuantriftError(f"{self.given}: changes the inputs that it gets; let it work on a copy of them")
        wrong = int((~np.isfinite(found)).any(axis=1).sum())
        if wrong:
            raise QuantriftError(
                f"{self.given}: gives NaN or infinity on {wrong} of the first {len(x)} inputs; look at how it takes "
                "inputs, and at the range of its numbers"
            )
        if network.outputs(x).tobytes() != found.tobytes():
            raise QuantriftError(
                f"{self.given}: gives other outputs when it is called again with the same inputs; switch off what is "
                "random in it, like dropout"
            )
        alone = np.concatenate([network.outputs(x[place : place + 1]) for place in range(len(x))])
        if alone.tobytes() != found.tobytes():
            raise QuantriftError(
                f"{self.given}: its outputs for one input depend on the inputs beside it, so that no search could be "
                "repeated; say batch=1, or fixed=True where it always takes as many, in quantrift.api.Function"
            )
        self._check_meaning(found)

    def _check_meaning(self, found: np.ndarray) -> None:
        """Refuse outputs, (n, K), that are not what they are said to be."""
        shares = found.min() >= 0 and found.max() <= 1 + SUMS
        sums = found.shape[1] == 1 or np.allclose(found.sum(axis=1, dtype=np.float64), 1, rtol=0, atol=SUMS)
        if self.probabilities and not (shares and sums):
            raise QuantriftError(
                f"{self.given}: gives numbers from {found.min():.3g} to {found.max():.3g}, which are no probabilities "
                "of classes, as was said; say outputs='logits', or correct the function"
            )
        if not self.probabilities and found.shape[1] > 1 and shares and sums:
            raise QuantriftError(f"{self.given}: gives probabilities, but logits was said; say outputs='probabilities'")


def called(function: Function, inputs: np.ndarray | None = None, form: InputForm = FROM_FILES) -> Called:
    """A function, ready to run.

    Args:
        function: with what its owner says of it.
        inputs: given inputs, (n, ...), whose shape counts where the function has none.
        form: how inputs are meant.

    Raises:
        QuantriftError: the shape of its inputs is not known, or it cannot be run on such.
    """
    name = function.title
    image = function.input_shape or _image(name, function.layout, inputs)
    network = FunctionNetwork(
        name, function.run, image, function.outputs, function.layout, function.batch, function.fixed
    )
    check_kind(Path(name), network.signature, form)
    stated = "as was said" if form.scaled else "unknown"
    said = (
        f"{name}: a function called from Python, whose outputs are {function.outputs} and whose inputs are "
        f"{function.layout.replace('_', ' ')}, as was said; the range of values that it was made for is {stated}"
    )
    return Called(Path(name), Path(name), "function", network, [said])


def unknown(names: Sequence[str]) -> str:
    """Line on what nobody can know of functions."""
    many = len(names) > 1
    return (
        f"{' and '.join(names)} {'are functions' if many else 'is a function'} called from Python: operations and "
        f"their types, layers, size and digest of {'them' if many else 'it'} are unknown"
    )


def _image(name: str, layout: Layout, inputs: np.ndarray | None) -> tuple[int, int, int]:
    """(H, W, C) of given inputs."""
    match None if inputs is None else inputs.shape[1:]:
        case (height, width):
            return height, width, 1
        case (channels, height, width) if layout == "channels_first":
            return height, width, channels
        case (height, width, channels):
            return height, width, channels
    raise QuantriftError(f"{name}: the shape of its inputs is unknown; say input_shape=(rows, columns, channels)")
