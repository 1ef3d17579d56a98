"""One search job: a block of seed inputs of one tool on one subject, from files to records."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, Self, cast

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import ORIGINAL
from quantrift.core.base.progress_bar import bar
from quantrift.core.base.seed_blocks import Block
from quantrift.core.pairs import seed_inputs
from quantrift.core.pairs.pair import Opening, PairFiles
from quantrift.core.search.calibrated import read as read_calibration
from quantrift.core.search.engine import Engine, Finished, Seed, Step, rows_within
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.library_engine import LibraryEngine
from quantrift.core.search.messages import Problem
from quantrift.core.search.search_record import SearchRecord, writing
from quantrift.core.search.space import Domain, scene_of
from quantrift.core.search.stopping import Stop
from quantrift.core.search.tool import OBSERVED, TWINS, Tool, build, follows_gradients


@dataclass(frozen=True)
class Budget:
    """Budget of each search, from the protocol."""

    generations: int
    evaluations: int | None = None
    batch: int = 1
    """Seed inputs that are searched as one."""
    stop: Stop = field(default_factory=Stop)
    """Stop rules, and the goal of the searches."""
    candidates: Literal["all", "found"] = "all"
    """Candidates that get a row in the records: all valid ones, or those alone on which the models differ."""
    isolated: bool = False
    """Whether searches run one after the other, for their seconds; see ``Engine``."""


@dataclass(frozen=True)
class Job:
    """Settings of a search job, as plain values, so that its process loads no configuration library."""

    subject: dict[str, str]
    """dataset, model, compression, protocol."""
    tool: str
    tool_settings: dict[str, Any]
    """Resolved parts of the tool, and its engine."""
    budget: Budget
    vectors: str | dict[str, int]
    """``records.stored_vectors``."""
    rows: int
    """Inputs evaluated together, of searches that are not isolated."""
    memory_mb: float
    title: str = ""
    """Words for its progress; where there are none, the names of its records."""


@dataclass(frozen=True, kw_only=True)
class Searched(PairFiles):
    """Files of networks and inputs on which a tool evaluates candidates."""

    opening: str
    """Module that opens the pair (``pairs.pair.Opening``)."""
    inputs: Path
    profile: Path | None = None
    """Profile of the original's neurons, where the tool's objective uses them."""
    calibration: Path | None = None
    """Calibration of the space, where the tool takes its strengths from one and its settings do not hold them yet."""

    @classmethod
    def of(cls, names: Mapping[str, Any], **known: Any) -> Self:
        """The files that a job names; ``known``: all that is no file."""
        own = {one.name for one in fields(cls)}
        found: dict[str, Any] = {name: Path(path) for name, path in names.items() if name in own and path}
        return cls(**found, **known)

    @property
    def present(self) -> dict[str, Path]:
        """The files that are needed, by name."""
        given = self.loaded.roles
        needed = ("inputs", "original", "compressed", "seeds", "profile", "calibration", "task")
        found = {name: getattr(self, name, None) for name in needed if name not in given}
        return {name: path for name, path in found.items() if path is not None}

    @property
    def opener(self) -> Opening:
        """What opens the pair."""
        return cast(Opening, import_module(self.opening))

    @property
    def neurons(self) -> Any:
        """The class that reads the neurons of a network's file."""
        return import_module(self.opener.NEURONS).Neurons


@dataclass(frozen=True, kw_only=True)
class Files(Searched):
    """Files a search job reads."""

    seeds: Path


class Problems(Sequence[Problem]):
    """The searches of some (run seed, input): one each, or one for each batch of a run seed's inputs.

    Where the goal is targeted, there is one for each input and each class but its own, in the order of classes. A
    problem is made when it is asked for, so that memory does not grow with the inputs of all searches.
    """

    def __init__(self, job: Job, tool: Tool, inputs: Inputs, chosen: Sequence[tuple[int, int]]) -> None:
        self._job, self._space, self._inputs = job, tool.space, inputs
        self._groups: list[tuple[int, tuple[int, ...], int | None]] = []
        """Run seed, inputs and target of each."""
        for run_seed, own in groupby(chosen, lambda one: one[0]):
            of_seed = [index for _, index in own]
            if job.budget.stop.goal == "targeted":
                self._groups += [
                    (run_seed, (one,), k)
                    for one in of_seed
                    for k in range(len(inputs.class_names))
                    if k != inputs.labels[one]
                ]
            else:
                self._groups += [
                    (run_seed, tuple(of_seed[start : start + job.budget.batch]), None)
                    for start in range(0, len(of_seed), job.budget.batch)
                ]

    def __len__(self) -> int:
        """Number of searches."""
        return len(self._groups)

    def __getitem__(self, place: Any) -> Any:
        """One of the searches by its number, or some of them by a slice."""
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        run_seed, indices, target = self._groups[place]
        return Problem(
            dataset=self._job.subject["dataset"],
            run_seed=run_seed,
            indices=indices,
            inputs=self._inputs.take(indices),
            true_labels=tuple(self._inputs.labels[list(indices)].tolist()),
            space=self._space,
            generations=self._job.budget.generations,
            evaluations=self._job.budget.evaluations,
            target=target,
        )


def calibrated(tool_settings: Mapping[str, Any], calibration: Path | None) -> dict[str, Any]:
    """Settings of a tool with the strengths of a calibration in them, if there is one.

    Records state these settings, so that a replay needs no file of a calibration.
    """
    if calibration is None:
        return dict(tool_settings)
    params = tool_settings["space"]["params"] | {"strengths": read_calibration(calibration).strengths}
    return {**tool_settings, "space": {**tool_settings["space"], "params": params}}


def evaluator(files: Searched, tool: str, tool_settings: Mapping[str, Any], inputs: Inputs, rows: int) -> Evaluator:
    """A tool on the two networks of some files, ready to evaluate candidates, ``rows`` inputs at once."""
    if files.profile is None:
        networks: Any = files.opener.load(files, rows)
    else:
        of_files = files.original, files.compressed, files.profile, files.original_runtime
        networks = import_module(OBSERVED).load_observed(*of_files, files.loaded, files.neurons)
    return Evaluator(
        build(tool, calibrated(tool_settings, files.calibration), Domain.of(inputs), networks.profile),
        networks,
        scene_of(inputs),
        rows,
    )


def run(job: Job, files: Files, block: Block, out: Path) -> None:
    """Search a block of seed inputs and write its records, with progress on standard error.

    Args:
        job: the tool and its budget.
        files: networks, inputs and seed inputs.
        block: whole run seeds, or some inputs of one.
        out: candidates table; the searches table is written beside it.
    """
    inputs = Inputs.load(files.inputs)
    # A search alone is evaluated ask by ask, however large an ask is, as long as it fits into memory.
    rows = rows_within(job.memory_mb, inputs.take([0]).nbytes) if job.budget.isolated else job.rows
    ready = evaluator(files, job.tool, job.tool_settings, inputs, rows)
    packages = ["quantrift", "numpy", *files.opener.packages(files)]
    if follows_gradients(job.tool_settings):
        refuse((files.loaded.roles, f"{job.tool}: follows gradients, which functions do not give; take another tool"))
        # The twin is made from the schema file of the original, whatever the runtime of the original is.
        twins = import_module(TWINS)
        ready.twins = twins.load_twins(files.original.with_name(ORIGINAL), files.compressed, files.neurons)
        packages += twins.PACKAGES
    todo = Problems(job, ready.tool, inputs, seed_inputs.read(files.seeds, block))
    engine: Engine | LibraryEngine = Engine(ready, job.budget.stop, job.memory_mb, job.budget.isolated)
    if job.tool_settings["engine"] == "library":
        engine = LibraryEngine(ready, job.budget.stop)
    settings: dict[str, Any] = {
        "subject": job.subject,
        "tool": job.tool,
        "tool_settings": calibrated(job.tool_settings, files.calibration),
        "distortions": ready.tool.space.distortions,
        "goal": job.budget.stop.goal,
        "candidates": job.budget.candidates,
        "domain": Domain.of(inputs).settings,
        "sha256": {name: files.opener.digest(path) for name, path in files.present.items()},
        "machine": platform.machine(),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
    }
    stated_where_given = {
        "isolated": job.budget.isolated or None,
        "original_runtime": files.original_runtime if "original" in files.present else None,
        "compressed_runtime": files.compressed_runtime,
        "functions": files.loaded.roles or None,
    }
    settings |= {name: value for name, value in stated_where_given.items() if value is not None}
    limit = job.vectors["sample"] if isinstance(job.vectors, dict) else {"all": None, "first": 1}[job.vectors]
    records: dict[int, list[SearchRecord]] = {}
    name = job.title or "/".join([*job.subject.values(), job.tool])
    # Searches may end early; the bar then runs ahead of its estimate, never behind.
    counted, most = (
        ("generations", job.budget.generations)
        if job.budget.evaluations is None
        else ("generated", job.budget.evaluations)
    )
    with writing(out, settings) as writer, bar(desc=name, total=len(todo) * most, unit=f" {counted}") as progress:
        for event in engine.run(todo):
            match event:
                case Seed():
                    problem = todo[event.number]
                    clusters = inputs.clusters(problem.indices).tolist()
                    records[event.number] = [
                        SearchRecord(
                            problem,
                            member,
                            job.tool,
                            event,
                            limit,
                            clusters[member],
                            keep_first=job.vectors == "first",
                            found_alone=job.budget.candidates == "found",
                        )
                        for member in range(len(problem.indices))
                    ]
                case Step():
                    for record in records[event.number]:
                        record.add(event)
                    spent = records[event.number][0].counts["generated"]
                    if job.budget.evaluations is not None and spent > job.budget.evaluations:
                        raise QuantriftError(
                            f"{name}: a search evaluated {spent} candidates, more than the {job.budget.evaluations} it "
                            "has; its searcher must keep to Problem.steps"
                        )
                    progress.update(1 if job.budget.evaluations is None else len(event.candidates))
                case Finished():
                    own = records.pop(event.number)
                    progress.update(most - own[0].counts[counted])
                    writer.add(event.number, own)
