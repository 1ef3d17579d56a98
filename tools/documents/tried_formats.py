"""Which command takes which format under which task: each cell tried with tiny networks, and kept as a table.

``python -m tools.pages formats`` tries all of them anew, which takes minutes.
"""

import contextlib
import csv
import io
import os
import re
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from tests.factories.warm_reader import start_forked

from quantrift import api
from quantrift.cli.main import main
from quantrift.cli.outcome import COULD_NOT_RUN, CRASH
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.extras import installed
from quantrift.core.base.files import read_json
from quantrift.core.base.grouped import grouped
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.graphs.file_tensors import split
from quantrift.core.networks.runtime import module, runtime_of, suffixes_of_compressed
from quantrift.core.networks.runtime import names as runtimes
from quantrift.core.networks.runtimes import onnxruntime
from quantrift.core.networks.runtimes.tensorflow import SUFFIXES as KERAS
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.core.page.markdown import table
from quantrift.core.pairs.task import names, task_of
from quantrift.core.pairs.tasks import function
from quantrift.judge.verdict import bundle
from quantrift.judge.verdict.comparison import compare
from quantrift.judge.verdict.profiles import Settings
from quantrift.study.planning.configuration_files import ROOT

KEPT = ROOT / "docs" / "measured" / "formats.csv"
COMMANDS = ("assess", "compare", "mend", "certify", "audit", "replay", "export-inputs", "judge-outputs")
FOLDER, FUNCTION, YES, ABSENT = "SavedModel", "a Python function", "yes", "not installed here"
MASKS, TOKENS = "masks (regress)", "tokens"
"""Kinds of networks beside the tasks: one whose output is as large as the image, and one that reads text."""
FORMATS = (
    *KERAS,
    FOLDER,
    *(module(one).SUFFIXES[0] for one in runtimes() if module(one).SUFFIXES and module(one).COMPRESSED),
    FUNCTION,
)
"""Files by their endings, the first of each runtime that has files of its own."""
KINDS = (*names(), MASKS, TOKENS)
SIDE, WORDS, NUMBER = 8, 12, 120
"""Rows and columns of an image, words of a text, and inputs: fewer could not show that the widest limits are kept."""
WIDE = [f"--max-{limit}=50%" for limit in ("disagreement", "accuracy-drop", "dir")]
FEW = ["--seeds", "2", "--generations", "1"]
AGREE = "tools.documents.tried_formats:alike"


def alike(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> np.ndarray:
    """A user's function: the largest difference of any value, float (n,)."""
    apart = (np.abs(values - other[name]).reshape(len(values), -1).max(axis=1) for name, values in one.items())
    return np.asarray(np.max([*apart], axis=0))


@dataclass(frozen=True)
class Trial:
    """Two networks of one kind in one format, and inputs, in a folder of their own."""

    folder: Path
    kind: str
    original: Path
    compressed: Path

    @property
    def task(self) -> list[str]:
        """Options on the task."""
        name = "regress" if self.kind == MASKS else self.kind
        return [] if name in (TOKENS, "classify") else ["--task", name, *self.agree]

    @property
    def agree(self) -> list[str]:
        """Option on a user's function."""
        return ["--agree", AGREE] if self.kind == "function" else []

    def words(self, command: str) -> list[str]:
        """Words of a command, of which ``replay`` and ``judge-outputs`` read what others wrote."""
        first, second, out = str(self.original), str(self.compressed), ["--out", str(self.folder / command)]
        x, form = str(self.folder / "x.npz"), [*self.task, *(["--range", "0", "1"] if self.kind != TOKENS else [])]
        pair = ["--original", first, "--compressed", second, "--inputs", x, *out, *form]
        found: Mapping[str, Callable[[], list[str]]] = {
            "assess": lambda: [*pair, *FEW, *WIDE],
            "compare": lambda: [first, second, x, *form],
            "mend": lambda: [*pair, *FEW, *WIDE, "--changes", "1", "--no-compare"],
            "certify": lambda: [*pair, "--neighbourhoods", "brightness=1", "--number", "1"],
            "audit": lambda: [first],
            "replay": lambda: ["--compressed", second, *map(str, self.folder.glob("assess/*/dii.npz")), *self.agree],
            "export-inputs": lambda: ["--original", first, "--inputs", x, *out, *form, "--number", "1"],
            "judge-outputs": lambda: [str(self.folder / "export-inputs"), self._outputs(), *out, *WIDE, *self.agree],
        }
        return [command, *found[command]()]

    def _outputs(self) -> str:
        """Outputs that come back from elsewhere: those of the original, a little changed."""
        folder = self.folder / "export-inputs"
        values = read_arrays(folder / bundle.ORIGINAL)["outputs"] + np.float32(0.01)
        task = read_json(folder / bundle.FILE).get("task")
        arrays = {"outputs": values} if task is None else split(values, task["outputs"], task["shapes"])
        write_arrays(file := self.folder / "outputs.npz", arrays)
        return str(file)


def outcome(run: Callable[[], object]) -> str:
    """``YES`` where a command came to a result, whichever; else its reason. ``run`` may give an exit code."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            if run() not in (COULD_NOT_RUN, CRASH):
                return YES
    except QuantriftError as error:
        said.write(str(error))
    # Of options that a command does not have.
    except SystemExit:
        pass
    return shortened(said.getvalue().strip().splitlines()[-1])


def shortened(line: str) -> str:
    """The reason in a refusal, without the command, the files and the remedy, 60 letters at most.

    >>> shortened("quantrift mend: /tmp/m.pte: what is mended are .tflite files, run as usual; give one of these")
    'what is mended are .tflite files, run as usual'
    >>> shortened("quantrift: error: unrecognized arguments: --task regress")
    'has no --task'
    """
    line = re.sub(r"unrecognized arguments: (\S+).*", r"has no \1", line.partition(";")[0])
    return textwrap.shorten(
        re.sub(r"^((quantrift[^:]*|error|\S*/\S*): )+|\S*/(?=\S)", "", line), 60, placeholder=" ..."
    )


def tried() -> Iterator[tuple[str, str, str, str]]:
    """Format, kind, command and outcome of each cell; the working directory is a folder of its own meanwhile."""
    # Most of the time would be that of TensorFlow's import, once for each command.
    warm = patch.object(ForeignFiles, "_start", start_forked)
    with warm, tempfile.TemporaryDirectory() as root, contextlib.chdir(root):
        for kind in KINDS:
            for name in FORMATS:
                yield from ((name, kind, command, said) for command, said in of_format(Path(root), name, kind))


def of_format(root: Path, name: str, kind: str) -> Iterator[tuple[str, str]]:
    """Command -> outcome, for one format and kind."""
    folder = root / f"{len(os.listdir(root))}"
    folder.mkdir()
    inputs(kind, folder / "x.npz")
    if name == FUNCTION:
        yield from _of_function(folder, kind)
        return
    packages = ("keras",) if name in (*KERAS, FOLDER) else module(runtime_of(f"network{name}")).PACKAGES
    if not all(installed(one.replace("-", "_")) for one in packages):
        earlier = {(one["format"], one["task"], one["command"]): one["outcome"] for one in kept()}
        yield from ((command, earlier.get((name, kind, command), ABSENT)) for command in COMMANDS)
        return
    of_both = name in suffixes_of_compressed()
    files = folder / f"first{name.removeprefix(FOLDER)}", folder / f"second{name if of_both else '.tflite'}"
    for seed, file in enumerate(files):
        _write(kind, seed, file)
    trial, done = Trial(folder, kind, *files), dict[str, str]()
    for command in COMMANDS:
        before = {"replay": "assess", "judge-outputs": "export-inputs"}.get(command, "")
        done[command] = done.get(before, YES)
        if done[command] == YES:
            done[command] = outcome(partial(main, trial.words(command)))
    yield from done.items()


def _of_function(folder: Path, kind: str) -> Iterator[tuple[str, str]]:
    """The same of Python functions, which the functions of ``quantrift.api`` take."""
    function.known(AGREE, alike)
    labels = kind in ("classify", TOKENS)
    first, second = (
        api.Function(partial(network(kind, seed).predict, batch_size=1, verbose=0), "logits" if labels else "values")
        for seed in (0, 1)
    )
    form, x, out = api.InputForm(range=None if kind == TOKENS else (0.0, 1.0)), folder / "x.npz", folder / "out"
    name, stated = "regress" if kind == MASKS else kind, {"function": AGREE} if kind == "function" else {}
    task = None if labels else task_of(name, stated)
    limits = api.Limits(max_disagreement=0.5, max_accuracy_drop=0.5, max_dir=0.5)
    calls: Mapping[str, Callable[[], object]] = {
        "assess": lambda: api.assess(
            first, second, x, out, form=form, task=task, limits=limits, seeds=2, generations=1
        ),
        "compare": lambda: compare(first, [second], x, Settings(form=form, task=task)),
        "mend": lambda: api.mend(first, second, x, folder / "mend", form=form),
        "certify": lambda: api.certify(first, second, x, folder / "certify", "brightness=1", form=form),
        "replay": lambda: api.replay(out, first, second),
    }
    for command in COMMANDS:
        yield command, outcome(calls[command]) if command in calls else "takes files alone"


def inputs(kind: str, path: Path) -> None:
    """Write bytes of images, (n, H, W, C), or numbers of words, int32 (n, T)."""
    most, shape = (9, (NUMBER, WORDS)) if kind == TOKENS else (256, (NUMBER, SIDE, SIDE, 1))
    drawn = np.random.default_rng(0).integers(0, most, shape)
    write_arrays(path, {"inputs": drawn.astype(np.int32 if kind == TOKENS else np.uint8)})


def network(kind: str, seed: int) -> Any:
    """A network of Keras with random weights; of ``detect`` with two boxes, each beside its score."""
    import keras
    from keras import layers

    keras.utils.set_random_seed(seed)
    seen = [keras.Input((SIDE, SIDE, 1)), layers.Conv2D(4, 3, padding="same", activation="relu")]
    few = [*seen, layers.MaxPooling2D(4), layers.Flatten()]
    stacks: Mapping[str, list[Any]] = {
        TOKENS: [keras.Input((WORDS,), dtype="int32"), layers.Embedding(9, 4), layers.Flatten(), layers.Dense(3)],
        MASKS: [*seen, layers.Conv2D(2, 1)],
        "detect": [*few, layers.Dense(10, activation="sigmoid")],
        "multilabel": [*few, layers.Dense(3, activation="sigmoid")],
    }
    stacked = keras.Sequential(stacks.get(kind, [*few, layers.Dense(3)]))
    found: Any = stacked.outputs[0]
    if kind == "detect":
        boxes, scores = (layers.Dense(width, activation="sigmoid")(found) for width in (8, 2))
        found = {"boxes": layers.Reshape((2, 4))(boxes), "scores": scores}
    return keras.Model(stacked.inputs, found)


def _write(kind: str, seed: int, path: Path) -> None:
    """Write a network in the format that a file's ending tells, or as a SavedModel."""
    if path.suffix in (".pt2", ".pte"):
        _write_program(kind, seed, path)
    elif path.suffix == ".xml":
        import openvino

        _write(kind, seed, path.with_suffix(".onnx"))
        openvino.save_model(openvino.convert_model(path.with_suffix(".onnx")), path, compress_to_fp16=False)
    else:
        made = network(kind, seed)
        if path.suffix in KERAS:
            made.save(path)
        elif not path.suffix:
            made.export(path, verbose=False)
        else:
            path.write_bytes(onnxruntime.export(made) if path.suffix == ".onnx" else to_tflite(made))


def _write_program(kind: str, seed: int, path: Path) -> None:
    """Write such a network of PyTorch for any number of inputs, or of ExecuTorch for one."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    seen = [nn.Conv2d(1, 4, 3, padding=1), nn.ReLU()]
    few = [*seen, nn.MaxPool2d(4), nn.Flatten()]
    stacks: Mapping[str, list[Any]] = {
        TOKENS: [nn.Embedding(9, 4), nn.Flatten(), nn.Linear(4 * WORDS, 3)],
        MASKS: [*seen, nn.Conv2d(4, 2, 1)],
        "detect": [*few, nn.Linear(16, 10), nn.Sigmoid()],
        "multilabel": [*few, nn.Linear(16, 3), nn.Sigmoid()],
    }
    example = torch.zeros(2, WORDS, dtype=torch.int32) if kind == TOKENS else torch.zeros(2, 1, SIDE, SIDE)

    class Named(nn.Sequential):
        def forward(self, given: Any) -> Any:
            found = super().forward(given)
            return {"boxes": found[:, :8].reshape(-1, 2, 4), "scores": found[:, 8:]} if kind == "detect" else found

    stacked = Named(*stacks.get(kind, [*few, nn.Linear(16, 3)])).eval()
    program = torch.export.export(stacked, (example,), dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=256)},))
    if path.suffix == ".pt2":
        torch.export.save(program, path)
    else:
        from executorch.exir import to_edge_transform_and_lower

        path.write_bytes(to_edge_transform_and_lower(program).to_executorch().buffer)


def kept() -> list[dict[str, str]]:
    """Rows of the kept table; none before there is one."""
    return list(csv.DictReader(KEPT.read_text(encoding="utf-8").splitlines())) if KEPT.is_file() else []


def text() -> str:
    """A row for formats and tasks with equal outcomes, a column for each command; reasons are numbered below."""
    whole = grouped(((one["format"], one["task"]), one["outcome"]) for one in kept())
    same = grouped(((name, *outcomes), task) for (name, task), outcomes in whole.items())
    alike = grouped(((", ".join(tasks), *outcomes), name) for (name, *outcomes), tasks in same.items())
    reasons: dict[str, int] = {}
    rows = []
    for (tasks, *outcomes), own in sorted(alike.items(), key=lambda one: FORMATS.index(one[1][0])):
        formats = (f"`{name}`" if name.startswith(".") else name for name in own)
        cells = (
            one if one in (YES, ABSENT) else f"no ({reasons.setdefault(str(one), len(reasons) + 1)})"
            for one in outcomes
        )
        rows.append([", ".join(formats), tasks, *cells])
    listed = "\n".join(f"{number}. {reason}" for reason, number in reasons.items())
    return f"{table(['format', 'task', *(f'`{one}`' for one in COMMANDS)], rows)}\n\n{listed}"
