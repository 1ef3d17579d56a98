"""Diagnoses: what explains a verdict and never decides it. Each fails alone, and results say which, and why."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from quantrift.core.base.errors import QuantriftError, on_one_line, printable

P = ParamSpec("P")
T = TypeVar("T")


class Diagnoses:
    """Computes diagnoses, and notes those that fail."""

    def __init__(self, named: Callable[[str], str] = str) -> None:
        """``named`` gives a text with the names that the user knows."""
        self._named = named
        self.failed: list[str] = []
        """Which failed, and why: one line each."""

    def __call__(self, what: str, instead: T, compute: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of ``compute``; ``instead`` where it raises any ``Exception``, which is noted.

        Args:
            what: the diagnosis in words.
            instead: stands for the result.
            compute: called with what follows.
            args: of ``compute``.
            kwargs: likewise.
        """
        try:
            return compute(*args, **kwargs)
        except QuantriftError as error:
            self.failed.append(self._named(f"{what}: {error}"))
        except MemoryError:
            self.failed.append(f"{what}: not enough memory")
        except Exception as error:
            reason = printable(on_one_line(error, 200))
            self.failed.append(f"{what}: a mistake of Quantrift ({type(error).__name__}: {reason}); please report it")
        return instead
