"""Networks from users' files, made ready to run: choice of runtime, conversion, checks."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import cast

import numpy as np

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.foreign.requirements import depends_on_others, probes
from quantrift.core.networks.function import FunctionNetwork
from quantrift.core.networks.graphs.choices import ALONE, LAYOUT, YES, with_note
from quantrift.core.networks.graphs.open_sides import OpenSides, fill
from quantrift.core.networks.graphs.signature import two_classes
from quantrift.core.networks.runtime import load_runtime, load_values, module, runtime_of, suffixes_of_compressed
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime
from quantrift.core.networks.runtimes.tensorflow import SUFFIXES as KERAS
from quantrift.core.networks.versions import versions
from quantrift.core.networks.ways import GRAPH, Asked, asked, in_words
from quantrift.core.pairs.task_pair import AgreeingOriginal, ComparedNetwork
from quantrift.judge.intake.chosen_ends import COPY, NOTHING, Chosen, carried_along, copied, noted, sized
from quantrift.judge.intake.expected_ranges import Expected, expected
from quantrift.judge.intake.input_form import (
    FROM_FILES,
    InputForm,
    axes,
    by_sides,
    check_kind,
    ending,
    mark_to_write,
    opened,
)

FUNCTION = "function"
"""Runtime of what is called from Python."""


@dataclass(frozen=True, eq=False)
class Ready:
    """A network that runs."""

    given: Path
    """Path as the user gave it, with the way of running behind an ``@`` if one was named."""
    file: Path
    """The file that it names, or the folder of a SavedModel."""
    path: Path
    """A file that a runtime reads; another one where that was converted, or where its layout was written into it."""
    runtime: str
    """Name of its runtime in ``quantrift.core.networks.runtimes``."""
    network: LiteRT | ONNXRuntime | FunctionNetwork | AgreeingOriginal | ComparedNetwork
    """The last two are networks under a task (``quantrift.core.pairs.task_pair``)."""
    assumed: list[str]
    """Assumptions, one line each."""
    source: Callable[[np.ndarray], np.ndarray] | None = None
    """The network it was converted from, if that runs: inputs, float32 (n, H, W, C), to logits (n, K)."""
    scaled: tuple[np.ndarray, np.ndarray] | None = None
    """Factor and offset that the first layers of ``source`` apply to inputs, if they do."""
    chosen: Chosen = NOTHING
    """Its inputs and outputs that the user chose."""

    @property
    def values(self) -> LiteRT | ONNXRuntime | FunctionNetwork:
        """What runs the file itself, beneath a task."""
        if isinstance(self.network, AgreeingOriginal | ComparedNetwork):
            return cast("LiteRT | ONNXRuntime", self.network.values)
        return self.network

    def release(self) -> None:
        """Give back memory that the network held while it ran, as far as its runtime can."""
        if isinstance(self.values, LiteRT):
            self.values.release()

    @property
    def own_runtime(self) -> bool:
        """Whether it runs as its file does where nobody asks for another way."""
        return self.runtime == runtime_of(self.path)

    @property
    def probabilities(self) -> bool:
        """Whether the file ends in a softmax or sigmoid, of whose probabilities logits are made again."""
        return self.network.signature.probabilities or self.network.signature.sigmoid

    @cached_property
    def widened(self) -> list[str]:
        """Those of ``float16`` and ``bfloat16`` that the file states, and that are computed in float32 here."""
        found = module(runtime_of(self.path))
        return found.widened(self.path) if hasattr(found, "widened") else []

    @cached_property
    def expected(self) -> Expected:
        """Which inputs the file says that it takes."""
        start = self.network.signature.start
        if self.scaled is not None:
            start = replace(start, slope=self.scaled[0], offset=self.scaled[1])
        return expected(self.path, self.given.name, start)


def original(path: Path, folder: Path, files: ForeignFiles, form: InputForm = FROM_FILES) -> Ready:
    """The network that a user calls the original: ``.keras``, ``.h5``, a SavedModel, or a file that is also read as
    compressed.

    Networks of Keras and SavedModels are converted to float32 TensorFlow Lite, as the workflow does it.

    Args:
        path: the file, or the folder of a SavedModel.
        folder: where ``original.tflite`` is written, if the network is converted.
        files: reader of foreign files; ``source`` of the result runs there, as long as that is open.
        form: how inputs are meant, as far as the user says so.

    Raises:
        QuantriftError: if it cannot be read, converted or run, is not one from one image, signal or row of a table to
            logits or probabilities, or does not tell the order of its axes.
    """
    ready = _original(path, folder / "original.tflite", files, form)
    check_decided(ready)
    return ready


def check_decided(ready: Ready, beside: str = "") -> None:
    """Refuse a network whose file does not tell the order of its axes; ``beside`` says what another one takes.

    Raises:
        QuantriftError: one line.
    """
    signature = ready.network.signature
    refuse(
        (
            not signature.decided,
            f"{ready.given}: takes {by_sides(signature.input.shape)}, and has no operation that tells where its "
            f"channels are{beside}; say --layout channels_last or --layout channels_first",
        )
    )


def _original(path: Path, target: Path, files: ForeignFiles, form: InputForm) -> Ready:
    wanted = asked(path)
    file, is_folder = wanted.file, wanted.file.is_dir()
    if is_folder:
        refuse(
            (not (file / GRAPH).is_file(), f"{path}: a folder without {GRAPH}; name a SavedModel or a network's file")
        )
    elif file.suffix not in KERAS:
        read = suffixes_of_compressed()
        refuse(
            (
                file.suffix not in read,
                f"{path}: originals are read from {', '.join((*KERAS, *read))} and SavedModels; export it as one",
            )
        )
        return _tried(path, wanted, files, form)
    # Of several inputs or outputs, a network is converted as it is: logits are made of images alone.
    elif not (form.values or form.change is not None or form.outputs):
        by_keras, scaled = files.convert_keras(file, target, form.shape)
        source = partial(files.predict, file) if by_keras else None
        return _of_keras(_ready(target, path, wanted, form, NOTHING), source, scaled)
    if is_folder:
        files.convert(file, "saved_model", target)
    else:
        files.convert(file, "keras_as_given", target, [form.shape])
    with noted(target, path, files, form, NOTHING) as (converted, chosen):
        ready = _ready(converted, path, wanted, form, chosen)
        return replace(ready, assumed=[_conversion(path, "a SavedModel" if is_folder else "Keras"), *ready.assumed])


def compressed(path: Path, files: ForeignFiles, form: InputForm = FROM_FILES, like: Chosen = NOTHING) -> Ready:
    """The network that a user calls compressed, in a file that a runtime of ``quantrift.core.networks.runtimes`` reads.

    Where its file does not tell the order of its axes, ``check_fit`` holds it against the original's.

    Args:
        path: the file.
        files: reader of foreign files.
        form: how inputs are meant, as far as the user says so.
        like: what was chosen of the original's inputs and outputs, to which those of this network are matched.

    Raises:
        QuantriftError: as ``original`` does; and for what only originals are, like Keras files.
    """
    wanted = asked(path)
    read = f"compressed networks are {' or '.join(suffixes_of_compressed())} files"
    refuse(
        (
            wanted.file.is_dir() or wanted.file.suffix in KERAS,
            f"{path}: given as compressed, but {read}; were --original and --compressed exchanged?",
        ),
        (
            wanted.file.suffix not in suffixes_of_compressed(),
            f"{path}: {read}; export it as one, or judge its outputs from elsewhere with quantrift export-inputs and "
            "judge-outputs",
        ),
    )
    return _tried(path, wanted, files, form, like)


def _tried(given: Path, wanted: Asked, files: ForeignFiles, form: InputForm, like: Chosen = NOTHING) -> Ready:
    """A network that was run elsewhere first, where a damaged file can end no process but that."""
    path = wanted.file
    there = path.is_file()
    refuse(
        (not there, f"{path}: no such file; name the network's file"),
        (there and not path.stat().st_size, f"{path}: is empty; export the network again"),
    )
    with noted(path, given, files, form, like) as (own, chosen), ExitStack() as stack:
        try:
            if sizes := files.run(own, wanted.runs(own), form.values, form.shape):
                own = stack.enter_context(sized(own, sizes))
                files.run(own, wanted.runs(own), form.values)
        except QuantriftError as error:
            # Whatever the runtime calls it, an operation without a kernel is the most frequent cause.
            if runtime_of(path) == "litert" and (names := _custom(path)):
                raise QuantriftError(
                    f"{path}: uses operations that are not among TensorFlow Lite's own ({', '.join(names)}); "
                    "export it with built-in operations alone"
                ) from None
            raise QuantriftError(str(error).replace(str(own), str(path))) from None
        return _ready(own, given, wanted, form, chosen)


def _ready(path: Path, owned: Path, wanted: Asked, form: InputForm, chosen: Chosen) -> Ready:
    runtime, copies = wanted.runs(path), [path] if path.parent.name.endswith(COPY) else []
    try:
        network = _loaded(path, owned, runtime, form.values)
    except OpenSides as error:
        # Of a converted file.
        if (sizes := fill(error.sides, form.shape)) is None:
            raise
        with sized(path, sizes) as copy:
            return _ready(copy, owned, wanted, form, chosen)
    mark = mark_to_write(owned, network.signature, form)
    if mark is not None:
        copies.append(path := copied(path, with_note(path.read_bytes(), path.suffix, LAYOUT, mark)))
        network = _loaded(path, owned, runtime, form.values)
    if alone := _has_to_run_alone(network):
        copies.append(path := copied(path, with_note(path.read_bytes(), path.suffix, ALONE, YES)))
        network = _loaded(path, owned, runtime, form.values)
    for copy in copies:
        # Searches copy the file, and need it no longer than the network lives.
        weakref.finalize(network, shutil.rmtree, copy.parent, ignore_errors=True)
    check_kind(owned, network.signature, form)
    lines = [
        ending(network.signature),
        "runs on one input at a time, as its result for one depends on the others of a run" if alone else None,
        "takes float16, to which inputs are rounded" if network.signature.input.dtype is np.float16 else None,
        axes(network.signature, form),
        opened(network.signature),
        carried_along(network.signature) if network.signature.carried else None,
        *chosen.assumed,
        None if wanted.way is None else f"run by {in_words(runtime)}",
    ]
    ready = Ready(owned, wanted.file, path, runtime, network, [], chosen=chosen)
    if kinds := ready.widened:
        lines.append(
            f"states {' and '.join(kinds)}, which {in_words(runtime)} computes in float32 on this processor; a device "
            "that computes in fewer bits gives other results"
        )
    return replace(ready, assumed=[f"{owned.name}: {line}" for line in lines if line])


def _has_to_run_alone(network: LiteRT | ONNXRuntime) -> bool:
    """True for a network that takes any number of inputs, but whose result for one depends on the others."""
    try:
        return not network.signature.rows and depends_on_others(network, probes(network.signature))
    # A network may refuse numbers that no input holds; what is wrong with it shows on the inputs given.
    except QuantriftError:
        return False


def _loaded(path: Path, given: Path, runtime: str, values: bool) -> LiteRT | ONNXRuntime:
    try:
        with _quiet():
            network = cast("LiteRT | ONNXRuntime", (load_values if values else load_runtime)(runtime, path))
            network(np.zeros((1, *network.input_shape), np.float32))
    except QuantriftError as error:
        # The user knows only the original of a converted file.
        error.args = (str(error).replace(str(path), str(given)),)
        raise error from None
    return network


def _custom(path: Path) -> list[str]:
    """Names of the operations of a .tflite file that are not in the schema."""
    from quantrift.core.networks.tflite_graph import Graph

    try:
        root = Graph(path.read_bytes()).root
        return sorted(
            {
                code.CustomCode().decode()
                for code in map(root.OperatorCodes, range(root.OperatorCodesLength()))
                if code.CustomCode()
            }
        )
    # The schema's code trusts every offset in the file, and meets damage with whatever comes of it.
    except Exception:
        return []


def _conversion(path: Path, kind: str) -> str:
    return f"{path.name}: read from {kind} and run as float32 TensorFlow Lite"


def _of_keras(
    ready: Ready,
    source: Callable[[np.ndarray], np.ndarray] | None,
    scaled: tuple[np.ndarray, np.ndarray] | None,
) -> Ready:
    """A converted network of Keras; with that itself as its source, if Keras read it, which takes and gives what a
    runtime does.
    """
    signature = ready.network.signature

    def run(inputs: np.ndarray) -> np.ndarray:
        assert source is not None
        found = source(signature.shaped(inputs))
        return two_classes(found, signature.sigmoid) if signature.single else found

    how = "; translated without Keras, and not compared with its outputs" if source is None else ""
    lines = [
        _conversion(ready.given, "Keras") + how,
        # A converted file no longer tells in what the original ends.
        f"{ready.given.name}: a softmax at its end, if there is one, is left out; labels stay the same",
        *(line for line in ready.assumed if any(one in line for one in (": takes ", ": run by ", " open: "))),
    ]
    return replace(ready, assumed=lines, source=source and run, scaled=scaled)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what runtimes in C++ print to standard error to themselves; it is about processors and their own past."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    kept = os.dup(2)
    with tempfile.TemporaryFile() as hidden:
        os.dup2(hidden.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def versions_of(networks: Sequence[Ready]) -> dict[str, str]:
    """Package -> version: quantrift, what every network needs, and the packages of these networks' runtimes.

    What a function calls is not known, so it adds none.
    """
    used = dict.fromkeys(name for one in networks if one.runtime != FUNCTION for name in module(one.runtime).PACKAGES)
    return {"quantrift": version("quantrift")} | versions() | {name: version(name) for name in used}
