"""Agreement by a user's own function, for tasks like segmentation and embeddings."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.pairs.task import BEYOND, Outputs, Task

MEANING = "what --agree package.module:function says"
Function = Callable[[dict[str, np.ndarray], dict[str, np.ndarray]], Any]
"""From outputs of the original and of the compressed network, name -> float32 (n, ...), to bool (n,), whether they
agree, or float (n,), a difference of at most 1 where they agree."""

_known: dict[str, Function] = {}


def known(name: str, function: Function) -> None:
    """Let tasks use a function of this process under a name.

    A task that was stored names its function, and nothing is imported because a file says so: whoever replays it gives
    the function again.
    """
    _known[name] = function


def imported(name: str) -> Function:
    """The function ``package.module:function``.

    Raises:
        QuantriftError: there is none.
    """
    module, _, attribute = name.partition(":")
    refuse((not module or not attribute, f"--agree is '{name}'; give package.module:function"))
    try:
        found: Function = getattr(importlib.import_module(module), attribute)
    # A user's module may raise anything while it is imported.
    except Exception as error:
        raise QuantriftError(f"--agree {name}: cannot be imported ({type(error).__name__}: {error})") from None
    refuse((not callable(found), f"--agree {name}: is no function; name one of two dictionaries of outputs"))
    return found


@dataclass(frozen=True)
class Settings(Task):
    """A function that was made known under a name."""

    DIFFERS: ClassVar[str] = "get outputs that do not agree"

    function: str = ""

    def __post_init__(self) -> None:
        """Look the function up, so that records whose function is not given are refused also where none is run."""
        if self.function:
            self._function()

    @property
    def definition(self) -> str:
        """See ``Task``."""
        return f"{self.function} says so"

    def _function(self) -> Function:
        refuse(
            (
                self.function not in _known,
                f"agreement is what the function '{self.function}' says; give it with --agree {self.function}",
            ),
        )
        return _known[self.function]

    def difference(self, original: Outputs, compressed: Outputs) -> np.ndarray:
        """What the function says; 0 and 2 for whether they agree.

        Raises:
            QuantriftError: the function fails, or returns anything else.
        """
        count = len(next(iter(original.values())))
        if not count:
            # Many functions fail on nothing.
            return np.empty(0)
        try:
            said = np.asarray(self._function()(dict(original), dict(compressed)))
        except QuantriftError:
            raise
        # A user's function may raise anything.
        except Exception as error:
            raise QuantriftError(
                f"{self.function}: fails on {count} inputs ({type(error).__name__}: {error}); correct it"
            ) from None
        refuse(
            (
                said.shape != (count,) or said.dtype.kind not in "bfiu",
                f"{self.function}: returns {said.dtype} {said.shape} for {count} inputs, expected bool or float "
                f"({count},); return one for each input",
            ),
        )
        if said.dtype.kind == "b":
            return np.where(said, 0.0, 2.0)
        # float32 numbers a little above 1 stay above it.
        return np.where(said > 1, np.maximum(said.astype(np.float64), BEYOND), said.astype(np.float64))

    def checked(self, truth: np.ndarray, outputs: Outputs) -> np.ndarray:
        """No truth is known to a function of two networks."""
        raise QuantriftError("is not used: a function of two networks' outputs says nothing on true ones; leave it out")

    def right(self, outputs: Outputs, truth: np.ndarray, of_compressed: bool) -> np.ndarray:
        """As ``checked``: there is none."""
        return self.checked(truth, outputs)
