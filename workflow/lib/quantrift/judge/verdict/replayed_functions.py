"""Replay of records whose networks were functions: the functions are given again."""

from collections.abc import Mapping
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import CarriedStack, Inputs
from quantrift.core.networks.graphs.ends import NamedInput
from quantrift.core.pairs.pair import Loaded
from quantrift.core.pairs.task_pair import FILE as TASK
from quantrift.core.search.record_columns import results_of, searches_path, settings
from quantrift.core.search.records.replaying import Replay, replay
from quantrift.judge.intake.given_functions import Function, called
from quantrift.judge.intake.input_form import InputForm
from quantrift.judge.intake.python_objects import Said, of_object

PATTERNS = ("search/*/*/*/*/*/seeds_*.npz", "search/*/*/*/*/*/seeds_*.parquet")
"""Candidates tables in a results folder, and searches tables beside them."""
SPACES = {"signal": "signal_distortions", "table": "table_distortions"}
"""Kind of inputs that are no images -> a space that tells it."""


def replayed(records: Path, networks: Mapping[str, object], said: Said) -> dict[str, Replay]:
    """Replay all records files of a folder, or one.

    Args:
        records: folder of an assessment, a results folder, or a candidates table.
        networks: ``original`` and ``compressed``: functions, or ``None`` for what is read from its file.
        said: meaning of functions that are given as they are.

    Returns:
        Path below the folder -> outcome.

    Raises:
        QuantriftError: there are no records, they are of several compressed networks, or a network is missing.
        TypeError: a network is neither a function nor one that is loaded.
    """
    files = [records] if records.is_file() else _found(records)
    if networks["compressed"] is not None and len({settings(file)["subject"]["compression"] for file in files}) > 1:
        raise QuantriftError(f"{records}: holds records of several compressed networks; name the folder of one")
    root = records.parent if records.is_file() else records
    return {file.relative_to(root).as_posix(): replay(file, _loaded(file, networks, said)) for file in files}


def _inputs(inputs: Inputs) -> list[NamedInput]:
    """Inputs of the networks that were searched, where these have several."""
    if not isinstance(inputs, CarriedStack):
        return []
    others = [NamedInput(name, shape) for name, shape in inputs.shapes.items()]
    return [NamedInput(inputs.name, inputs.searched.shape), *others]


def _found(folder: Path) -> list[Path]:
    """Candidates tables of a results folder, of the folder of a candidate or of an assessment."""
    above = ("", "records/", "*/records/")
    found = {path for one in above for pattern in PATTERNS for path in folder.glob(one + pattern)}
    files = sorted(found - {searches_path(path) for path in found})
    if not files:
        raise QuantriftError(f"{folder}: no records in it; name the folder of an assessment, or a file seeds_*")
    return files


def _loaded(file: Path, networks: Mapping[str, object], said: Said) -> Loaded:
    subject = settings(file)["subject"]
    inputs = Inputs.load(results_of(file).inputs(subject["dataset"], subject["model"]))
    task = results_of(file).compressed(subject["dataset"], subject["model"], subject["compression"]) / TASK
    own, change = inputs.searched, inputs.name if isinstance(inputs, CarriedStack) else None
    form = InputForm(space=SPACES.get(getattr(own, "kind", "image")), change=change, values=task.is_file())
    ready = {}
    for role, given in networks.items():
        if given is not None:
            network = of_object(given, role, Path(), said)
            if not isinstance(network, Function):
                raise TypeError(f"{role} is a file; give the function that the records were made of")
            one = called(network, form=form, image=own.shape, like=_inputs(inputs))
            one.check(inputs)
            ready[role] = one.network
    return Loaded(**ready)
