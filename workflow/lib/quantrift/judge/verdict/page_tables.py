"""Rows of the tables in an assessment's report; their columns are in ``quantrift.judge.verdict.page_columns``."""

from collections.abc import Iterable, Mapping, Sequence

from quantrift.judge.verdict.assessment import Assessment, Candidate
from quantrift.judge.verdict.page_columns import QUANTILES
from quantrift.judge.verdict.tool_result import Rate

Row = Mapping[str, object]
LISTED = 15
"""Most rows of long lists: odds ratios and smallest sets of a model."""


def _estimate(name: str, rate: Rate) -> Row:
    """A rate as the cells of ``quantrift.core.statistics.column.with_interval``."""
    return {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high}


def rates(found: Assessment) -> Iterable[Row]:
    """Rates of each tool on each model."""
    for one in found.candidates:
        for tool in one.tools:
            yield {
                "candidate": one.name,
                "tool": tool.title,
                "kind": tool.kind,
                **_estimate("dir_valid", tool.dir_valid),
                "limit_dir": found.limits.max_dir if tool.judged and tool.samples else None,
                **_estimate("sr", tool.sr),
                "limit_sr": found.limits.max_sr if tool.judged else None,
                "vr": tool.vr.value,
                "dir": tool.dir.value,
                "n_dii": tool.dii,
                "n_generated": tool.evaluations,
                "queries_median": tool.queries.median if tool.queries else None,
                "seeds": tool.searches,
            }


def clean(found: Assessment) -> Iterable[Row]:
    """Both models on the inputs as given."""
    for one in found.candidates:
        yield {
            "candidate": one.name,
            **_estimate("disagreement_share", one.clean.disagreement),
            "disagreeing": one.clean.disagreeing,
            "right_to_wrong": one.clean.right_to_wrong,
            "wrong_to_right": one.clean.wrong_to_right,
            "between_wrong": one.clean.between_wrong,
            "accuracy_original": one.clean.accuracy_original,
            "compressed_accuracy": one.clean.accuracy_compressed,
            "int8_mac_share": one.audit.int8_mac_share if one.audit else None,
            "size_bytes": one.model.bytes,
            "size_bytes_original": found.original.bytes,
        }


def judgements(found: Assessment) -> Iterable[Row]:
    """Judgements behind the verdict, the inputs as given first."""
    for one in found.candidates:
        for row in one.judgements:
            yield {
                "candidate": one.name,
                "verdict": row.verdict,
                "figure": row.figure,
                "tool": row.tool or "inputs as given",
                **_estimate("figure_share", row.rate),
                "allowed_share": row.allowed,
                "inputs": row.count,
                "needed_least": row.needed_least,
                "needed": row.needed,
            }


def certified(found: Assessment) -> Iterable[Row]:
    """Outcomes of each neighbourhood in which inputs were certified."""
    for one in found.candidates:
        for row in one.certified:
            counts = ("neighbourhood", "members", "certified", "proven", "counterexamples", "unfinished", "unknown")
            yield {
                "candidate": one.name,
                **{name: getattr(row, name) for name in counts},
                **_estimate("certified_share", Rate(row.share, row.low, row.high)),
                "inputs": row.inputs,
            }


def flipped(one: Candidate) -> Iterable[Row]:
    """Classes with changed labels on the inputs as given; unchanged ones are left out."""
    for row in sorted(one.clean.classes, key=lambda row: -row.flipped):
        if row.flipped:
            yield {
                "class": row.name,
                "n_original": row.original,
                "n_compressed": row.compressed,
                "n_flipped": row.flipped,
                "flipped_share": row.flipped / row.original,
            }


def odds(one: Candidate) -> Iterable[Row]:
    """Distortions by how much more often they are on where the models disagree."""
    for tool in one.tools:
        for row in [row for row in tool.odds if row.ratio is not None][:LISTED]:
            yield {
                "distortion": named(row.distortion),
                "tool": tool.title,
                "odds_ratio": row.ratio,
                "odds_ratio_low": row.low,
                "odds_ratio_high": row.high,
                "corrected": row.corrected,
            }


def needs(one: Candidate) -> Iterable[Row]:
    """Smallest sets of distortions that make the models disagree."""
    titles = one.titles
    for need in one.needs[:LISTED]:
        yield {
            "distortions": words(need.distortions),
            "tool": titles.get(need.tool, need.tool),
            **_estimate("need_share", need.share),
            "n_shrunk": need.inputs,
        }


def classes(one: Candidate) -> Iterable[Row]:
    """Classes of seed inputs with disagreements; others are left out."""
    for tool in one.tools:
        for row in (row for row in tool.classes if row.dii):
            yield {
                "class": row.name,
                "tool": tool.title,
                **_estimate("sr", row.sr),
                "n_success": row.successes,
                "seeds": row.seeds,
                "n_dii": row.dii,
                "n_generated": row.evaluations,
            }


def confusions(one: Candidate) -> Iterable[Row]:
    """Pairs of labels in disagreements."""
    for tool in one.tools:
        for row in tool.confusions:
            yield {
                "label_original": row.original,
                "label_compressed": row.compressed,
                "tool": tool.title,
                "n_dii": row.dii,
            }


def margins(found: Assessment) -> Iterable[Row]:
    """Margins of both models."""
    told: dict[tuple[str, str], Row] = {}
    for one in found.candidates:
        for row in one.clean.margins:
            network = "original" if row.network == "original" else one.name
            on = "all inputs" if row.on == "inputs" else row.on.removeprefix("searched ")
            if network == "original" and row.on != "inputs" and len(found.candidates) > 1:
                on = f"{on} of {one.name}"
            quantiles = {name: getattr(row, name) for name in QUANTILES}
            told.setdefault((network, on), {"network": network, "on": on, "inputs": row.inputs, **quantiles})
    return told.values()


def layers(one: Candidate) -> Iterable[Row]:
    """Error of each layer against the original's."""
    for row in one.layers:
        yield {
            "layer": row.layer,
            "type": row.type,
            "sqnr_db": row.sqnr_db,
            "added_sqnr_db": row.added_sqnr_db,
            "sqnr_db_seeds": row.sqnr_db_seeds,
            "sqnr_db_dii": row.sqnr_db_dii,
            "cosine": row.cosine,
            "suspect": bool(row.suspect),
        }


def outputs(one: Candidate) -> Iterable[Row]:
    """Differences of each output on the inputs as given, under another task than classification."""
    for part in one.clean.parts:
        yield {
            "output": part.name,
            "n_differing": part.differing,
            "n_of": part.of,
            "mean_difference": part.mean,
            "largest_difference": part.largest,
            "unit": part.unit,
        }


def shrunk(one: Candidate, labels: bool = True) -> Iterable[Row]:
    """Single inputs with their smallest sets of distortions; ``labels``: whether labels are compared."""
    titles = one.titles
    for row in one.shrunk:
        yield {
            "seed": row.seed,
            "true_label": row.true_label if labels else None,
            "label_original": row.label_original if labels else None,
            "label_compressed": row.label_compressed if labels else None,
            "smallest": " or ".join(words(smallest) for smallest in row.smallest),
            "exact": row.exact,
            "before": words(row.distortions),
            "tool": titles.get(row.tool, row.tool),
        }


def comparisons(found: Assessment) -> Iterable[Row]:
    """Pairs of models on the same seed inputs."""
    # All candidates are searched by the same tools.
    titles = found.candidates[0].titles
    for row in found.ranking.comparisons if found.ranking else []:
        yield {
            "first": row.first,
            "second": row.second,
            "metric": {"sr": "SR", "dir": "DiR"}[row.metric],
            "tool": titles.get(row.tool, row.tool),
            "first_share": row.first_value,
            "second_share": row.second_value,
            "first_alone": row.first_alone,
            "second_alone": row.second_alone,
            "differ": row.shift,
            "differ_low": row.shift_low,
            "differ_high": row.shift_high,
            "holm": row.p_holm,
            "inputs": row.inputs,
        }


def named(distortion: str) -> str:
    """Display name of a distortion."""
    return distortion.replace("_", " ")


def words(distortions: Sequence[str]) -> str:
    """Display name of a set of distortions."""
    return " + ".join(map(named, distortions)) or "none"
