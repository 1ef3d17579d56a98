"""Profiles of an assessment: tools and fixed budgets; the clock decides nothing, so results repeat.

Under a time budget the clock chooses two numbers, of seed inputs and of generations, by a small trial. The report names
both, and with them the assessment can be repeated exactly, on any machine.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from quantrift.core.base import extras
from quantrift.core.base.errors import check_name, refuse
from quantrift.core.base.inputs import ImageStack, Inputs, MeasuredStack
from quantrift.core.networks.graphs.input_sides import Kind as InputKind
from quantrift.core.pairs.task import Task
from quantrift.core.search.run import Budget
from quantrift.core.search.stopping import Stop
from quantrift.core.settings.calibrations import Calibration
from quantrift.core.settings.part_settings import PartSettings, one_part
from quantrift.core.settings.searches import Tool
from quantrift.judge.intake.input_form import FROM_FILES, KINDS, InputForm
from quantrift.judge.verdict.assessment import LIMITS, Limits
from quantrift.judge.verdict.tool_result import Kind

Profile = Literal["quick", "thorough"]
"""Names of ``SIZES``."""
SPACES = tuple(KINDS)
OF_KIND: Mapping[InputKind, str] = {"signal": "signal_distortions", "table": "table_distortions"}
"""Space of inputs that are no images, where a user names none."""
IMAGES = (1, 3)
"""Channels of images; other inputs are cubes of spectral bands."""
SAMPLED = 2.5
"""Seed inputs of random sampling per seed input of a search.

More than searches have: it estimates a share, and the number of seed inputs decides how narrow its interval is.
"""

BUNDLED = 20
"""Changes drawn of each seed input of a bundle for a device."""
TRIAL_SEEDS, TRIAL_GENERATIONS = 2, 2
"""Seed inputs and generations of the trial of a time budget."""
ENOUGH = 30
"""Seed inputs that are worth fewer generations: they decide how narrow intervals are."""
LADDER = (25, 10, 5, 3, 2)
"""Generations that are considered under a time budget, most first."""
LEAST = 10
"""Seed inputs of a search, however large they are, if there are as many."""
VALUES = 2_000_000
"""Values of all seed inputs of a quick search that decides no limit, and of all inputs of a calibration."""
SPARE = 0.75
"""Share of the remaining time that is planned for; the rest is for the report, and for errors of the trial."""


@dataclass(frozen=True)
class Size:
    """Sizes of a profile."""

    seeds: int
    """Seed inputs that each search starts from, at most."""
    generations: int
    """Generations of natural tools, of ten candidates each."""
    queries: int
    """Candidates of a search of noise, which ends with its first disagreement."""
    vectors: int
    """Difference-inducing inputs of a natural search that are kept, drawn evenly."""
    shrunk: int
    """Difference-inducing inputs, over all searches, that are reduced to the distortions they need."""
    layer_inputs: int
    """Numbers of inputs, and of difference-inducing inputs, on which layers are compared."""
    noise: int = 40
    """Seed inputs of noise at most: it decides no limit, and looks longest where networks agree."""
    values: int | None = None
    """Values of all seed inputs of a search that decides no limit, if they are bounded: it has fewer where they are
    large, and ``LEAST`` at least."""


@dataclass(frozen=True)
class Settings:
    """Settings that a user may choose."""

    profile: Profile = "quick"
    space: str | None = None
    """Space of natural tools, one of ``SPACES``; chosen by the kind and the channels of the inputs where not given."""
    array: str | None = None
    """Name of the array of inputs; found out where it is not given."""
    labels: str | None = None
    """Name of the array of labels; found out where it is not given."""
    limits: Limits = LIMITS
    form: InputForm = FROM_FILES
    """How inputs are meant, where files do not tell."""
    size: Size | None = None
    """Numbers in place of the profile's, for Python."""
    seeds: int | None = None
    """Seed inputs that each search starts from, in place of the profile's number."""
    generations: int | None = None
    """Generations of natural tools; below the profile's number, other sizes shrink alike and noise is left out."""
    time_budget: float | None = None
    """Seconds in which the assessment should end; ``seeds`` and ``generations`` are then chosen to fit."""
    task: Task | None = None
    """Definition of agreement other than the same label."""
    command: str = ""
    """Command that repeats the assessment, for display."""


SIZES: Mapping[str, Size] = {
    "quick": Size(seeds=200, generations=10, queries=250, vectors=5, shrunk=50, layer_inputs=128, values=VALUES),
    "thorough": Size(seeds=500, generations=100, queries=2500, vectors=20, shrunk=300, layer_inputs=512, noise=100),
}


@dataclass(frozen=True, eq=False)
class Planned:
    """A tool with its budget."""

    id: str
    title: str
    kind: Kind
    settings: dict[str, Any]
    """Resolved parts of the tool, as search jobs take them."""
    budget: Budget
    vectors: str | dict[str, int]
    protocol: str
    seeds: int
    """Most seed inputs."""
    calibration: Calibration | None = None
    """Id of the calibration that finds the strengths of its distortions."""

    @property
    def samples(self) -> bool:
        """Whether it draws changes as its space has them, without looking at the networks."""
        return bool(self.settings["searcher"]["name"] == SAMPLER)

    @property
    def judged(self) -> bool:
        """Whether limits apply to the tool: noise made to deceive says little about natural changes."""
        return self.kind == "natural"


SAMPLER = "random"
"""The searcher that draws changes as their space defines them."""
_NATURAL: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "image_distortions": (
        "image_random",
        "image_pso",
        {"space": "image_distortions", "constraint": {"psnr": {"peak": "data_range"}}},
    ),
    "image_corruptions": (
        "corruption_random",
        "corruption_pso",
        {
            "space": {"image_distortions": {"distortions": ("corruptions",)}},
            "constraint": {"psnr": {"peak": "data_range"}},
        },
    ),
    "hsi_distortions": ("random", "pso_div", {"space": "hsi_distortions", "constraint": "psnr"}),
    "signal_distortions": (
        "signal_random",
        "signal_pso",
        {"space": "signal_distortions", "constraint": "observed_range"},
    ),
    "spectrogram_distortions": (
        "spectrogram_random",
        "spectrogram_pso",
        {"space": {"signal_distortions": {"distortions": ("spectrogram",)}}, "constraint": "observed_range"},
    ),
    "table_distortions": (
        "table_random",
        "table_pso",
        {"space": "table_distortions", "constraint": "observed_range"},
    ),
}
"""Space -> the tools that sample it and search it, and their common parts."""
NATURAL = {space: tools for space, (*tools, _) in _NATURAL.items()}
"""Space -> its tools, the one that searches last."""
TOOLS: Mapping[str, Mapping[str, Any]] = {
    tool: {**parts, "objective": "jensen_shannon", "title": title, "searcher": searcher}
    for sampling, searching, parts in _NATURAL.values()
    for tool, title, searcher in ((sampling, "Random sampling", SAMPLER), (searching, "DiverGet (PSO)", "pso"))
} | {
    "triggerfinder_code": {
        "title": "TriggerFinder",
        "space": "pixels",
        "constraint": "none",
        "objective": "top1_distance",
        "searcher": {"metropolis_hastings": {"variant": "code"}},
    },
}
"""The tools of config/tools.yaml that an assessment uses, with the same parts."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Planned searches of an assessment."""

    size: Size
    space: str
    tools: list[Planned]
    notes: list[str]
    """Notes on what is left out, and why."""


def plan(settings: Settings, inputs: Inputs) -> Plan:
    """Plan the tools for given inputs.

    Raises:
        QuantriftError: there is no such profile or space.
    """
    carried, inputs = bool(inputs.carried), inputs.searched
    channels = inputs.shape[2]
    kind: InputKind = inputs.kind if isinstance(inputs, MeasuredStack) else "image"
    space = settings.space or OF_KIND.get(kind) or ("image_distortions" if channels in IMAGES else "hsi_distortions")
    check_name(f"there is no space '{space}' of natural distortions", space, SPACES)
    suited = [name for name, of in KINDS.items() if of == kind]
    refuse(
        (
            space not in suited,
            f"space '{space}' is not made for inputs of the kind '{kind}'; take one of {', '.join(suited)}",
        )
    )
    if space == "image_corruptions":
        extras.check(f"the space '{space}'", "cv2")
    size = sized(settings)
    # A user's own number stands, and a limit on what searches reach needs them all.
    bound = None if settings.seeds or settings.limits.max_sr is not None else size.values
    few = size.seeds if bound is None else min(size.seeds, max(LEAST, bound // math.prod(inputs.shape)))
    tools = [_natural(name, settings.profile, size, few, inputs) for name in NATURAL[space]]
    suits = "images of 8 bits" if kind == "image" and channels in IMAGES else "images"
    reasons = {
        "there are fewer generations than the profile has": settings.size is None
        and size.generations < SIZES[settings.profile].generations,
        "its changes are made for networks of one input": carried,
        f"its changes are made for {suits}": not isinstance(inputs, ImageStack) or channels not in IMAGES,
        str(extras.missing("it", "cv2")): not extras.installed("cv2"),
    }
    left_out = next((reason for reason, holds in reasons.items() if holds), None)
    if left_out is not None:
        return Plan(size, space, tools, [f"TriggerFinder was left out: {left_out}"])
    return Plan(size, space, [*tools, _noise(settings.profile, size, min(size.noise, few))], [])


def sized(settings: Settings) -> Size:
    """Sizes of a profile, with the numbers that a user chose in their place.

    Raises:
        QuantriftError: there is no such profile, or a number below 1.
    """
    check_name(f"there is no profile '{settings.profile}'", settings.profile, SIZES)
    size = settings.size or SIZES[settings.profile]
    asked = {"--seeds": settings.seeds, "--generations": settings.generations}
    refuse(
        *(
            (number is not None and number < 1, f"{option} is {number}; give at least 1")
            for option, number in asked.items()
        )
    )
    size = replace(size, seeds=settings.seeds or size.seeds)
    if settings.generations is None:
        return size
    part = min(1.0, settings.generations / size.generations)
    return replace(
        size,
        generations=settings.generations,
        shrunk=max(2, round(part * size.shrunk)),
        layer_inputs=max(8, round(part * size.layer_inputs)),
    )


def _natural(name: str, profile: str, size: Size, few: int, inputs: Inputs) -> Planned:
    stated = dict(TOOLS[name])
    calibration = None
    own = PartSettings.model_validate(one_part(stated["space"]))
    if own.name == "image_distortions":
        part = {own.name: {**own.params, "levels": 256 if isinstance(inputs, ImageStack) else None}}
        # Strengths of the distortions are found on the inputs given.
        stated |= {"space": part, "calibration": "psnr"}
        calibration = Calibration.model_validate(
            {
                "space": part,
                "constraint": stated["constraint"],
                "inputs": max(5, min(50, VALUES // math.prod(inputs.shape))),
                "draws": 2,
                "compounds": 10,
            }
        )
    tool = Tool.model_validate(stated)
    samples = tool.searcher.name == SAMPLER
    return Planned(
        id=name,
        title=str(tool.title),
        kind="natural",
        settings=tool.model_dump(mode="json", exclude={"title"}),
        budget=Budget(generations=size.generations),
        vectors={"sample": size.vectors},
        protocol=f"{profile}_sampled" if samples else profile,
        seeds=math.ceil(SAMPLED * size.seeds) if samples else few,
        calibration=calibration,
    )


def _noise(profile: str, size: Size, seeds: int) -> Planned:
    tool = Tool.model_validate(TOOLS["triggerfinder_code"])
    return Planned(
        id="triggerfinder_code",
        title=str(tool.title),
        kind="noise",
        settings=tool.model_dump(mode="json", exclude={"title"}),
        budget=Budget(
            generations=size.queries, evaluations=size.queries, stop=Stop(first_attack=True), candidates="found"
        ),
        vectors="first",
        protocol=f"{profile}_first",
        seeds=seeds,
    )


def paced(settings: Settings, began: float, trial: Callable[[Settings], tuple[float, float]]) -> Settings:
    """The settings with the numbers of seed inputs and generations that fit the time budget.

    Args:
        settings: with ``time_budget``.
        began: when the assessment began, by ``time.monotonic``.
        trial: runs a small assessment with the settings that it gets; returns the seconds of what an assessment does
            once, calibrations, and of ``TRIAL_SEEDS`` searches of ``TRIAL_GENERATIONS`` generations for each candidate,
            with results.
    """
    assert settings.time_budget is not None
    size = sized(settings)
    once, each = trial(replace(settings, seeds=TRIAL_SEEDS, generations=TRIAL_GENERATIONS))
    left = SPARE * (settings.time_budget - (time.monotonic() - began)) - once
    # Seed inputs times generations for which there is time.
    seeds, generations = fitting(max(0.0, left / each * TRIAL_SEEDS * TRIAL_GENERATIONS), size.seeds, size.generations)
    return replace(settings, seeds=seeds, generations=generations)


def fitting(room: float, seeds: int, generations: int) -> tuple[int, int]:
    """Seed inputs and generations whose product has room: at most those of the profile, at least one of each.

    Generations are given up before there are fewer than ``ENOUGH`` seed inputs.
    """
    if seeds * generations <= room:
        return seeds, generations
    for fewer in (generations, *(one for one in LADDER if one < generations)):
        if (fits := int(room / fewer)) >= min(ENOUGH, seeds):
            return min(fits, seeds), fewer
    least = min(LADDER[-1], generations)
    return max(1, min(seeds, int(room / least))), least
