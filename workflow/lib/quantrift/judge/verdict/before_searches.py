"""Facts known before anything is searched: limits that stay open on the inputs as given, or are exceeded there."""

import sys
from collections.abc import Mapping

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.statistics.clustered import clustered
from quantrift.core.statistics.intervals import wilson
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.assessment import Limits
from quantrift.judge.verdict.candidate import dead_logits, on_given
from quantrift.judge.verdict.clean_inputs import clean
from quantrift.judge.verdict.profiles import Plan
from quantrift.judge.verdict.record_summary import rate
from quantrift.judge.verdict.under_task import OnTask
from quantrift.judge.verdict.verdict import OfTool, judged, natural, too_few, unknown


def of_given(
    networks: tuple[Ready, Mapping[str, Ready]],
    of_both: Mapping[str, Comparison],
    inputs: Inputs,
    labelled: bool,
    found: Mapping[str, OnTask],
    limits: Limits,
) -> list[str]:
    """Lines on limits that are open, or exceeded, on the inputs as given, which no search changes; also printed.

    Args:
        networks: the original, and each compressed one by name.
        of_both: name -> logits of both.
        inputs: the given inputs.
        labelled: whether labels were given.
        found: name -> both under another task than classification.
        limits: of the verdict.
    """
    lines = []
    for name, both in of_both.items():
        of_task = found.get(name)
        dead = (
            dead_logits(networks[0], networks[1][name], both, inputs.class_names) if of_task is None else of_task.dead
        )
        seen = on_given(clean(both, inputs, labelled, of_task), of_task, len(inputs), dead)
        lines += [
            f"{name}: {one.text}; no search changes that, and searches go on for causes"
            for one in judged(seen, [], limits)
            if one.verdict != "pass"
        ]
        lines += [f"{name}: {line}" for line in unknown(dead)]
    return _printed(lines)


def of_seeds(both: Comparison, planned: Plan, limits: Limits) -> list[str]:
    """Lines on limits on natural changes for which there are too few seed inputs; also printed.

    Args:
        both: logits of the original, and labels.
        planned: the searches.
        limits: of the verdict.
    """
    right, lines = int((both.of_original.argmax(axis=1) == both.truth).sum()), []
    for tool in (tool for tool in planned.tools if tool.judged):
        count = min(tool.seeds, right)
        nothing, each = np.zeros(count), np.ones(count)
        ideal = OfTool(
            tool.title, tool.samples, count, 0, rate(*clustered(nothing, each)), rate(0.0, *wilson(0, count))
        )
        for one in natural([ideal], limits) if count else ():
            if one.verdict != "pass":
                lines.append(f"{too_few(one)}; {right:,} of the given inputs can be seed inputs")
    return _printed(lines)


def _printed(lines: list[str]) -> list[str]:
    for line in lines:
        print(line, file=sys.stderr)
    return lines
