"""Comparison of both networks on the inputs as given: agreement, accuracies, margins, limits that stay open."""

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from quantrift.core.networks.beside_original import Comparison
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.objectives import margin
from quantrift.core.statistics.clustered import clustered
from quantrift.core.statistics.intervals import drop, wilson
from quantrift.core.statistics.margin_files import margins as margins_of
from quantrift.core.statistics.margin_law import predicted
from quantrift.judge.verdict.assessment import ClassFlips, Clean, Limits, Margins
from quantrift.judge.verdict.profiles import Plan
from quantrift.judge.verdict.record_summary import exact, rate
from quantrift.judge.verdict.tool_result import Rate
from quantrift.judge.verdict.under_task import OnTask
from quantrift.judge.verdict.verdict import OfTool, judged, natural, too_few, unknown

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def clean(
    before: np.ndarray, after: np.ndarray, right: tuple[np.ndarray, np.ndarray] | None, names: Sequence[str]
) -> Clean:
    """Agreement and accuracies; no margins, and no parts of outputs.

    Args:
        before: labels by the original, int64 (n,), n > 0.
        after: labels by the compressed network, likewise.
        right: whether each network is right, bool (n,) each; ``None`` without labels.
        names: of the classes; none under another task than classification.
    """
    flipped, count = before != after, len(before)
    differ = exact(int(flipped.sum()), count)
    share, low, high = differ.value or 0.0, differ.low, differ.high
    first, second = right or (np.zeros(count, bool), np.zeros(count, bool))
    lost, gained = int((first & ~second).sum()), int((second & ~first).sum())
    return Clean(
        agreement=Rate(1 - share, None if high is None else 1 - high, None if low is None else 1 - low),
        disagreement=differ,
        disagreeing=int(flipped.sum()),
        right_to_wrong=lost if right else None,
        wrong_to_right=gained if right else None,
        between_wrong=int((flipped & ~first & ~second).sum()) if right else None,
        drop=rate(*drop(lost, gained, count)) if right else None,
        classes=[
            ClassFlips(
                name=name,
                original=int((before == label).sum()),
                compressed=int((after == label).sum()),
                flipped=int((flipped & (before == label)).sum()),
            )
            for label, name in enumerate(names)
        ],
        accuracy_original=float(first.mean()) if right else None,
        accuracy_compressed=float(second.mean()) if right else None,
        margins=[],
    )


def compared(both: Comparison, found: OnTask, names: Sequence[str]) -> Clean:
    """Agreement and accuracies of both networks under a task.

    Args:
        both: logits of both on all inputs, or what stands for them under a task.
        found: both under the task.
        names: of the classes, which count where labels are compared.
    """
    labels = both.of_original.argmax(axis=1), both.of_compressed.argmax(axis=1)
    return replace(clean(*labels, found.right, names if found.agreement is None else []), parts=list(found.parts))


def margins(found: Comparison, searched: Collection[int], hit: Collection[int]) -> list[Margins]:
    """Margins of both networks, where they are classifiers.

    Args:
        found: logits of both on all inputs.
        searched: numbers of the seed inputs of natural tools.
        hit: those of them that led to a disagreement.
    """
    groups = {
        "inputs": np.arange(len(found.truth)),
        "searched with disagreement": np.array(sorted(hit), np.int64),
        "searched without disagreement": np.array(sorted(set(searched) - set(hit)), np.int64),
    }
    return [
        _margins(network, on, logits[chosen])
        for network, logits in (("original", found.of_original), ("compressed", found.of_compressed))
        for on, chosen in groups.items()
        if len(chosen)
    ]


def _margins(network: str, on: str, logits: np.ndarray) -> Margins:
    # The objective is larger the less sure a network is, and looks at what it is given as the original.
    found = -margin.Params().score(Outputs(logits, logits))[:, 0]
    return Margins(network, on, len(found), *np.quantile(found, QUANTILES).tolist())  # type: ignore[arg-type]


def foretold(found: Comparison, clusters: np.ndarray) -> tuple[Rate, str | None]:
    """Share of such inputs with a disagreement by the margin law, and why there is none or what speaks against it.

    Args:
        found: logits of both on all inputs.
        clusters: (n,), equal for inputs that depend on each other.
    """
    law = predicted(margins_of(found.of_original, found.of_compressed), clusters)
    return rate(law.rate, law.low, law.high), law.refused or None


def open_on_given(
    of_both: Mapping[str, Comparison], found: Mapping[str, OnTask], names: Sequence[str], limits: Limits
) -> list[str]:
    """Lines on limits that are open, or exceeded, on the inputs as given, which no search changes; also printed.

    Args:
        of_both: name -> logits of both.
        found: name -> both under the task.
        names: of the classes.
        limits: of the verdict.
    """
    lines = []
    for name, both in of_both.items():
        task, dead = found[name].task, found[name].dead
        lines += [
            f"{name}: {one.text}; no search changes that, and searches go on for causes"
            for one in judged(compared(both, found[name], names), len(both.truth), [], limits, task.ACCURACY, dead)
            if one.verdict != "pass"
        ]
        lines += [f"{name}: {line}" for line in unknown(dead)]
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return lines


def open_on_seeds(both: Comparison, planned: Plan, limits: Limits) -> list[str]:
    """Lines on limits on natural changes for which there are too few seed inputs; also printed.

    Args:
        both: logits of the original, and labels.
        planned: the searches.
        limits: of the verdict.
    """
    right, lines = int((both.of_original.argmax(axis=1) == both.truth).sum()), []
    for tool in (tool for tool in planned.tools if tool.judged and right):
        count = min(tool.seeds, right)
        none = rate(*clustered(np.zeros(count), np.ones(count))), rate(0.0, *wilson(0, count))
        lines += [
            f"{too_few(one)}; {right:,} of the given inputs can be seed inputs"
            for one in natural([OfTool(tool.title, tool.samples, count, 0, *none)], limits)
            if one.verdict != "pass"
        ]
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return lines
