"""Interfaces of runtimes: the module of one, and a network that it has loaded."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    import keras

    from quantrift.core.networks.graphs.ends import Ends
    from quantrift.core.networks.graphs.signature import Signature


class Runtime(Protocol):
    """A loaded network. Its result for one input must not depend on the other inputs of the call.

    Logits are meant up to a constant per row: a network that ends in a softmax gives its probabilities' logarithms,
    less the row's largest, so that a softmax of them is the probabilities again.
    """

    input_shape: tuple[int, int, int]
    """Height, width and channels of one input."""
    classes: int
    """Number of classes K."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K) in C order, of ``x``, float32 (n, H, W, C); n may be 0."""
        ...


class ValuesRuntime(Runtime, Protocol):
    """A loaded network that gives the values of all its outputs, float32 (n, K), side by side.

    Its ``classes`` K is their number, and ``signature.values`` tells their names and shapes. A module of a runtime may
    offer ``load_values(path, batch)``, which loads one; without it, the runtime takes classifiers alone.
    """

    signature: "Signature"


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

    def ends(self, path: Path) -> "Ends":
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
