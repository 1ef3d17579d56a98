"""Benchmarks of runtimes: speed on one network."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tools.benchmarks.benchmark import Benchmark, Result, cost

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import COMPRESSED, ORIGINAL, Paths
from quantrift.core.networks.runtime import load_runtime, module, names_for_trained
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import subjects

BATCHES = (256, 1)
SECONDS = 0.5
"""CPU time for which a runtime runs at least, in each repeat."""


@dataclass(frozen=True)
class Files:
    """A network, its inputs, and its form in 8 bits."""

    inputs: Path
    twin: Path
    original: Path
    compressed: Path

    @staticmethod
    def of(model: str, config: Config, paths: Paths, compression: str = "ptq_int8") -> "Files":
        """Files of the first subject of the configuration with ``model`` and a compression, in 8 bits by default.

        Raises:
            QuantriftError: if there is none.
        """
        every = (one for group in config.subjects for one in subjects(config, group))
        found = [one.dataset for one in every if (one.model, one.compression) == (model, compression)]
        if not found:
            raise QuantriftError(f"no subject of this scale is {model} with {compression}; add one")
        folder = paths.model(found[0], model)
        return Files(
            inputs=paths.inputs(found[0], model),
            twin=folder / "twin.keras",
            original=folder / ORIGINAL,
            compressed=paths.compressed(found[0], model, compression) / COMPRESSED,
        )


@dataclass(eq=False)
class Runtimes(Benchmark):
    """Evaluations a CPU-second on one thread; runtimes take turns, so that other load affects them alike.

    CPU time, as other work on the machine then counts less, and threads that a library hides count fully. Runtimes
    that are not installed are left out.
    """

    model: str
    files: Files = field(init=False)
    runtimes: dict[str, dict[int, Callable[[np.ndarray], np.ndarray]]] = field(default_factory=dict)
    """Name -> batch -> network."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The network, float and in 8 bits, and its inputs."""
        self.files = Files.of(self.model, config, paths)
        return list(vars(self.files).values())

    def measure(self) -> Result:
        """All runtimes at both batch sizes, once."""
        inputs = Inputs.load(self.files.inputs)
        if not self.runtimes:
            self._load()
        x = inputs.take(np.resize(inputs.test, max(BATCHES)))
        rates = {
            f"{name}_{batch}": _rate(of_batch[batch], x[:batch])
            for batch in BATCHES
            for name, of_batch in self.runtimes.items()
        }
        return Result(
            value=rates["litert_256"],
            unit="evaluations/s",
            baseline="TensorFlow on the same float network",
            ratio=rates["litert_256"] / rates["tensorflow_256"],
            details=rates,
        )

    def _load(self) -> None:
        self._add("tensorflow", "tensorflow", self.files.twin)
        self._add("litert", "litert", self.files.original)
        self._add("litert_int8", "litert", self.files.compressed)
        with TemporaryDirectory() as folder:
            # Other kernels of the same libraries, like litert_reference, are there to be compared, not to be fast.
            for name in [name for name in names_for_trained() if name not in self.runtimes and "_" not in name]:
                try:
                    self._add(name, name, self._original(name, Path(folder)))
                except QuantriftError as error:
                    print(f"left out: {error}", file=sys.stderr)

    def _original(self, name: str, folder: Path) -> Path:
        """The file of the original that a runtime runs, exported into ``folder`` where it is another than LiteRT's."""
        # Only here, as TensorFlow must first be told to use one thread, which its runtime does.
        from quantrift.core.networks.keras_files import load

        path = folder / module(name).ORIGINAL
        if path.name == self.files.original.name:
            return self.files.original
        path.write_bytes(module(name).export(load(self.files.twin)))
        return path

    def _add(self, name: str, runtime: str, path: Path) -> None:
        self.runtimes[name] = {batch: load_runtime(runtime, path, batch) for batch in BATCHES}


def _rate(network: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> float:
    """Evaluations a second of a processor of whole batches ``x``."""
    network(x)
    done = spent = 0.0
    while spent < SECONDS:
        spent += cost(partial(network, x)).processor_seconds
        done += len(x)
    return done / spent
