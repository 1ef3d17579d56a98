"""Searches of one tool on one pair of a suite, with the seed inputs and the budget that all tools share."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base import extras
from quantrift.core.base.errors import refuse
from quantrift.core.base.inputs import ImageStack, Inputs
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.search.run import Budget
from quantrift.core.search.stopping import Stop
from quantrift.core.search.tool import follows_gradients, looks_into_networks
from quantrift.core.settings.searches import Tool
from quantrift.judge.intake import given_inputs
from quantrift.judge.intake.fitted_inputs import fitted
from quantrift.judge.python.pairs import Pair, load_pair
from quantrift.judge.python.searches import kind_of, searched, tool_of
from quantrift.judge.suite.definition import Comparison
from quantrift.judge.verdict.profiles import Planned, Settings, plan
from quantrift.judge.verdict.tool_result import ToolResult


class Arena:
    """A pair on which tools are compared."""

    def __init__(self, original: Path, compressed: Path, inputs: np.ndarray, labels: np.ndarray) -> None:
        """Loads the pair.

        Args:
            original: a file that ``quantrift assess`` reads.
            compressed: likewise.
            inputs: as the original takes them, float32 (n, H, W, C).
            labels: true ones, int64 (n,).

        Raises:
            QuantriftError: a file cannot be read, or the inputs do not fit.
        """
        self._pair: Pair = load_pair(original, compressed)
        self.inputs: Inputs = fitted(
            given_inputs.checked(Path("inputs"), ("inputs", inputs), ("labels", labels)),
            Path("inputs"),
            self._pair.original,
            [self._pair.compressed],
        ).inputs
        self._natural = plan(Settings(), self.inputs)

    def refuses(self, tool: Tool) -> str | None:
        """Reason why a tool cannot change such inputs; ``None`` if it can."""
        own, wanted = self._searching.settings["space"]["name"], tool.space.name
        reasons = {
            f"its space is {wanted}, and the changes of these inputs are {own}": kind_of(tool) == "natural",
            "noise is made for images of 8 bits": not isinstance(self.inputs, ImageStack),
            str(extras.missing("noise", "cv2")): not extras.installed("cv2"),
        }
        return None if wanted == own else next((reason for reason, holds in reasons.items() if holds), None)

    def natural(self, parts: Mapping[str, Any]) -> Tool:
        """A tool for natural changes whose searcher alone is stated; space, constraint and objective follow from the
        inputs, as in ``quantrift assess``.
        """
        own = self._searching.settings
        return tool_of({**{name: own[name] for name in ("space", "constraint", "objective", "calibration")}, **parts})

    def run(self, name: str, tool: Tool, comparison: Comparison) -> ToolResult:
        """Rates of a tool with their intervals.

        Raises:
            QuantriftError: the tool cannot run on this pair, or the original classifies no input correctly.
        """
        settings = tool.model_dump(mode="json", exclude={"title"})
        refuse(
            (
                follows_gradients(settings) or looks_into_networks(settings),
                f"{name}: looks into the networks, which files of a suite do not allow",
            )
        )
        planned = self._planned(name, tool, settings, comparison)
        whole = replace(self._natural, tools=[planned])
        with temporary_folder() as folder:
            return searched(self._pair, self.inputs, planned, whole, Path(folder), "rebuild the pair")[1]

    def _planned(self, name: str, tool: Tool, settings: dict[str, Any], comparison: Comparison) -> Planned:
        own, kind = self._searching, kind_of(tool)
        # Strengths at which half of the changes are valid: the same for every tool of this space.
        calibration = own.calibration if kind == "natural" else None
        if kind == "natural":
            settings |= {"calibration": own.settings["calibration"]}
        if calibration is not None:
            part = tool.space.model_copy(
                update={"params": {**tool.space.params, "levels": own.settings["space"]["params"]["levels"]}}
            )
            calibration = calibration.model_copy(update={"space": part})
            settings |= {"space": part.model_dump(mode="json")}
        return Planned(
            id=name,
            title=tool.title or name,
            kind=kind,
            settings=settings,
            budget=Budget(
                generations=comparison.evaluations,
                evaluations=comparison.evaluations,
                stop=Stop(first_attack=True) if comparison.first else Stop(),
                candidates="found" if comparison.first else "all",
            ),
            vectors="first" if comparison.first else {"sample": 1},
            # Tools of one comparison share their seed inputs, which follow from this name.
            protocol=f"suite_{kind}",
            seeds=comparison.seeds,
            calibration=calibration,
        )

    @property
    def _searching(self) -> Planned:
        """The tool of an assessment that searches among natural changes of such inputs."""
        return next(one for one in self._natural.tools if one.judged and not one.samples)
