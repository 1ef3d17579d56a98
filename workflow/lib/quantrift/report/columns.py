"""What a column of a table means, told from its name: its group, its kind of value, its label and its explanation."""

import re

from quantrift.metrics.column import Column, Group, Kind
from quantrift.report.labels import LABELS

_KEYS = (
    "dataset",
    "model",
    "compression",
    "attack",
    "method",
    "tool",
    "against",
    "calibration",
    "distortion",
    "part",
    "setting",
    "study",
    "distribution",
    "finding",
    "claim",
    "metric",
    "sentence",
    "metaheuristic",
    "form",
    "fitness",
    "size",
    "distortions",
    "candidate",
    "layer",
    "class",
    "network",
    "seed",
    "true_label",
    "label_original",
    "label_compressed",
)
_RUNS = ("run_seeds", "repetitions", "inputs", "subjects")
_PERCENT = ("dir", "dir_unique", "dir_valid", "sr", "vr", "accuracy", "share")
_VARIANTS = re.compile(r"_(low|high|least|most|sd|mean|pooled|net|real|blocks|original|full|repaired|control)$")
_MEASURED = ("mean_bits",)
"""Columns that bear the name of a statistic and are none."""
_STATISTICS = {"pairs", "p", "a12", "magnitude", "biserial", "shift", "low", "high", "mean", "rests"}

_PUBLISHED = {f"published_{part}": f"{part}_inputs" for part in ("train", "validation", "test")}
"""Published columns that do not bear the name of the measured one beside them."""

_METRICS = {
    "dir_unique": ("DiR distinct", "Distinct difference-inducing inputs among the distinct decoded inputs."),
    "dir_valid": ("DiR valid", "Difference-inducing inputs among the valid candidates."),
    "dir_real": ("DiR evaluated", "Difference-inducing evaluations among all evaluations."),
    "dir": (
        "DiR",
        "Difference-inducing inputs among the candidates; survivors count in each generation, as published.",
    ),
    "sr": ("SR", "Seed inputs for which at least one difference-inducing input was found."),
    "vr": ("VR", "Valid candidates among the generated ones."),
}
_METRICS |= {
    f"{rate}_pooled": (f"{label} pooled", f"{meaning} Over all seed inputs together.")
    for rate, (label, meaning) in _METRICS.items()
}
_STATISTIC_LABELS = {
    "low": ("low", "Lower end of the 95 % interval."),
    "high": ("high", "Upper end of the 95 % interval."),
    "mean": ("mean", "Mean over run seeds, beside the median."),
    "pooled_low": ("pooled low", "Lower end of the 95 % interval of the share over all seed inputs."),
    "pooled_high": ("pooled high", "Upper end of the 95 % interval of the share over all seed inputs."),
    "rests_on": (
        "rests on",
        "How few seed inputs, or blocks of a scene, have an event, where these are fewer than three; rates of "
        "candidates then have no interval.",
    ),
    "pairs": ("pairs", "Run seeds that were compared."),
    "p": ("p", "Two-sided p-value, before correction."),
    "p_min": ("smallest p", "Smallest p-value that this number of run seeds can give."),
    "p_holm": ("p Holm", "p-value after Holm's correction over the whole table."),
    "p_as_published": ("p as published", "p-value computed the way the paper computes it."),
    "a12": ("A12", "Probability that the first group is larger, ties counted half; 0.5 means no difference."),
    "magnitude": ("magnitude", "Name of the size of A12: negligible, small, medium or large."),
    "rank_biserial": ("rank-biserial", "Matched-pairs rank-biserial correlation, -1 to 1."),
    "shift": ("shift", "Hodges-Lehmann shift against the baseline, or the group named beside."),
    "shift_low": ("shift low", "Lower end of the shift's 95 % interval."),
    "p_below": ("p below", "Bound that the paper prints for the whole table."),
    "a12_above": ("A12 above", "Bound that the paper prints for the whole table."),
    "shift_high": ("shift high", "Upper end of the shift's 95 % interval."),
}


def describe(name: str, numeric: bool) -> Column:
    """The column called ``name``; ``numeric`` says whether all its values are numbers."""
    kind = _kind(name) if numeric else "text"
    group = _group(name)
    if group == "statistics":
        part, label, meaning = _statistic(name)
        return Column(name, label, kind, meaning, group, part)
    label, meaning = _label(_PUBLISHED.get(name, name.removeprefix("published_")))
    return Column(name, label, kind, meaning, group)


def _group(name: str) -> Group:
    tokens = name.split("_")
    if name in _KEYS:
        return "key"
    if name in _RUNS:
        return "runs"
    if tokens[0] == "published":
        return "published"
    return "statistics" if _STATISTICS & set(tokens) and name not in _MEASURED else "measured"


def _kind(name: str) -> Kind:
    tokens = name.split("_")
    if "p" in tokens:
        return "p"
    if "a12" in tokens or "biserial" in tokens:
        return "number"
    if "difference" in tokens:
        return "points"
    if "shift" in tokens:
        # Distances and numbers of candidates are no fractions.
        return "number" if tokens[0] in ("within", "fdi", "tdi") else "points"
    stem = name
    while shorter := _VARIANTS.sub("", stem):
        if shorter == stem:
            break
        stem = shorter
    if any(stem == ending or stem.endswith("_" + ending) for ending in _PERCENT):
        return "fraction"
    return "bytes" if "bytes" in tokens else "number"


def _label(name: str) -> tuple[str, str]:
    for known in (LABELS, _METRICS, _STATISTIC_LABELS):
        if name in known:
            return known[name]
    return name.replace("_", " ").capitalize(), ""


def _statistic(name: str) -> tuple[str, str, str]:
    """What a statistic is of, its label and its meaning; one whose name says no metric is of DiR."""
    for statistic in sorted(_STATISTIC_LABELS, key=len, reverse=True):
        label, meaning = _STATISTIC_LABELS[statistic]
        if name == statistic or name.endswith("_" + statistic):
            part = _label(name[: -len(statistic) - 1] or "dir")[0]
            return part, label, f"{part}: {meaning[0].lower()}{meaning[1:]}"
    return "Other", *_label(name)
