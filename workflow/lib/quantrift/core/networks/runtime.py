"""Runtimes, found by folder: the module ``quantrift.core.networks.runtimes.<name>`` is the runtime ``<name>``."""

import hashlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from quantrift.core.base import paths, plugins
from quantrift.core.base.errors import QuantriftError, nearest, reading, refuse
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.graphs.ends import Ends
from quantrift.core.networks.graphs.signature import Signature

if TYPE_CHECKING:
    import keras

FOLDER = "quantrift.core.networks.runtimes"


class ValuesRuntime(Runtime, Protocol):
    """A loaded network that gives the values of all its outputs, float32 (n, K), side by side.

    Its ``classes`` K is their number, and ``signature.values`` tells their names and shapes. A module of a runtime may
    offer ``load_values(path, batch)``, which loads one; without it, the runtime takes classifiers alone.
    """

    signature: Signature


class RuntimeModule(Protocol):
    """A module of ``quantrift.core.networks.runtimes``; its name is the runtime's.

    Importing it loads no library that another runtime can do without, as names of files are asked for where nothing is
    run: it imports its own where a network is loaded or exported (``quantrift.core.networks.libraries``).
    """

    SUFFIXES: tuple[str, ...]
    """How names of the files end that it runs unless another runtime is asked for; no two runtimes claim the same."""
    PACKAGES: tuple[str, ...]
    """Packages whose versions its results depend on."""
    ORIGINAL: str
    """Name of the file that it runs, in the folder of an original network."""
    COMPRESSED: str | None
    """Name of the file that it runs, in the folder of a compressed network; ``None`` if it has none of its own."""
    WAYS: Mapping[str, str]
    """Ending of files -> name by which users ask for this runtime there (``model.tflite@reference``); a module may
    leave it out, and then nobody can."""
    HOW: str
    """Way of running in words, beside ``WAYS``."""

    def load(self, path: str | Path, batch: int = 256) -> Runtime:
        """The network in a file, to be run on at most ``batch`` inputs at once.

        Networks of users (``quantrift assess``) also need its ``signature``, a
        ``quantrift.core.networks.graphs.signature.Signature``.

        Raises:
            QuantriftError: its library is not installed, or it cannot run the file.
        """
        ...

    def load_values(self, path: str | Path, batch: int = 256) -> ValuesRuntime:
        """The same network, for tasks; a module may leave it out, and then takes classifiers alone."""
        ...

    def beside(self, path: Path, target: Path) -> Mapping[Path, Path]:
        """Files beside a network's that hold its weights -> where they lie beside a copy of it called ``target``.

        A module may leave this out: its networks are files of their own.

        Raises:
            QuantriftError: one of them is missing.
        """
        ...

    def ends(self, path: Path) -> Ends:
        """Inputs and outputs of a file by name, among which users choose, read without running it.

        A module may leave this out: it has no files of its own.

        Raises:
            QuantriftError: its library is not installed, or the file cannot be read.
            Exception: of any other class, where the file is damaged.
        """
        ...

    def range_of_input(self, path: Path) -> tuple[float, float, float] | None:
        """Least and greatest value that 8-bit integers at the input of a file stand for, and the step between two.

        ``None`` if its input is not rounded. A module may leave this out: nothing is known then.
        """
        ...

    def stored(self, path: Path) -> list[tuple[bool, int]]:
        """For each constant of a file, whether its numbers have at most 8 bits, and how many they are.

        Biases of 32 bits are left out. A module may leave this out: an original and a compressed network that were
        exchanged are not noticed then.
        """
        ...

    def widened(self, path: Path) -> list[str]:
        """Those of ``float16`` and ``bfloat16`` that a file states, and that are computed in float32 here.

        A module may leave this out: what its files state is computed as they state it, or nothing is known.
        """
        ...

    def export(self, model: "keras.Model") -> bytes:
        """Content of the file ``ORIGINAL``, float32, from the twin of a trained network.

        A runtime needs none that runs what training leaves: ``model.keras``, or ``original.tflite`` like LiteRT; nor
        one of networks that users give alone.

        Raises:
            QuantriftError: a library is not installed, or the network cannot be exported.
        """
        ...


def names() -> tuple[str, ...]:
    """The runtimes there are, sorted; none is imported."""
    return plugins.names(FOLDER)


def names_for_trained() -> tuple[str, ...]:
    """Those that run networks trained here: what training leaves, or what they export themselves."""
    left = "model.keras", paths.ORIGINAL
    return tuple(name for name in names() if module(name).ORIGINAL in left or hasattr(module(name), "export"))


def module(name: str) -> RuntimeModule:
    """The module of the runtime called ``name``.

    Raises:
        QuantriftError: there is no such runtime.
    """
    try:
        # One at a time, where it is used: a search process starts in a fraction of a second.
        return cast(RuntimeModule, plugins.load(FOLDER, name))
    except KeyError:
        raise QuantriftError(f"there is no runtime '{name}'; {nearest(name, names())}") from None


def runtime_of(path: str | Path) -> str:
    """Name of the runtime that a file is for, told from how its name ends.

    Raises:
        QuantriftError: no runtime is for such files.
    """
    suffix = Path(path).suffix
    for name in names():
        if suffix in module(name).SUFFIXES:
            return name
    known = [suffix for name in names() for suffix in module(name).SUFFIXES]
    raise QuantriftError(f"{path}: ends in '{suffix}', which no runtime reads; name a file in {', '.join(known)}")


def beside(path: Path, target: Path) -> Mapping[Path, Path]:
    """Files beside a network's that hold its weights -> where they lie beside a copy of it called ``target``.

    Empty for networks of one file, and for files of no runtime.

    Raises:
        QuantriftError: one of them is missing.
    """
    found = [one for one in map(module, names()) if path.suffix in one.SUFFIXES and hasattr(one, "beside")]
    return found[0].beside(path, target) if found else {}


def files_of(path: Path) -> list[Path]:
    """The files of a network: its own and those beside it that hold weights, or all in the folder of a SavedModel."""
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.is_file())
    return [path, *sorted(beside(path, path))]


def file_digest(path: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits; of a network of several, of their contents one after the other."""
    whole = hashlib.sha256()
    for file in files_of(path):
        with file.open("rb") as content:
            hashlib.file_digest(content, lambda: whole)
    return whole.hexdigest()


def ends(path: Path) -> Ends:
    """All inputs and outputs of a network's file by name; read from the file, which is not run.

    Raises:
        QuantriftError: it is damaged, its library is not installed, or its runtime tells no names.
    """
    found = module(runtime_of(path))
    refuse((not hasattr(found, "ends"), f"{path}: files of this kind tell no names; leave out --change and --output"))
    with reading(path, "damaged, so that its inputs cannot be read", "export it again"):
        return found.ends(path)


def suffixes_of_compressed() -> tuple[str, ...]:
    """How names of files end that may hold compressed networks."""
    return tuple(suffix for name in names() if module(name).COMPRESSED for suffix in module(name).SUFFIXES)


def load_runtime(name: str, path: str | Path, batch: int = 256) -> Runtime:
    """The network in the file ``path`` on the runtime called ``name``; at most ``batch`` inputs are run at once.

    Raises:
        QuantriftError: if there is no such runtime, its library is not installed, or it cannot run the file.
    """
    with _readable(path):
        return module(name).load(path, batch)


def load_values(name: str, path: str | Path, batch: int = 256) -> ValuesRuntime:
    """The network in the file ``path``, which gives the values of all its outputs side by side instead of logits.

    Raises:
        QuantriftError: as ``load_runtime`` does, and if the runtime takes classifiers alone.
    """
    found = module(name)
    refuse(
        (
            not hasattr(found, "load_values"),
            f"{path}: the runtime {name} takes classifiers alone; export it as .tflite or .onnx",
        ),
    )
    with _readable(path):
        return found.load_values(path, batch)


def _readable(path: str | Path) -> AbstractContextManager[None]:
    """Schemas' code trusts every offset in a file, and meets damage with whatever comes of it."""
    return reading(path, f"not a readable {Path(path).suffix} file", "export it again")
