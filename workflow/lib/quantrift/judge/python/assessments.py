"""Assessments: a verdict with its evidence, replayed records, and the report."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.function import Meaning
from quantrift.core.networks.graphs.ends import NamedInput
from quantrift.core.pairs.pair import Loaded
from quantrift.core.pairs.task import Task, task_of
from quantrift.core.pairs.task_pair import FILE as TASK
from quantrift.core.pairs.tasks import function
from quantrift.core.pairs.tasks.function import Function as Agree
from quantrift.core.search.record_columns import results_of, searches_path
from quantrift.core.search.record_columns import settings as record_settings
from quantrift.core.search.records.replaying import Replay
from quantrift.core.search.records.replaying import replay as replay_file
from quantrift.judge.certify.asked_neighbourhoods import CERTIFIED
from quantrift.judge.certify.run import WithinAssessment
from quantrift.judge.intake.given_functions import Function, called
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.intake.python_objects import Given, Network, Said, file_of, of_object, path_of
from quantrift.judge.verdict import assessment_page
from quantrift.judge.verdict.assessment import LIMITS, REPORT, Assessment, Limits
from quantrift.judge.verdict.folder import rewritten
from quantrift.judge.verdict.profiles import OF_KIND, Profile, Settings
from quantrift.judge.verdict.run import assess as run_assessment

PATTERNS = ("search/*/*/*/*/*/seeds_*.npz", "search/*/*/*/*/*/seeds_*.parquet")
"""Candidates tables in a results folder, and searches tables beside them."""
COMMAND = "quantrift.api.assess(...), see versions and checksums"


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
    certify: str | None = None,
    certify_number: int = CERTIFIED,
) -> Assessment:
    """Assess compressed networks: search, judge, and write ``assessment.json`` and ``report.html`` to ``out``.

    Args:
        original: as for ``load_pair``.
        compressed: one or several; several are ranked.
        inputs: .npz file, or the inputs themselves, (n, H, W, C); of networks with several inputs arrays by name.
        out: folder.
        labels: true ones, (n,), of inputs that are given as an array.
        profile: ``quick`` or ``thorough``.
        limits: that a compressed network must keep to pass (``quantrift.judge.verdict.assessment.Limits``).
        form: layout, scale and space of inputs, where files do not tell (``quantrift.judge.intake.input_form``).
        seeds: seed inputs of each tool, instead of the profile's.
        generations: of natural searches, likewise.
        time_budget: seconds, to which both are fitted.
        outputs: ``logits`` or ``probabilities``, as for ``load_pair``, or ``values`` under a task; the inputs tell the
            shape.
        task: definition of agreement other than the same label, like
            ``task_of("regress", {"tolerance": (0.5,), "share": False})``.
        agree: in its place, a function of the outputs of both networks, name -> float32 (n, ...), that returns bool
            (n,), whether they agree, or float (n,), a difference of at most 1 where they do.
        certify: neighbourhoods in which inputs are certified too, like ``"brightness=32,shift=2,linf=1"`` (``quantrift
            certify``); of networks in files that take images of 8 bits. That decides no limit.
        certify_number: first inputs that are certified, or all where there are fewer.

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
        command=COMMAND,
    )
    certifier = None if certify is None else WithinAssessment(certify, certify_number, COMMAND)
    several = list(compressed) if isinstance(compressed, list | tuple) else [compressed]
    with temporary_folder() as folder:
        room, said = Path(folder), Said(outputs)
        return run_assessment(
            of_object(original, "original", room, said),
            [of_object(one, "compressed", room, said) for one in several],
            file_of(inputs, labels, room),
            path_of(out, "out"),
            settings,
            certifier,
        )


def _by_function(agree: Agree) -> Task:
    """The task of a function, which is known by its name in this process."""
    name = f"{getattr(agree, '__module__', '')}:{getattr(agree, '__qualname__', type(agree).__name__)}"
    function.known(name, agree)
    return task_of("function", {"function": name})


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
    place, networks = path_of(records, "records"), {"original": original, "compressed": compressed}
    files = [place] if place.is_file() else _found(place)
    refuse(
        (
            compressed is not None and len({record_settings(file)["subject"]["compression"] for file in files}) > 1,
            f"{place}: holds records of several compressed networks; name the folder of one",
        )
    )
    root = place.parent if place.is_file() else place
    return {
        file.relative_to(root).as_posix(): replay_file(file, _loaded(file, networks, Said(outputs))) for file in files
    }


def _found(folder: Path) -> list[Path]:
    """Candidates tables of a results folder, of the folder of a candidate or of an assessment."""
    found = {path for above in ("", "records/", "*/records/") for one in PATTERNS for path in folder.glob(above + one)}
    files = sorted(found - {searches_path(path) for path in found})
    refuse((not files, f"{folder}: no records in it; name the folder of an assessment, or a file seeds_*"))
    return files


def _loaded(file: Path, networks: Mapping[str, object], said: Said) -> Loaded:
    """The functions among the networks of records, ready to run."""
    subject, paths = record_settings(file)["subject"], results_of(file)
    inputs = Inputs.load(paths.inputs(subject["dataset"], subject["model"]))
    task = paths.compressed(subject["dataset"], subject["model"], subject["compression"]) / TASK
    others = [NamedInput(name, one.shape[1:]) for name, one in inputs.carried.items()]
    like = [NamedInput(inputs.changed_input, inputs.searched.shape), *others] if others else []
    space = OF_KIND.get(getattr(inputs, "kind", "image"))
    form = InputForm(space=space, change=inputs.changed_input or None, values=task.is_file())
    ready = {}
    for role, given in networks.items():
        if given is not None:
            network = of_object(given, role, Path(), said)
            if not isinstance(network, Function):
                raise TypeError(f"{role} is a file; give the function that the records were made of")
            one = called(network, form=form, image=inputs.searched.shape, like=like)
            one.check(inputs)
            ready[role] = one.network
    return Loaded(**ready)


def report(folder: str | PathLike[str]) -> Path:
    """Write the report of an assessment again, from the files in its folder; returns its path.

    Raises:
        QuantriftError: the folder holds no assessment.
    """
    assessment_page.write(Path(folder))
    rewritten(Path(folder), REPORT)
    return Path(folder) / REPORT
