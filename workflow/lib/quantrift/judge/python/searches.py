"""Searches for disagreements of a loaded pair."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from quantrift.core.base.errors import QuantriftError, first_mistake, nearest, refuse
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.search.record_columns import switched_on
from quantrift.core.search.records import dii
from quantrift.core.search.run import Budget
from quantrift.core.settings.searches import Tool
from quantrift.judge.intake.given_functions import Called
from quantrift.judge.intake.python_objects import Given, inputs_of
from quantrift.judge.python.pairs import Pair
from quantrift.judge.verdict.candidate_searches import Subject, place, prepare
from quantrift.judge.verdict.candidate_searches import search as run_searches
from quantrift.judge.verdict.profiles import NATURAL, SPACES, TOOLS, Plan, Planned, Settings, plan
from quantrift.judge.verdict.record_summary import result
from quantrift.judge.verdict.tool_result import Kind, ToolResult

NAME = "compressed"


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
    planned, size = _planned(tool, data, seeds, generations, keep)
    with temporary_folder() as temporary:
        records, told = searched(
            pair, data, planned, size, Path(temporary if out is None else out), "check the labels and the scale"
        )
        found = dii.load([records])
        before, after = found.pairs(found.rows)
    (seed_inputs, _), (changed, others) = data.apart(before), data.apart(after)
    rows = found.rows
    return Searched(
        result=told,
        seeds=seed_inputs,
        inputs=changed,
        number=rows["input"],
        labels=rows["true_label"],
        label_original=rows["label_original"],
        label_compressed=rows["label_compressed"],
        distortions=[switched_on(found.settings["distortions"], active) for active in rows["active"].tolist()],
        others=others,
    )


def searched(
    pair: Pair, inputs: Inputs, planned: Planned, whole: Plan, root: Path, remedy: str
) -> tuple[Path, ToolResult]:
    """Search by one tool of a plan in a results folder: its records, and rates with intervals.

    Raises:
        QuantriftError: the original classifies none of the inputs correctly; ``remedy`` says what to do.
    """
    subject = Subject(NAME, Paths(root), pair.original, pair.compressed)
    refuse(
        (
            not prepare(subject.paths, inputs, pair.original, whole),
            f"the original classifies none of the inputs correctly; {remedy}",
        )
    )
    place(subject)
    files = run_searches(subject, planned)
    return files.records, result(planned, files, inputs.class_names, root)


def kind_of(tool: Tool) -> Kind:
    """Kind of the changes that a tool makes."""
    return "natural" if tool.space.name in SPACES else "noise"


def tool_of(parts: Mapping[str, Any]) -> Tool:
    """A tool from its parts.

    Raises:
        QuantriftError: a part or setting does not exist.
    """
    try:
        return Tool.model_validate(dict(parts))
    except ValidationError as error:
        raise QuantriftError(f"tool: {first_mistake(error)}") from None


def _planned(
    tool: str | Mapping[str, Any] | None, data: Inputs, seeds: int, generations: int, keep: int
) -> tuple[Planned, Plan]:
    """A tool with its budget, and a plan of it alone.

    Args:
        tool: id of a tool of an assessment, parts as in config/tools.yaml, or ``None`` for PSO over natural changes.
        data: inputs.
        seeds: seed inputs at most.
        generations: of each search; of noise ten times as many candidates, one by one.
        keep: disagreements of each search that are stored.

    Raises:
        QuantriftError: there is no such tool or part, or the tool is not made for such inputs.
    """
    if isinstance(tool, str) and tool not in TOOLS:
        raise QuantriftError(f"there is no tool '{tool}'; {nearest(tool, TOOLS)}")
    space = next((space for space, tools in NATURAL.items() if tool in tools), None)
    whole = plan(Settings(space=space), data)
    offered = {one.id: one for one in whole.tools}
    if isinstance(tool, Mapping):
        parts = tool_of({"title": "given tool", **tool})
        settings = parts.model_dump(mode="json", exclude={"title"})
        like = next(one for one in whole.tools if not one.samples)
        planned = replace(
            like, id="given", title=str(parts.title), kind=kind_of(parts), settings=settings, calibration=None
        )
    elif (named := tool or NATURAL[whole.space][-1]) in offered:
        planned = offered[named]
    else:
        raise QuantriftError(f"{tool}: {'; '.join(whole.notes)}; take {' or '.join(offered)}")
    if planned.budget.stop.first_attack:
        budget = replace(planned.budget, generations=10 * generations, evaluations=10 * generations)
        planned = replace(planned, budget=budget, seeds=seeds)
    else:
        planned = replace(planned, budget=Budget(generations=generations), vectors={"sample": keep}, seeds=seeds)
    return planned, replace(
        whole, size=replace(whole.size, seeds=seeds, generations=generations, vectors=keep), tools=[planned]
    )
