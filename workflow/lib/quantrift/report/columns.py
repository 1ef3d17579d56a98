"""What a column of a table means, told from its name: its group, its kind of value, its label and its explanation."""

import re
from dataclasses import dataclass
from typing import Literal

Group = Literal["key", "runs", "measured", "published", "statistics"]
Kind = Literal["text", "percent", "points", "p", "bytes", "number"]

GROUP_TITLES: dict[Group, str] = {
    "key": "",
    "measured": "Measured here",
    "published": "Published",
    "runs": "Runs",
    "statistics": "Statistics",
}
"""Groups in the order they stand in, with their headings: published columns beside ours, the long statistics last."""

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
    "finding",
    "claim",
    "metric",
    "sentence",
    "metaheuristic",
    "form",
    "fitness",
    "size",
    "distortions",
)
_RUNS = ("run_seeds", "inputs", "subjects")
_PERCENT = ("dir", "dir_unique", "dir_valid", "sr", "vr", "accuracy", "share")
_VARIANTS = re.compile(r"_(low|high|least|mean|net|real|blocks|original|full|repaired|control)$")
_STATISTICS = {"pairs", "p", "a12", "magnitude", "biserial", "shift", "low", "high", "mean"}

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
_STATISTIC_LABELS = {
    "low": ("low", "Lower end of the 95 % interval."),
    "high": ("high", "Upper end of the 95 % interval."),
    "mean": ("mean", "Mean over run seeds, beside the median."),
    "mean_low": ("mean low", "Lower end of the mean's 95 % interval."),
    "mean_high": ("mean high", "Upper end of the mean's 95 % interval."),
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
_LABELS = {
    "model": ("Network", ""),
    "part": ("Part", "Part of a tool, the tool itself, or the protocol of its searches."),
    "setting": ("Setting", "Of the part; name is the part itself."),
    "level": ("Level", "How the paper calls the row."),
    "method": ("Compression", ""),
    "distortion": (
        "Distortion",
        "One of the space. In a table of ranges it is active alone, and the row compound is of all together.",
    ),
    "strength": ("Strength", "Share of the distortion's full range."),
    "reached": ("Reached", "Whether the constraint holds for the median; of a compound, whether the fit was possible."),
    "fitted": ("Fitted", "Whether strengths were fitted to the published validity rate."),
    "factor": ("Factor", "On all strengths, for the published validity rate; products above 1 count as 1."),
    "median_psnr_full": ("Median PSNR full", "In dB, of the distortion alone at full strength."),
    "median_psnr": ("Median PSNR", "In dB, of the distortion alone at its strength."),
    "vr_full": ("VR full", "Valid candidates among the generated ones, at full strength."),
    "identical_share": ("Identical", "Candidates that decode to their seed input, at the strength chosen."),
    "low_vr": ("VR lowest", "Smallest validity rate of random sampling that the paper prints for network and scene."),
    "high_vr": ("VR highest", "Largest validity rate of random sampling that the paper prints for network and scene."),
    "n_other": ("Other valid", "Distinct valid candidates to which the models give one label."),
    "inputs_dii": ("Inputs with a DII", "Seed inputs with at least one difference-inducing input."),
    "dii_on_share": ("On in DIIs", "Difference-inducing inputs that have the distortion switched on."),
    "other_on_share": ("On in others", "Other valid candidates that have the distortion switched on."),
    "odds_ratio": (
        "Odds ratio",
        "Odds of being switched on in difference-inducing inputs against those in other valid candidates.",
    ),
    "corrected": ("Corrected", "Whether 1/2 was added to the counts because one of them is 0."),
    "size": ("Size", "Number of distortions."),
    "distortions": ("Distortions", "A set that suffices, or any set of the size."),
    "n_shrunk": ("DIIs", "Difference-inducing inputs that were shrunk."),
    "n_left_out": ("Left out", "Difference-inducing inputs whose seed inputs the models disagree on already."),
    "exact_share": ("Exact", "Inputs of which all subsets were tried in order of size."),
    "before_average": ("Before", "Mean number of distortions before shrinking."),
    "after_average": ("Needed", "Mean number of distortions after shrinking."),
    "before_share": ("Have so many", "Inputs with so many distortions before shrinking."),
    "after_share": ("Need so many", "Inputs that need so many distortions; of a set, inputs for which it suffices."),
    "form": ("Form", "Raw genes, or genes scaled to 0..1 with switched-off distortions constant, without duplicates."),
    "fitness": ("Fitness", "What the search maximises."),
    "vectors": ("Vectors", "Of each fitness function in a draw."),
    "distance_min": ("Smallest", "Smallest distance of two vectors, mean over draws."),
    "distance_max": ("Largest", "Largest distance of two vectors, mean over draws."),
    "distance_average": ("Average", "Mean distance of two vectors, mean over draws."),
    "distance_variance": ("Variance", "Variance of the distances, mean over draws."),
    "distance_q1": ("Quartile 1", "First quartile of the distances, mean over draws."),
    "distance_q3": ("Quartile 3", "Third quartile of the distances, mean over draws."),
    **{
        f"distance_{name}_sd": (f"± {label}", "Standard deviation over draws.")
        for name, label in (
            ("min", "smallest"),
            ("max", "largest"),
            ("average", "average"),
            ("variance", "variance"),
            ("q1", "quartile 1"),
            ("q3", "quartile 3"),
        )
    },
    "within": ("Within a run seed", "Mean distance of the vectors of a run seed, median over run seeds."),
    "train_inputs": ("Training inputs", "Those the network is trained on."),
    "validation_inputs": (
        "Validation",
        "Those on which training is checked; the network is not trained on them.",
    ),
    "test_inputs": ("Test inputs", "Those that play no part in training; accuracies are measured on them."),
    "against": ("Against", "Group that the statistics of the row compare with."),
    "subjects": ("Subjects", "How many the row is a mean over."),
    "all_inputs": ("All inputs", "Seed inputs of all run seeds."),
    "differing_inputs": ("Differing inputs", "Seed inputs on which the models disagree before any search."),
    "differing_share": ("Differing share", "The same of all seed inputs."),
    "n_generated": ("Candidates", "Candidates of all searches."),
    "n_dii": ("DIIs", "Difference-inducing inputs among them."),
    "n_success": ("Inputs with a DII", "Seed inputs for which at least one was found."),
    "attacked_inputs": ("Inputs attacked", "Test inputs of which a sample was made."),
    "differing_before": ("Differ before", "Of them, those on which the models disagree as they are."),
    "n_fooled": ("Fool the original", "Samples that the original labels wrongly, of inputs that it labels correctly."),
    "n_differing": ("Differ", "Samples on which the models disagree."),
    "n_differing_anew": ("Differ anew", "Of them, those on whose input the models agree."),
    "fooled_share": ("Fooled, differ", "Of the samples that fool the original, those on which the models disagree."),
    "learned_inputs": ("Inputs learned", "Seed inputs of the half that is learned."),
    "learned_dii": ("DIIs learned", "Difference-inducing inputs of these."),
    "learned_share": ("Learned, gone", "Of these, those on which the models then agree."),
    "judged_inputs": ("Inputs judged", "Seed inputs of the other half."),
    "judged_dii": ("DIIs judged", "Difference-inducing inputs of these."),
    "n_repaired": ("Repaired", "Of these, those on which the models agree after the repair."),
    "repaired_share": ("Repaired share", "The same as a share."),
    "control_share": ("Control", "The same after as many steps on the seed inputs in place of what was found."),
    "accuracy_repaired": ("Accuracy repaired", "Of the repaired model, on the test inputs that it has not seen."),
    "accuracy_control": ("Accuracy control", "Of the control, on the same."),
    "flips_repaired": ("Flips repaired", "Test inputs on which original and repaired model disagree."),
    "flips_control": ("Flips control", "Test inputs on which original and control disagree."),
    "common_inputs": ("Common inputs", "Seed inputs for which all tools succeed, of all run seeds."),
    "horizon": ("Horizon", "Candidates up to which the restricted mean charges all tools alike."),
    "fdi": ("FDI", "Candidates up to the first difference-inducing input; a failed search is charged in full."),
    "fdi_success": ("FDI*", "The same over the inputs where the tool succeeds."),
    "fdi_common": ("FDI* common", "The same over the inputs where all tools succeed."),
    "fdi_restricted": ("FDI restricted", "FDI with no search charged beyond the horizon."),
    "to_success_median": ("To success", "Candidates evaluated until the goal was reached, median over successes."),
    "spent_average": ("Spent", "Candidates evaluated, mean over seed inputs; a failed search is charged in full."),
    "n_alone": ("Alone", "Seed inputs on which the tool succeeds and the other does not."),
    "n_other_alone": ("Other alone", "Seed inputs on which the other tool succeeds and this one does not."),
    "searches": ("Searches", "One for each seed input and class it does not have."),
    "iterations_average": ("Iterations", "Populations bred after the initial one, mean over successes."),
    "iterations_median": ("Iterations median", "Populations bred after the initial one, median over successes."),
    "tdi": ("TDI", "Distinct disagreements of a search."),
    **{
        f"{measure}_{name}": (f"{measure.upper()} {label}", meaning)
        for measure in ("fdi", "tdi")
        for name, label, meaning in (
            ("q1", "quartile 1", "First quartile over seed inputs."),
            ("median", "median", "Median over seed inputs."),
            ("q3", "quartile 3", "Third quartile over seed inputs."),
            ("friedman", "Friedman", "Friedman's statistic over all settings, seed inputs being blocks."),
        )
    },
    "queries": ("Queries", "Candidates put through both models, mean of an input."),
    "sr_least": ("SR least", "Smallest of the subjects that the row is over."),
    "queries_average": ("Queries", "Candidates put through both models until they disagreed, mean over successes."),
    "queries_penalised": ("Charged", "The same over all seed inputs, a failed search charged in full."),
    **{
        f"queries_{name}": (f"Queries {label}", f"{label} of the seed inputs need no more; failures charged in full.")
        for name, label in ((f"q{share}", f"{share} %") for share in (10, 25, 75, 90, 95, 99))
    },
    "queries_median": ("Queries median", "Median over seed inputs, a failed search charged in full."),
    "queries_most": ("Queries most", "Of any seed input, a failed search charged in full."),
    "queries_factor": ("Factor", "Mean queries over the other tool's; over subjects the mean of their factors."),
    "queries_factor_of_averages": ("Factor of means", "Mean queries over subjects, over the other tool's."),
    "queries_factor_geometric": ("Factor geometric", "Geometric mean of the subjects' factors."),
    "queries_factor_least": ("Factor least", "Smallest of the subjects' factors."),
    "queries_factor_most": ("Factor most", "Largest of the subjects' factors."),
    "queries_ratio": ("Ratio", "Queries over the other tool's on the same input, geometric mean over inputs."),
    "macs": ("MACs", "Multiply-accumulates of one inference."),
    "accuracy": ("Accuracy", "Correctly classified test inputs."),
    "accuracy_blocks": ("Accuracy blocks", "Accuracy when training and test pixels lie in separate spatial blocks."),
    "accuracy_original": ("Accuracy original", "Accuracy of the original before compression."),
    "int8_mac_share": ("8-bit MACs", "Multiply-accumulates that run in 8 bits, by the audit of the converted file."),
    "conv3d_float_share": ("Float Conv3D", "Multiply-accumulates in 3-D convolutions left in float."),
    "weight_bits": ("Weight bits", "Bits that the weights need by the method, whatever type the file keeps them in."),
    "size_bytes": ("Size", "Size of the converted file."),
    "size_bytes_original": ("Size original", "Size of the original's converted file."),
    "claim": ("Hypothesis", "What is tested, on each dataset, network and compression by itself."),
    "sentence": ("In the paper", ""),
    "cells": ("Cells", "Datasets, networks and compressions on which the hypothesis is tested."),
    "cells_for": ("For", "Cells whose one-sided test is significant at 5 %; printed differences that say so."),
    "cells_against": ("Against", "Cells whose test of the reverse is; printed differences that say the reverse."),
    "cells_undecided": ("Undecided", "Cells in which neither test is significant, or that were not run."),
    "cells_not_run": ("Of them not run", ""),
    "cells_for_unadjusted": ("For, unadjusted", "Before Holm's correction over the table."),
    "cells_against_unadjusted": ("Against, unadjusted", "Before Holm's correction over the table."),
    "cells_vanishing": ("Vanishing", "Cells for the hypothesis in which a control of it does not hold."),
    "cells_equal": ("Equal", "Printed numbers without a difference."),
    "flips": ("Flips", "Test inputs on which original and compressed model disagree."),
}


@dataclass(frozen=True)
class Column:
    """A column as a reader sees it."""

    name: str
    """Heading in the CSV."""
    group: Group
    kind: Kind
    label: str
    """Heading in the page, without its unit."""
    unit: str
    """Unit beside the heading, empty for plain numbers."""
    meaning: str
    """One sentence for the glossary, empty where the label says it all."""
    part: str = ""
    """What a statistic is of, as a reader sees it; empty for all other columns."""


def describe(name: str, numeric: bool) -> Column:
    """The column called ``name``; ``numeric`` says whether all its values are numbers."""
    kind = _kind(name) if numeric else "text"
    group = _group(name)
    unit = {"percent": "%", "points": "pp"}.get(kind, "")
    if group == "statistics":
        part, label, meaning = _statistic(name)
        return Column(name, group, kind, label, unit, meaning, part)
    label, meaning = _label(_PUBLISHED.get(name, name.removeprefix("published_")))
    return Column(name, group, kind, label, unit, meaning)


def _group(name: str) -> Group:
    tokens = name.split("_")
    if name in _KEYS:
        return "key"
    if name in _RUNS:
        return "runs"
    if tokens[0] == "published":
        return "published"
    return "statistics" if _STATISTICS & set(tokens) else "measured"


def _kind(name: str) -> Kind:
    tokens = name.split("_")
    if "p" in tokens:
        return "p"
    if "a12" in tokens or "biserial" in tokens:
        return "number"
    if "shift" in tokens:
        # Distances and numbers of candidates are no fractions.
        return "number" if tokens[0] in ("within", "fdi", "tdi") else "points"
    stem = name
    while shorter := _VARIANTS.sub("", stem):
        if shorter == stem:
            break
        stem = shorter
    if any(stem == ending or stem.endswith("_" + ending) for ending in _PERCENT):
        return "percent"
    return "bytes" if "bytes" in tokens else "number"


def _label(name: str) -> tuple[str, str]:
    for known in (_LABELS, _METRICS, _STATISTIC_LABELS):
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
