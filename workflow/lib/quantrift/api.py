"""Quantrift from Python: load a pair, search it, assess it, mend it, write the report.

>>> from quantrift.api import load_pair, search
>>> from quantrift.assess.example import paths
>>> example = paths()
>>> pair = load_pair(example.original, example.int8)
>>> pair.input_shape, pair.classes
((28, 28, 1), 10)

It uses the code of the workflow and of ``quantrift assess``, so that numbers are the same. A network is the path of a
file, the bytes of a .tflite, .onnx, .pt2 or .pte file, a Keras model, or any function from a batch of inputs to its
outputs (:class:`Function`): a PyTorch module, a served model, a phone over a link.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from quantrift.assess import assessment_page, given_networks, replayed_functions
from quantrift.assess.assessment import LIMITS, Assessment, Limits, read
from quantrift.assess.candidate_searches import Subject, place, prepare
from quantrift.assess.candidate_searches import search as run_searches
from quantrift.assess.carried_arrays import rows_for
from quantrift.assess.folder import rewritten
from quantrift.assess.given_functions import Called, Function, called
from quantrift.assess.input_form import FROM_FILES, InputForm
from quantrift.assess.network_objects import Network, Said, of_object
from quantrift.assess.profiles import Profile, Settings
from quantrift.assess.python_inputs import Given, file_of, inputs_of, path_of
from quantrift.assess.record_summary import result
from quantrift.assess.run import assess as run_assessment
from quantrift.assess.single_tool import planned_by
from quantrift.assess.tool_result import ToolResult
from quantrift.base.errors import QuantriftError
from quantrift.base.paths import Paths
from quantrift.data.carried_stack import CarriedStack
from quantrift.mend.mending import Mending
from quantrift.mend.run import mend as run_mending
from quantrift.mend.settings import Rest, Way, Weights
from quantrift.mend.settings import Settings as MendSettings
from quantrift.models.foreign.reader import ForeignFiles
from quantrift.models.function import Meaning
from quantrift.records import dii
from quantrift.records.replaying import Replay
from quantrift.subjects.pair import Outputs
from quantrift.subjects.task import Task, made
from quantrift.subjects.tasks import function
from quantrift.subjects.tasks.function import Function as Agree

__all__ = [
    "LIMITS",
    "Function",
    "InputForm",
    "Limits",
    "Pair",
    "Replay",
    "Searched",
    "assess",
    "load_pair",
    "made",
    "mend",
    "read",
    "replay",
    "report",
    "search",
]

NAME = "compressed"


@dataclass(frozen=True, eq=False)
class Pair:
    """A network and a compressed version of it, ready to run."""

    original: given_networks.Ready
    compressed: given_networks.Ready
    folder: TemporaryDirectory[str]
    """Folder of converted files; it lives as long as the pair."""
    form: InputForm = FROM_FILES
    """How inputs are meant, as far as files do not tell."""

    @property
    def input_shape(self) -> tuple[int, int, int]:
        """Rows, columns and channels of an input."""
        return self.original.network.signature.image

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.original.network.classes

    @property
    def assumed(self) -> list[str]:
        """Assumptions about the files, one line each."""
        return [*self.original.assumed, *self.compressed.assumed]

    def __call__(self, x: np.ndarray, **others: np.ndarray) -> Outputs:
        """Logits of both networks for inputs as the original takes them, float32 (n, H, W, C).

        Other inputs of the networks, (n, ...), are given by their names.
        """
        names = list(self.original.network.signature.carried_shapes)
        first, second = (
            one.network(rows_for(one.network.signature, x, others, "others", names))
            for one in (self.original, self.compressed)
        )
        return Outputs(first, second)

    def disagree(self, x: np.ndarray, **others: np.ndarray) -> np.ndarray:
        """Whether each of the inputs, float32 (n, H, W, C), gets different labels: bool (n,)."""
        said = self(x, **others)
        differ: np.ndarray = said.original.argmax(axis=1) != said.compressed.argmax(axis=1)
        return differ


@dataclass(frozen=True, eq=False)
class Searched:
    """Outcome of a search; the n disagreements are those stored, of seed inputs on which both networks agree."""

    result: ToolResult
    """Rates with intervals, by class, by distortion."""
    seeds: np.ndarray
    """Seed input of each disagreement, float32 (n, H, W, C)."""
    inputs: np.ndarray
    """The disagreements, float32 (n, H, W, C)."""
    number: np.ndarray
    """Numbers of ``seeds`` among the inputs that were given, int64 (n,)."""
    labels: np.ndarray
    """True labels, or the original's labels of the seed inputs where none were given, int16 (n,)."""
    label_original: np.ndarray
    """int16 (n,)."""
    label_compressed: np.ndarray
    distortions: list[list[str]]
    """Names of the active distortions of each; empty for noise."""
    others: dict[str, np.ndarray] = field(default_factory=dict)
    """Name of each input that went along unchanged -> its values, float32 (n, ...)."""


def load_pair(
    original: Network,
    compressed: Network,
    form: InputForm = FROM_FILES,
    *,
    outputs: Meaning | None = None,
    input_shape: tuple[int, ...] | None = None,
) -> Pair:
    """Load a network and a compressed version of it.

    Args:
        original: path of ``.keras``, ``.h5``, a SavedModel's folder, or as for ``compressed``; a Keras model; or a
            function, as it is or as a :class:`Function`.
        compressed: path of ``.tflite``, ``.onnx``, ``.pt2``, OpenVINO's ``.xml`` or ``.pte``, with another way of
            running behind an ``@`` (``quantrift.models.ways``) if you like; bytes of one, but for ``.xml``; a loaded
            network or a function.
        form: layout and scale of inputs, where files do not tell (``quantrift.assess.input_form``).
        outputs: ``logits`` or ``probabilities``: what functions give that are no :class:`Function`.
        input_shape: what these take: (H, W, C); (T, C) of signals and (F,) of tables, which ``form.space`` tells.

    Raises:
        QuantriftError: a file cannot be read, a function cannot be run, or the two are for other inputs or classes.
        TypeError: something else than a network was given.
    """
    folder = TemporaryDirectory(prefix="quantrift-")
    room, said = Path(folder.name), Said(outputs, input_shape)
    networks = of_object(original, "original", room, said), of_object(compressed, "compressed", room, said)
    with ForeignFiles() as files:
        given, other = networks
        if isinstance(given, Function):
            first: given_networks.Ready = called(given, form=form)
        else:
            first = given_networks.original(given, room, files, form)
        if isinstance(other, Function):
            second: given_networks.Ready = called(other, form=form, like=first.inputs)
        else:
            second = given_networks.compressed(other, files, form, first.chosen)
        # ``source`` runs in the process of these files, which ends with this block.
        pair = Pair(replace(first, source=None), second, folder, form)
    given_networks.check_fit(pair.original, pair.compressed)
    return pair


def search(
    pair: Pair,
    inputs: Given,
    labels: np.ndarray | None = None,
    *,
    tool: str | Mapping[str, Any] | None = None,
    seeds: int = 50,
    generations: int = 25,
    keep: int = 5,
    out: str | PathLike[str] | None = None,
) -> Searched:
    """Search for inputs on which the two networks disagree.

    Args:
        pair: the networks.
        inputs: as the original takes them, (n, H, W, C), or a .npz file with ``inputs`` and perhaps ``labels``; of
            networks with several inputs arrays by name, in the file or here.
        labels: true ones, (n,); the original's own labels by default.
        tool: id of a tool of ``quantrift assess``, or parts as in config/tools.yaml, like ``{"space":
            "image_distortions", "constraint": "psnr", "objective": "jensen_shannon", "searcher": {"pso": {"swarm":
            20}}}``. By default PSO over natural distortions.
        seeds: seed inputs at most, drawn from those that the original classifies correctly.
        generations: of each search; searches for noise have ten times as many candidates, one by one.
        keep: disagreements of each search that are stored, drawn evenly.
        out: results folder that keeps the records; none are kept by default.

    Raises:
        QuantriftError: the inputs do not fit the networks, or there is no such tool.
    """
    data = inputs_of(inputs, labels, (pair.original, pair.compressed), pair.form)
    for one in (pair.original, pair.compressed):
        if isinstance(one, Called):
            one.check(data)
    planned, size = planned_by(tool, data, seeds, generations, keep)
    with TemporaryDirectory(prefix="quantrift-") as temporary:
        root = Path(temporary if out is None else out)
        subject = Subject(NAME, Paths(root), pair.original, pair.compressed)
        if not prepare(subject.paths, data, pair.original, size):
            raise QuantriftError("the original classifies none of the inputs correctly; check the labels and the scale")
        place(subject)
        files = run_searches(subject, planned, size)
        told = result(planned, files, data.class_names, root)
        found = dii.load([files.records])
        before, after = found.pairs(found.rows)
    others: dict[str, np.ndarray] = {}
    if isinstance(data, CarriedStack):
        (before, _), (after, others) = data.apart(before), data.apart(after)
    rows = found.rows
    return Searched(
        result=told,
        seeds=before,
        inputs=after,
        number=rows.input,
        labels=rows.true_label,
        label_original=rows.label_original,
        label_compressed=rows.label_compressed,
        distortions=[found.switched_on(active) for active in rows.active.tolist()],
        others=others,
    )


def assess(
    original: Network,
    compressed: Network | Sequence[Network],
    inputs: Given,
    out: str | PathLike[str],
    *,
    labels: np.ndarray | None = None,
    profile: Profile = "quick",
    limits: Limits = LIMITS,
    form: InputForm = FROM_FILES,
    seeds: int | None = None,
    generations: int | None = None,
    time_budget: float | None = None,
    outputs: Meaning | None = None,
    task: Task | None = None,
    agree: Agree | None = None,
) -> Assessment:
    """Assess compressed networks: search, judge, and write ``assessment.json`` and ``report.html`` to ``out``.

    Args:
        original: as for ``load_pair``.
        compressed: one or several; several are ranked.
        inputs: .npz file, or the inputs themselves, (n, H, W, C); of networks with several inputs arrays by name.
        out: folder.
        labels: true ones, (n,), of inputs that are given as an array.
        profile: ``quick`` or ``thorough``.
        limits: that a compressed network must keep to pass (``quantrift.assess.assessment.Limits``).
        form: layout, scale and space of inputs, where files do not tell (``quantrift.assess.input_form``).
        seeds: seed inputs of each tool, instead of the profile's.
        generations: of natural searches, likewise.
        time_budget: seconds, to which both are fitted.
        outputs: ``logits`` or ``probabilities``, as for ``load_pair``, or ``values`` under a task; the inputs tell the
            shape.
        task: definition of agreement other than the same label, like ``made("regress", {"tolerance": (0.5,), "share":
            False})``.
        agree: in its place, a function of the outputs of both networks, name -> float32 (n, ...), that returns bool
            (n,), whether they agree, or float (n,), a difference of at most 1 where they do.

    Raises:
        QuantriftError: the assessment could not be run.
        TypeError: something else than a network, a path or an array was given.
    """
    settings = Settings(
        profile=profile,
        limits=limits,
        form=form,
        seeds=seeds,
        generations=generations,
        time_budget=time_budget,
        task=_by_function(agree) if agree is not None else task,
        command="quantrift.api.assess(...), see versions and checksums",
    )
    several = list(compressed) if isinstance(compressed, list | tuple) else [compressed]
    with TemporaryDirectory(prefix="quantrift-") as folder:
        room, said = Path(folder), Said(outputs)
        networks = [of_object(one, "compressed", room, said) for one in several]
        file = file_of(inputs, labels, room)
        return run_assessment(
            of_object(original, "original", room, said), networks, file, path_of(out, "out"), settings
        )


def mend(
    original: Network,
    compressed: Network,
    inputs: np.ndarray | str | PathLike[str],
    out: str | PathLike[str],
    *,
    labels: np.ndarray | None = None,
    limits: Limits = LIMITS,
    form: InputForm = FROM_FILES,
    margin: float = 0.0,
    weights: Weights = "as-given",
    rest: Rest = "float",
    retrain: Sequence[Way] = (),
    changes: int = MendSettings.changes,
    split_seed: int = 0,
    compare: bool = True,
    profile: Profile = "quick",
    seeds: int | None = None,
    generations: int | None = None,
) -> Mending:
    """Mend a compressed network that fails: calibration first, then the fewest layers back in float.

    Writes the folder ``out``: the mended file, if there is one, its recipe, tables, a page and the assessment on inputs
    that nothing was chosen by. The result has the ``verdict`` there, the ``state``, units ``kept`` from 8 bits, and a
    row for each network in ``fresh``.

    Args:
        original: path of ``.keras``, ``.h5``, a SavedModel's folder, float ``.tflite`` or ``.onnx``; bytes of one of
            the last two; a Keras model.
        compressed: path or bytes of ``.tflite`` or ``.onnx``, of the kind that the original can be made into.
        inputs: .npz file, or the inputs themselves, (n, H, W, C), n >= 10, better some hundred.
        out: folder.
        labels: true ones, (n,), of inputs that are given as an array.
        limits: that the mended network must keep (``quantrift.assess.assessment.Limits``).
        form: layout, scale and space of inputs, where files do not tell.
        margin: share below 1 by which each limit is tighter while layers are chosen.
        weights: scales for each output ``channel`` or for each ``tensor``, where not ``as-given``.
        rest: ``float`` or ``16-bit``: numbers of layers that cannot be in 8 bits.
        retrain: ``original``, ``compressed`` or both, which learn disagreements; for Keras originals alone.
        changes: natural changes drawn of each input by which layers are chosen, at least 1.
        split_seed: of the split of the inputs and of random orders.
        compare: whether the orders by SQNR and by chance are tried too.
        profile: of the assessment on fresh inputs, ``quick`` or ``thorough``.
        seeds: seed inputs of its searches, instead of the profile's.
        generations: of its searches, likewise.

    Raises:
        QuantriftError: the mending could not be run, or a network is a function.
        TypeError: something else than a network, a path or an array was given.
    """
    settings = MendSettings(
        limits=limits,
        margin=margin,
        seed=split_seed,
        weights=weights,
        rest=rest,
        retrain=tuple(retrain),
        changes=changes,
        profile=profile,
        seeds=seeds,
        generations=generations,
        compare=compare,
        form=form,
        command="quantrift.api.mend(...), see versions and checksums",
    )
    with TemporaryDirectory(prefix="quantrift-") as folder:
        room, said = Path(folder), Said("logits")
        files = []
        for one, role in ((original, "original"), (compressed, "compressed")):
            network = of_object(one, role, room, said)
            if isinstance(network, Function):
                raise QuantriftError(f"{role} is a function, which cannot be quantized anew; give its file")
            files.append(network)
        return run_mending(files[0], files[1], file_of(inputs, labels, room), path_of(out, "out"), settings)


def replay(
    records: str | PathLike[str],
    original: Network | None = None,
    compressed: Network | None = None,
    *,
    outputs: Meaning | None = None,
) -> dict[str, Replay]:
    """Decode and run every stored input of records again, with the functions that they were made of.

    Args:
        records: folder of an assessment or of ``search(out=...)``, or one file seeds_* in it.
        original: the function, where the original was one.
        compressed: likewise.
        outputs: as for ``assess``.

    Returns:
        Name of each records file -> outcome; ``complete`` where all is as recorded.

    Raises:
        QuantriftError: there are no records, a network that was a function is not given, or the file of another one is
            gone.
        TypeError: something else than a function was given for a function.
    """
    return replayed_functions.replayed(
        path_of(records, "records"), {"original": original, "compressed": compressed}, Said(outputs)
    )


def _by_function(agree: Agree) -> Task:
    """The task of a function, which is known by its name in this process."""
    name = f"{getattr(agree, '__module__', '')}:{getattr(agree, '__qualname__', type(agree).__name__)}"
    function.known(name, agree)
    return made("function", {"function": name})


def report(folder: str | PathLike[str]) -> Path:
    """Write the report of an assessment again, from the files in its folder; returns its path.

    Raises:
        QuantriftError: the folder holds no assessment.
    """
    path = assessment_page.write(Path(folder))
    rewritten(Path(folder), path.name)
    return path
