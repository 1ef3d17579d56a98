"""Networks given as functions: their declaration, and checks that a search of them can be repeated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.foreign.requirements import PROBES, one_by_one
from quantrift.core.networks.function import BATCH, FunctionNetwork, FunctionValues, Meaning
from quantrift.core.networks.graphs.choices import LAYOUTS, Layout, plain
from quantrift.core.networks.graphs.ends import NamedInput
from quantrift.core.networks.graphs.input_sides import Kind
from quantrift.judge.intake.chosen_ends import Chosen
from quantrift.judge.intake.expected_ranges import Expected
from quantrift.judge.intake.given_networks import FUNCTION, Ready
from quantrift.judge.intake.input_form import FROM_FILES, InputForm, check_kind

SUMS = 0.01
"""Largest distance of the sum of probabilities from 1."""
SIDES: Mapping[Kind, tuple[str, ...]] = {
    "image": ("rows", "columns", "channels"),
    "signal": ("steps", "channels"),
    "table": ("features",),
}
"""Kind of inputs -> names of the sides of one."""


@dataclass(frozen=True, eq=False)
class Function:
    """A network as a function, which stays in this process: nothing of it is written to files."""

    run: Callable[..., object]
    """From a batch of inputs, float32 (n, H, W, C), to an array of numbers (n, K), one row for each input. With K = 1,
    the sign of a logit, or a probability above 1/2, tells the second of two classes. Signals come as (n, T, C), rows of
    a table as (n, F). With ``values``, it gives an array (n, ...), or several by name."""
    outputs: Meaning
    """Meaning of the numbers: ``logits`` or ``probabilities``; ``values`` for a task, which takes them as they are."""
    input_shape: tuple[int, ...] | None = None
    """(H, W, C) of one image, (T, C) of a signal, (F,) of a row; that of the given inputs where it is left out."""
    layout: Layout = "channels_last"
    """``channels_first`` if the function takes (n, C, H, W), or (n, C, T)."""
    batch: int = BATCH
    """Inputs that it gets at once at most; 1 where it treats them otherwise together than alone."""
    fixed: bool = False
    """Whether it always gets ``batch`` inputs, the last one repeated where there are fewer."""
    name: str | None = None
    """Name in reports and messages; the function's own by default."""
    kind: Kind | None = None
    """``image``, ``signal`` or ``table``; the kind of the space that is asked for where it is left out, or else
    ``image``."""
    others: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Name of each input beside the one that searches change (``InputForm.change``) -> its shape for one input, () for
    a number. The function gets each by its name, float32 (n, ...)."""

    def __post_init__(self) -> None:
        """Refuse settings that fit no function.

        Raises:
            QuantriftError: one line that names the setting.
        """
        values = {"outputs": ("logits", "probabilities", "values"), "layout": LAYOUTS, "kind": (None, *SIDES)}
        refuse(
            (
                not callable(self.run),
                f"run is of type {type(self.run).__name__}; give a function from inputs to outputs",
            ),
            *(
                (
                    (given := getattr(self, setting)) not in known,
                    f"{self.title}: {setting} is {given!r}; say {' or '.join(repr(one) for one in known if one)}",
                )
                for setting, known in values.items()
            ),
            (self.batch < 1, f"{self.title}: batch is {self.batch}; give at least 1"),
        )

    @property
    def title(self) -> str:
        """Its name, on one line and without slashes."""
        own = self.name or str(getattr(self.run, "__name__", type(self.run).__name__))
        return " ".join(own.replace("/", " ").replace("<lambda>", "function").split()) or "function"


@dataclass(frozen=True, eq=False)
class Called(Ready):
    """A function that runs as a network. All of its paths are its name, and no file."""

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
        network = self.values
        assert isinstance(network, FunctionNetwork)
        x = inputs.take(inputs.test[:PROBES])
        before = x.tobytes()
        found = network.outputs(x)
        self._refuse(x.tobytes() != before, "changes the inputs that it gets; let it work on a copy of them")
        wrong = int((~np.isfinite(found)).any(axis=1).sum())
        self._refuse(
            wrong,
            f"gives NaN or infinity on {wrong} of the first {len(x)} inputs; look at how it takes inputs, and at the "
            "range of its numbers",
        )
        self._refuse(
            network.outputs(x).tobytes() != found.tobytes(),
            "gives other outputs when it is called again with the same inputs; switch off what is random in it, like "
            "dropout",
        )
        self._refuse(
            one_by_one(network.outputs, x).tobytes() != found.tobytes(),
            "its outputs for one input depend on the inputs beside it, so that no search could be repeated; say "
            "batch=1, or fixed=True where it always takes as many, in quantrift.api.Function",
        )
        is_plain = network.signature.values is None
        sums = found.shape[1] == 1 or np.allclose(found.sum(axis=1, dtype=np.float64), 1, rtol=0, atol=SUMS)
        shares = sums and found.min() >= 0 and found.max() <= 1 + SUMS
        self._refuse(
            is_plain and self.probabilities and not shares,
            f"gives numbers from {found.min():.3g} to {found.max():.3g}, which are no probabilities of classes, as was "
            "said; say outputs='logits', or correct the function",
        )
        self._refuse(
            is_plain and not self.probabilities and found.shape[1] > 1 and shares,
            "gives probabilities, but logits was said; say outputs='probabilities'",
        )

    def _refuse(self, wrong: object, how: str) -> None:
        refuse((wrong, f"{self.given}: {how}"))


def called(
    function: Function,
    inputs: np.ndarray | None = None,
    form: InputForm = FROM_FILES,
    image: tuple[int, int, int] | None = None,
    like: Sequence[NamedInput] = (),
) -> Called:
    """A function, ready to run.

    Args:
        function: with what its owner says of it.
        inputs: given inputs, (n, ...), whose shape counts where the function has none.
        form: how inputs are meant, and whether outputs are taken as they are.
        image: (H, W, C) of the inputs, where they stood in this form before.
        like: inputs of the original, where it has several.

    Raises:
        QuantriftError: the shape of its inputs is not known, it cannot be run on such, or its outputs are said to be
            what nobody asks for.
    """
    name = function.title
    kind = function.kind or form.kind or "image"
    said = f"{name}: its outputs are {function.outputs}, as was said"
    is_value = function.outputs == "values"
    refuse(
        (
            form.kind not in (None, kind),
            f"{name}: takes a {kind}, as was said; leave out space={form.space!r}, or say kind={form.kind!r}",
        ),
        (
            form.values and not is_value,
            f"{said}, but a task takes outputs as they are; say outputs='values', or leave out the task",
        ),
        (
            is_value and not form.values,
            f"{said}, which only a task compares; name a task, or say outputs='logits' or outputs='probabilities'",
        ),
    )
    network = (FunctionValues if form.values else FunctionNetwork)(
        name,
        function.run,
        image or _image(function, kind, inputs),
        function.outputs,
        function.layout,
        function.batch,
        function.fixed,
        kind,
        form.change or "",
        _others(function, form, like),
    )
    check_kind(Path(name), network.signature, form)
    order = f" and whose inputs are {function.layout.replace('_', ' ')}" if kind != "table" else ""
    assumed = (
        f"{name}: a function called from Python, whose outputs are {function.outputs}{order}, as was said; the range "
        f"of values that it was made for is {'as was said' if form.scaled else 'unknown'}"
    )
    signature = network.signature
    others = [NamedInput(one.name, one.shape) for one in signature.carried]
    return Called(
        Path(name),
        Path(name),
        Path(name),
        FUNCTION,
        network,
        [assumed],
        chosen=Chosen([NamedInput(signature.name, signature.input.shape), *others] if others else []),
    )


def _others(function: Function, form: InputForm, like: Sequence[NamedInput]) -> Mapping[str, tuple[int, ...]]:
    """Other inputs of a function, in the order of the original's."""
    order = [plain(one.name) for one in like[1:]] or list(function.others)
    refuse(
        (
            bool(function.others) != (form.change is not None),
            f"{function.title}: others of Function and change of InputForm belong together: which inputs there are "
            "beside the one that searches change, and the name of that one; give both or none",
        ),
        (
            sorted(order) != sorted(function.others),
            f"{function.title}: takes {', '.join(function.others)} beside the input that is changed, the original "
            f"{', '.join(order)}; name them alike in others of Function",
        ),
    )
    return {name: tuple(function.others[name]) for name in order}


def unknown(names: Sequence[str]) -> str:
    """Line on what nobody can know of functions."""
    many = len(names) > 1
    return (
        f"{' and '.join(names)} {'are functions' if many else 'is a function'} called from Python: operations and "
        f"their types, layers, size and digest of {'them' if many else 'it'} are unknown"
    )


def _image(function: Function, kind: Kind, inputs: np.ndarray | None) -> tuple[int, int, int]:
    """(H, W, C) of the inputs of a function, as it is said, or as given inputs stand."""
    shape, sides = function.input_shape, SIDES[kind]
    if shape is not None:
        listed = " and ".join(filter(None, [", ".join(sides[:-1]), sides[-1]]))
        refuse(
            (
                len(shape) != len(sides) or min(shape) < 1,
                f"{function.title}: input_shape is {shape}; give {listed}",
            )
        )
        return (*(1,) * (3 - len(shape)), *shape)  # type: ignore[return-value]
    # Sides of 1 in front are those of inputs that an assessment stored.
    match kind, () if inputs is None else inputs.shape[1:], function.layout:
        case "image", (height, width), _:
            return height, width, 1
        case ("image", (channels, height, width), "channels_first") | ("image", (height, width, channels), _):
            return height, width, channels
        case "table", (features,) | (1, 1, features), _:
            return 1, 1, features
        case "signal", (steps,), _:
            return 1, steps, 1
        case ("signal", (1, steps, channels), _) | ("signal", (channels, steps), "channels_first"):
            return 1, steps, channels
        case "signal", (steps, channels), _:
            return 1, steps, channels
    raise QuantriftError(f"{function.title}: the shape of its inputs is unknown; say input_shape=({', '.join(sides)})")
