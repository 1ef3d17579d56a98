"""Comparison of both networks on the inputs as given: agreement, accuracies, margins."""

from collections.abc import Collection, Sequence

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.objectives import margin
from quantrift.core.statistics.clustered import clopper_pearson
from quantrift.core.statistics.intervals import drop
from quantrift.judge.verdict.assessment import ClassFlips, Clean, Margins
from quantrift.judge.verdict.record_summary import rate
from quantrift.judge.verdict.tool_result import Rate
from quantrift.judge.verdict.under_task import OnTask
from quantrift.judge.verdict.verdict import OnGiven

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def clean(found: Comparison, inputs: Inputs, labelled: bool, of_task: OnTask | None = None) -> Clean:
    """Agreement and accuracies; no margins.

    Args:
        found: logits of both on all inputs.
        inputs: the given inputs.
        labelled: whether their labels were given.
        of_task: both under another task than classification, which has no classes.
    """
    count = len(inputs)
    before, after = found.of_original.argmax(axis=1), found.of_compressed.argmax(axis=1)
    right_before, right_after = before == found.truth, after == found.truth
    if of_task is not None and of_task.right_original is not None and of_task.right_compressed is not None:
        # Outputs that agree may lie on both sides of a tolerance around the truth.
        right_before, right_after = of_task.right_original, of_task.right_compressed
    right = (right_before, right_after) if labelled else None
    judged = figures(before, after, right, inputs.class_names if of_task is None else [])
    ends = judged.disagreement.high, judged.disagreement.low
    return Clean(
        agreement=Rate(1 - judged.disagreeing / count, *(None if end is None else 1 - end for end in ends)),
        disagreement=judged.disagreement,
        disagreeing=judged.disagreeing,
        right_to_wrong=judged.right_to_wrong,
        wrong_to_right=int((right_after & ~right_before).sum()) if labelled else None,
        between_wrong=int(((before != after) & ~right_before & ~right_after).sum()) if labelled else None,
        drop=judged.drop,
        classes=judged.classes,
        accuracy_original=float(right_before.mean()) if labelled else None,
        accuracy_compressed=float(right_after.mean()) if labelled else None,
        margins=[],
        parts=[] if of_task is None else list(of_task.parts),
    )


def figures(
    before: np.ndarray, after: np.ndarray, right: tuple[np.ndarray, np.ndarray] | None, names: Sequence[str]
) -> OnGiven:
    """Figures that limits are held against.

    Args:
        before: labels by the original, int64 (n,), n > 0.
        after: labels by the compressed network, likewise.
        right: whether each network is right, bool (n,) each; ``None`` without labels.
        names: of the classes; none under another task than classification.
    """
    count, differing = len(before), int((before != after).sum())
    share = differing / count
    lost = gained = 0
    if right is not None:
        lost, gained = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    return OnGiven(
        disagreement=rate(share, *clopper_pearson(share, count)) if count > 1 else Rate(share, None, None),
        disagreeing=differing,
        right_to_wrong=None if right is None else lost,
        drop=None if right is None else rate(*drop(lost, gained, count)),
        classes=_classes(before, after, names),
        inputs=count,
    )


def margins(found: Comparison, searched: Collection[int], hit: Collection[int]) -> list[Margins]:
    """Margins of both networks, where they are classifiers.

    Args:
        found: logits of both on all inputs.
        searched: numbers of the seed inputs of natural tools.
        hit: those of them that led to a disagreement.
    """
    kept = sorted(set(searched) - set(hit))
    groups = {
        "inputs": np.arange(len(found.truth)),
        "searched with disagreement": np.array(sorted(hit), np.int64),
        "searched without disagreement": np.array(kept, np.int64),
    }
    networks = {"original": found.of_original, "compressed": found.of_compressed}
    return [
        _margins(network, on, logits[chosen])
        for network, logits in networks.items()
        for on, chosen in groups.items()
        if len(chosen)
    ]


def _margins(network: str, on: str, logits: np.ndarray) -> Margins:
    # The objective is larger the less sure a network is, and looks at what it is given as the original.
    margins = -margin.Params().score(Outputs(logits, logits))[:, 0]
    return Margins(network, on, len(margins), *np.quantile(margins, QUANTILES).tolist())  # type: ignore[arg-type]


def _classes(before: np.ndarray, after: np.ndarray, names: Sequence[str]) -> list[ClassFlips]:
    """Labels by the candidate for each class of the original; ``before`` and ``after`` are labels."""
    flipped = before != after
    return [
        ClassFlips(
            name=name,
            original=int((before == label).sum()),
            compressed=int((after == label).sum()),
            flipped=int((flipped & (before == label)).sum()),
        )
        for label, name in enumerate(names)
    ]
