"""Reader of foreign files: a confined process of its own, in which their content can do no harm."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from multiprocessing import Pipe
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

from quantrift.core.base.errors import Mistake, refuse
from quantrift.core.base.limits import allow_memory, memory_left
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.batches import runs
from quantrift.core.networks.foreign import confinement
from quantrift.core.networks.foreign.worker import AS_GIVEN, CONVERTED, MORE, SECONDS
from quantrift.core.networks.graphs.ends import Ends, NamedInput

NO_MEMORY = ("bad_alloc", "MemoryError", "Cannot allocate memory", "failed to map segment")
"""Messages of programs that end for lack of memory."""
AT_ONCE = 10**7
"""Bytes of inputs that TensorFlow gets at once; its activations take many times as much."""
END = 5.0
"""Seconds that the process has to end once it is not needed any more."""


class ForeignFiles(ExitStack[None]):
    """Tests and converts foreign networks, in a confined process that starts with the first request.

    A file that crashes that process, by a bug in a runtime or by lack of memory, gives an error of one line. When it is
    closed, as a context manager or by ``close``, the process ends and its folder goes.
    """

    PROGRAM = "quantrift.core.networks.foreign.worker"
    """Module that is the process."""
    _running: ClassVar[set[int]] = set()
    """Numbers of all such processes of this one, which divide its memory with it."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = self.enter_context(temporary_folder())
        self._said = self.enter_context(TemporaryFile())  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None
        self.callback(self._end)

    def _end(self) -> None:
        if self._process is not None:
            self._connection.close()
            try:
                self._process.wait(END)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._gone()

    def run(
        self, path: Path, runtime: str, values: bool = False, shape: Sequence[int] | None = None
    ) -> list[int] | None:
        """Load a network's file on a runtime and run it on a few inputs; with ``values`` for all its outputs.

        Returns:
            Sizes of the sides that its input leaves open, 0 for the others, for inputs of ``shape``, where it was not
            run because of these (``open_sides.fill``).

        Raises:
            QuantriftError: it cannot be loaded or run.
        """
        found: list[int] | None = self._request(path, "run", more=[runtime, values, shape]).get("sizes")
        return found

    def ends(self, path: Path) -> Ends:
        """Inputs and outputs of a network's file by name, in its order.

        Raises:
            QuantriftError: it is damaged.
        """
        answer = self._request(path, "ends")
        return Ends([NamedInput(**one | {"shape": tuple(one["shape"])}) for one in answer["inputs"]], answer["outputs"])

    def convert_keras(
        self, path: Path, out: Path, shape: Sequence[int] | None = None
    ) -> tuple[bool, tuple[np.ndarray, np.ndarray] | None]:
        """Write to ``out`` the network in a .keras or .h5 file in float32 TensorFlow Lite.

        A softmax at its end is left out, and batch normalisation folded. Where TensorFlow converts it and that changes
        its layers, the unchanged network is written to ``as_given.tflite`` beside ``out``. Open sides of its input are
        those of ``shape``, the shape of an input.

        Returns:
            Whether Keras read it, so that ``predict`` runs it; and factor and offset that its first layers apply to
            inputs, each (1,) or one for each channel, ``None`` if they apply neither.

        Raises:
            QuantriftError: the file cannot be read (``quantrift.core.networks.foreign.given_keras``) or converted, or
                TensorFlow is needed and not installed (``plain_keras``).
        """
        answer = self.convert(path, "keras", out, [shape])
        as_given = Path(self._folder) / AS_GIVEN
        if as_given.is_file():
            out.with_name(AS_GIVEN).write_bytes(as_given.read_bytes())
        slope, offset = map(np.array, answer["scaled"] or (None, None))
        return not answer["plain"], (slope, offset) if answer["scaled"] else None

    def convert(
        self,
        path: Path,
        what: Literal["keras", "keras_as_given", "saved_model"],
        out: Path,
        more: Sequence[object] = (),
    ) -> Any:
        """Write to ``out`` a network in float32 TensorFlow Lite.

        Args:
            path: a .keras or .h5 file, whose outputs ``keras_as_given`` leaves as they are, or the folder of a
                SavedModel.
            what: it is converted as.
            out: a .tflite file.
            more: of Keras, the shape of an input, which fills open sides, or ``None``.

        Raises:
            QuantriftError: as ``convert_keras`` does; a SavedModel does more than compute
                (``core.networks.foreign.saved_model``).
        """
        answer = self._request(path, f"convert_{what}", more=more)
        out.write_bytes((Path(self._folder) / CONVERTED).read_bytes())
        return answer

    def predict(self, path: Path, inputs: np.ndarray) -> np.ndarray:
        """Logits, float32 (n, K), of the Keras network that was converted last, for ``inputs``, float32 (n, H, W, C).

        Raises:
            QuantriftError: it cannot be run; ``path`` is its file, for the message.
        """
        together = max(1, AT_ONCE // max(1, inputs[:1].nbytes))
        parts = []
        for _, part, _ in runs(inputs.astype(np.float32, copy=False), together):
            shape = self._request(path, "predict", part)["shape"]
            parts.append(np.frombuffer(self._received(path), np.float32).reshape(shape))
        return np.concatenate(parts)

    def _request(self, path: Path, what: str, inputs: np.ndarray | None = None, more: Sequence[object] = ()) -> Any:
        if self._process is None:
            self._start()
        assert self._process is not None
        request = {
            "do": what,
            "path": str(path.absolute()),
            "more": list(more),
            # This process waits for the answer, so what it may take itself is the other's meanwhile.
            "memory": memory_left((os.getpid(), *(self._running - {self._process.pid}))),
        } | ({} if inputs is None else {"shape": inputs.shape})
        # If the process has ended, receiving its answer below reports why.
        with suppress(BrokenPipeError):
            self._connection.send_bytes(json.dumps(request).encode())
            if inputs is not None:
                self._connection.send_bytes(inputs.tobytes())
        answer = json.loads(self._received(path))
        allow_memory(memory_left(self._running))
        said = answer.get("error", "").replace(str(path.absolute()), str(path))
        refuse(
            (
                "memory" in answer,
                f"{path}: needs more memory than is free; close other programs, or name a smaller one",
            ),
            ("error" in answer, said.replace(f"{self._folder}/", "")),
        )
        return answer

    def _received(self, path: Path) -> bytes:
        try:
            return self._connection.recv_bytes()
        except (EOFError, ConnectionResetError):
            self._ended(path)

    def _ended(self, path: Path) -> NoReturn:
        """Raise an error with the cause of the process's end: the file, or a bug of quantrift."""
        assert self._process is not None
        code = self._process.wait()
        self._gone()
        self._said.seek(0)
        said = self._said.read().decode(errors="replace")
        how = signal.Signals(-code).name if code < 0 else "no memory left"
        refuse(
            (
                code == -signal.SIGXCPU,
                f"{path}: is not read and run on one input within {SECONDS} s, or takes more than {MORE} s to convert "
                "or to run on a few; export it again, or export a faster network",
            ),
            (
                code < 0 or any(word in said for word in NO_MEMORY),
                f"{path}: ends the process that reads it ({how}): it is damaged, or needs more memory than is free; "
                "export it again",
            ),
        )
        raise Mistake(f"the process that reads {path} ended with {code}:\n{said}")

    def _gone(self) -> None:
        assert self._process is not None
        self._running.discard(self._process.pid)
        self._process = None
        allow_memory(memory_left(self._running))

    def _start(self) -> None:
        self._connection, theirs = Pipe()
        folder = self._folder
        environment = os.environ | {"TMPDIR": folder, "TF_CPP_MIN_LOG_LEVEL": "2"}
        package = str(Path(__file__).parents[4])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [package, environment.get("PYTHONPATH")]))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", confinement.__name__, str(theirs.fileno()), folder, self.PROGRAM],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                # Output of runtimes concerns processors and deprecations.
                stdout=self._said,
                stderr=self._said,
                env=environment,
            )
        self._running.add(self._process.pid)
