"""Quantrift from Python: load a pair, search it, assess it, write the report.

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
from pydantic import ValidationError

from quantrift.assess import assessment_page, given_inputs, given_networks, replayed_functions
from quantrift.assess.assessment import LIMITS, Assessment, Limits, read
from quantrift.assess.candidate_searches import Subject, place, prepare
from quantrift.assess.candidate_searches import search as run_searches
from quantrift.assess.carried_arrays import rows_for
from quantrift.assess.fitted_inputs import fitted
from quantrift.assess.folder import rewritten
from quantrift.assess.given_functions import Called, Function, called
from quantrift.assess.input_form import FROM_FILES, InputForm
from quantrift.assess.network_objects import Network, Said, of_object
from quantrift.assess.profiles import NATURAL, SPACES, TOOLS, Plan, Planned, Profile, Settings, plan
from quantrift.assess.record_summary import result
from quantrift.assess.run import assess as run_assessment
from quantrift.assess.tool_result import Kind, ToolResult
from quantrift.base.errors import QuantriftError, first_mistake, nearest
from quantrift.base.paths import Paths
from quantrift.config.searches import Tool
from quantrift.data.arrays import write_arrays
from quantrift.data.carried_rows import apart, by_name
from quantrift.data.carried_stack import CarriedStack
from quantrift.data.inputs import Inputs
from quantrift.models.foreign.reader import ForeignFiles
from quantrift.models.function import Meaning
from quantrift.records import dii
from quantrift.records.replaying import Replay
from quantrift.search.run import Budget
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
    "read",
    "replay",
    "report",
    "search",
]

NAME = "compressed"
Given = np.ndarray | Mapping[str, np.ndarray] | str | PathLike[str]
"""Inputs: an array, arrays by name, or the path of a .npz file."""


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
        first, second = (
            one.network(rows_for(one.network.signature, x, others, "others"))
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
            second = given_networks.compressed(other, files, form, first.inputs)
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
    data = _inputs(pair, inputs, labels)
    for one in (pair.original, pair.compressed):
        if isinstance(one, Called):
            one.check(data)
    planned, size = _planned(tool, data, seeds, generations, keep)
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
    others = {}
    if isinstance(data, CarriedStack):
        (before, _), (after, carried) = (apart(one, data.searched.shape) for one in (before, after))
        others = by_name(carried, data.shapes)
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
        if isinstance(inputs, np.ndarray | Mapping):
            file = Path(folder) / "inputs.npz"
            arrays = {"inputs": inputs} if isinstance(inputs, np.ndarray) else dict(inputs)
            write_arrays(file, arrays | ({} if labels is None else {"labels": np.asarray(labels)}))
        elif labels is not None:
            raise TypeError("labels go with inputs given as an array; for a .npz file, put them into the file")
        else:
            file = _path(inputs, "inputs")
        return run_assessment(of_object(original, "original", room, said), networks, file, _path(out, "out"), settings)


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
        _path(records, "records"), {"original": original, "compressed": compressed}, Said(outputs)
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


def _path(given: object, name: str) -> Path:
    if isinstance(given, str | PathLike):
        return Path(given)
    raise TypeError(f"{name} is of type {type(given).__name__}; give the path of a file")


def _inputs(pair: Pair, inputs: Given, labels: np.ndarray | None) -> Inputs:
    """The inputs as searches take them."""
    truth = None if labels is None else ("labels", np.asarray(labels))
    if isinstance(inputs, np.ndarray):
        source, arrays = Path("inputs"), given_inputs.checked(Path("inputs"), ("inputs", inputs), truth)
    elif isinstance(inputs, Mapping):
        source, others = Path("inputs"), dict(inputs)
        if (name := pair.form.change) is None or name not in others:
            raise QuantriftError(f"inputs: arrays {', '.join(others)}, and none of the input that form.change names")
        arrays = given_inputs.checked(source, (name, others.pop(name)), truth)
        arrays = replace(arrays, others=others)
    else:
        source = _path(inputs, "inputs")
        read = arrays = given_inputs.read(source, change=pair.form.change)
        if truth is not None:
            arrays = given_inputs.checked(source, ("inputs", read.values), truth, read.class_names)
            arrays = replace(arrays, others=read.others)
    return fitted(arrays, source, pair.original, [pair.compressed], pair.form).inputs


def _planned(
    tool: str | Mapping[str, Any] | None, data: Inputs, seeds: int, generations: int, keep: int
) -> tuple[Planned, Plan]:
    """A tool with its budget."""
    if isinstance(tool, str) and tool not in TOOLS:
        raise QuantriftError(f"there is no tool '{tool}'; {nearest(tool, TOOLS)}")
    space = next((space for space, tools in NATURAL.items() if tool in tools), None)
    whole = plan(Settings(space=space), data)
    size = replace(whole.size, seeds=seeds, generations=generations, vectors=keep)
    if isinstance(tool, Mapping):
        try:
            parts = Tool.model_validate({"title": "given tool", **tool})
        except ValidationError as error:
            raise QuantriftError(f"tool: {first_mistake(error)}") from None
        kind: Kind = "natural" if parts.space.name in SPACES else "noise"
        settings = parts.model_dump(mode="json", exclude={"title"})
        like = next(one for one in whole.tools if not one.samples)
        planned = replace(like, id="given", title=str(parts.title), kind=kind, settings=settings, calibration=None)
    else:
        default = NATURAL[whole.space][-1]
        offered = {one.id: one for one in whole.tools}
        if (tool or default) not in offered:
            raise QuantriftError(f"{tool}: {'; '.join(whole.notes)}; take {' or '.join(offered)}")
        planned = offered[tool or default]
    first = planned.budget.stop.first_attack
    budget = (
        replace(planned.budget, generations=10 * generations, evaluations=10 * generations)
        if first
        else Budget(generations=generations)
    )
    vectors: str | dict[str, int] = planned.vectors if first else {"sample": keep}
    planned = replace(planned, budget=budget, vectors=vectors, seeds=seeds)
    return planned, replace(whole, size=size, tools=[planned])
