"""Ways of running a format, as users name them after the path of a file: ``model.tflite@reference``."""

from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.runtime import module, names, runtime_of
from quantrift.core.networks.runtimes.tensorflow import SUFFIXES as KERAS

MARK = "@"
GRAPH = "saved_model.pb"
"""File by which the folder of a SavedModel is known."""
CONVERTED = ".tflite"
"""Ending of what Keras networks and SavedModels are converted to; they run in the ways of such files."""


@dataclass(frozen=True)
class Asked:
    """A network's file, and how it is to be run."""

    file: Path
    runtime: str | None = None
    """Name of the runtime that was asked for; ``None`` for the one that the file's name tells."""
    way: str | None = None
    """Its name as the user gave it."""

    def runs(self, path: Path) -> str:
        """Runtime of the file, or of what it was converted to."""
        return self.runtime or runtime_of(path)


def asked(path: Path) -> Asked:
    """The file that a path names, and the way of running that may stand behind an ``@``.

    A path that exists is a file's, whatever it holds.

    Raises:
        QuantriftError: files of the format are not run in a way of that name.
    """
    before, mark, way = path.name.rpartition(MARK)
    if not mark or not before or path.exists():
        return Asked(path)
    file = path.with_name(before)
    # Networks of Keras and SavedModels run as what they are converted to.
    ending = CONVERTED if file.suffix in KERAS or (file / GRAPH).is_file() else file.suffix
    if not any(ending in module(name).SUFFIXES for name in names()):
        return Asked(path)
    known = ways_of(ending)
    if way not in known:
        listed = ", ".join(known)
        say = f"name one of {listed}, as in {file.name}{MARK}{next(iter(known))}" if known else "leave it out"
        raise QuantriftError(f"{path}: '{way}' is no way of running {ending} files; {say}")
    return Asked(file, known[way], way)


def ways_of(ending: str) -> dict[str, str]:
    """Ways in which files of an ending are run -> runtimes; the usual one first."""
    usual_first = sorted(names(), key=lambda name: ending not in module(name).SUFFIXES)
    return {way: name for name in usual_first if (way := getattr(module(name), "WAYS", {}).get(ending))}


def in_words(runtime: str) -> str:
    """A runtime's way of running, in words."""
    return str(getattr(module(runtime), "HOW", runtime))
