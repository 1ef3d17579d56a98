"""The confined process that reads foreign files: it writes to its own folder alone, and gets requests over a pipe.

Started by ``core.networks.foreign.reader``, under ``quantrift.core.networks.foreign.confinement``, with ``FD FOLDER``.
"""

import json
import math
import resource
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from quantrift.core.base import extras
from quantrift.core.base.errors import QuantriftError, of_machine, reading
from quantrift.core.base.files import write_file
from quantrift.core.base.limits import allow_memory, limit_memory
from quantrift.core.networks.foreign.requirements import probes
from quantrift.core.networks.graphs.open_sides import OpenSides, fill
from quantrift.core.networks.runtime import ends, load_runtime, load_values

SECONDS, MORE = 50, 600
"""Seconds of processor time to read a file and run it on one input, and for what follows; damaged ones may not end."""
CONVERTED = "original.tflite"
AS_GIVEN = "as_given.tflite"
"""A converted Keras network with its layers unchanged, as other converters see them."""


class Worker:
    """Answers requests; it keeps the Keras network that it converted, to run it."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is where it writes."""
        self._folder = folder
        self._network: Any = None

    def run(self, path: str, runtime: str, values: bool, shape: Sequence[int] | None) -> dict[str, list[int]] | None:
        """Load a network's file on a runtime and run it on a few inputs; with ``values`` for all its outputs.

        It runs as the process that asked will, which a bug in a runtime could end too. Where sides of its input are
        open, nothing is run, and ``sizes`` of them for inputs of the shape are told (``open_sides.fill``).
        """
        try:
            network: Any = (load_values if values else load_runtime)(runtime, path)
        except OpenSides as error:
            if (sizes := fill(error.sides, shape)) is None:
                raise
            return {"sizes": list(sizes)}
        network(np.zeros((1, *network.input_shape), np.float32))
        allow(MORE)
        # It may refuse numbers that no input holds.
        with suppress(QuantriftError):
            network(probes(network.signature))
        return None

    def ends(self, path: str) -> dict[str, Any]:
        """Inputs and outputs of a network's file by name."""
        return asdict(ends(Path(path)))

    def convert_keras(self, path: str, shape: Sequence[int] | None = None) -> dict[str, Any]:
        """Write ``CONVERTED``: a .keras or .h5 file in float32 TensorFlow Lite, without a softmax at its end.

        Where TensorFlow converts it and that changes its layers, write ``AS_GIVEN`` too: the network without any
        change. Returns whether TensorFlow does, and factor and offset of its first layers, which conversion may fuse
        with later ones (``given_keras.normalisation``). Open sides of its input are filled by the shape of an input,
        and noted in the files.
        """
        from quantrift.core.networks.foreign.plain_keras import converted

        (self._folder / AS_GIVEN).unlink(missing_ok=True)
        if (plain := converted(Path(path))) is not None:
            write_file(self._folder / CONVERTED, plain[0])
            return {"plain": True, "scaled": [one.tolist() for one in plain[1]]}
        extras.check(Path(path).name, "tensorflow")
        from quantrift.core.networks.batch_norm import folded_where_possible
        from quantrift.core.networks.foreign.given_keras import as_logits, normalisation, of_size, read_as_given
        from quantrift.core.networks.tflite_files import to_tflite

        given, note = of_size(read_as_given(Path(path)), shape)
        allow(MORE)
        self._network = as_logits(given, Path(path))
        twin = folded_where_possible(self._network)
        self._write(Path(path), CONVERTED, lambda: to_tflite(twin) + note)
        if [layer.get_config() for layer in given.layers] != [layer.get_config() for layer in twin.layers]:
            # It serves the comparison of layers alone, so a network that cannot be converted unchanged has none.
            with suppress(QuantriftError):
                self._write(Path(path), AS_GIVEN, lambda: to_tflite(given) + note)
        return {"plain": False, "scaled": [one.tolist() for one in normalisation(self._network) or ()]}

    def convert_keras_as_given(self, path: str, shape: Sequence[int] | None) -> None:
        """Write ``CONVERTED``: a .keras or .h5 file in float32 TensorFlow Lite, with all its outputs as they are."""
        extras.check(Path(path).name, "tensorflow")
        from quantrift.core.networks.foreign.given_keras import of_size, read_as_given
        from quantrift.core.networks.tflite_files import to_tflite

        given, note = of_size(read_as_given(Path(path)), shape)
        allow(MORE)
        self._write(Path(path), CONVERTED, lambda: to_tflite(given) + note)

    def convert_saved_model(self, path: str) -> None:
        """Write ``CONVERTED``: a SavedModel in float32 TensorFlow Lite."""
        extras.check(Path(path).name, "tensorflow")
        import tensorflow as tf

        from quantrift.core.networks.foreign.saved_model import checked_copy

        with TemporaryDirectory() as folder:
            copy = checked_copy(Path(path), Path(folder))
            allow(MORE)
            self._write(Path(path), CONVERTED, lambda: tf.lite.TFLiteConverter.from_saved_model(str(copy)).convert())

    def predict(self, inputs: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K), of the Keras network that was converted, for float32 (n, H, W, C)."""
        return np.ascontiguousarray(self._network.predict_on_batch(inputs), np.float32)

    def _write(self, path: Path, name: str, convert: Callable[[], bytes]) -> None:
        # The converter's errors are pages of text, whose first lines name the operation.
        with reading(path, "cannot be converted to TensorFlow Lite", "export it as .tflite or .onnx"):
            content = convert()
        write_file(self._folder / name, content)


def allow(seconds: float | None) -> None:
    """End this process once it has taken so many more seconds of processor time, any number for ``None``."""
    used, (_, most) = resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_CPU)
    limit = most if seconds is None else math.ceil(used.ru_utime + used.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


def serve(connection: Connection, worker: Worker) -> None:
    """Answer requests until the pipe is closed."""
    while True:
        try:
            request = json.loads(connection.recv_bytes())
        except EOFError:
            return
        allow_memory(request["memory"])
        allow(None if "shape" in request else SECONDS)
        given = [request["path"], *request["more"]]
        if "shape" in request:
            given = [np.frombuffer(connection.recv_bytes(), np.float32).reshape(request["shape"])]
        answer = _answer(request["path"], partial(getattr(worker, request["do"]), *given))
        if isinstance(answer, np.ndarray):
            connection.send_bytes(json.dumps({"shape": answer.shape}).encode())
            connection.send_bytes(answer.tobytes())
        else:
            connection.send_bytes(json.dumps(answer).encode())


def _answer(path: str, ask: Callable[[], Any]) -> Any:
    """What came of a request, an error included."""
    try:
        # Whatever happens within comes of the file, as this process does nothing but read it.
        with reading(path, remedy="export it again"):
            found = ask()
            return {} if found is None else found
    except QuantriftError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"memory": True}
    except OSError as error:
        return {"error": of_machine(error)}


def main(worker: Callable[[Path], Worker] = Worker) -> None:
    """Serve by the worker made for the folder of this process, which is confined to it."""
    descriptor, folder = sys.argv[1:]
    limit_memory()
    serve(Connection(int(descriptor)), worker(Path(folder)))


if __name__ == "__main__":
    main()
