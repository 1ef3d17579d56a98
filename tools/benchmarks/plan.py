"""Benchmark of ``quantrift plan``: coverage of its ranges, each measured rate against the range made without it."""

from collections.abc import Mapping
from math import exp, log
from statistics import median

from tools.benchmarks.benchmark import Benchmark, Result, of_scale

from quantrift.core.page.markdown import table
from quantrift.study.planning import measured_rates
from quantrift.study.planning.estimates import CONFIDENCE, WIDENING, errors, held_out, of_stand_ins
from quantrift.study.planning.measured_rates import Rates

HELD_OUT = {"rate": "nothing", "tool": "all of its tool", "model": "all of its network", "dataset": "all of its data"}
"""Prefix of figures -> rates that are held out with one, in words."""


class Plan(Benchmark):
    """Share of the measured rates within the range made without them; needs no files and measures no time."""

    def measure(self) -> Result:
        """Each rate by itself; in the details also without all rates of its data, its network or its tool."""
        return judged(measured_rates.committed(), published())


def published() -> dict[str, str]:
    """Dataset of the sample -> the one that it is, or is a crop or simulation of."""
    return {name: one.published_as or name for name, one in of_scale("sample").datasets.items()}


def judged(known: Rates, published: Mapping[str, str]) -> Result:
    """The same of any rates.

    Further details: the share of rates for which others of their kind, or the most similar ones, plan seconds within a
    factor of two of those of their jobs; the same for others of their kind on data that stand in for theirs.

    Args:
        known: the rates.
        published: dataset -> the one that it is, or is a crop or simulation of.
    """
    details: dict[str, float] = {}
    for by in (None, *WIDENING):
        found = [(spread, own) for _, spread, own in held_out(known, by) if spread]
        name = by or "rate"
        details[f"{name}_rates"] = len(found)
        details[f"{name}_inside"] = sum(abs(own - spread.centre) <= spread.half for spread, own in found) / len(found)
        details[f"{name}_factor"] = exp(median(spread.half for spread, _ in found))
    wrong = {rate.key: (rate, abs(error) > log(2)) for rate, error in errors(known)}
    of_kinds = [bad for rate, bad in wrong.values() if len(known.alike(rate, rate.dataset)) > 1]
    details |= {"of_kind_rates": len(of_kinds), "of_kind_within_two": 1 - sum(of_kinds) / max(len(of_kinds), 1)}
    details |= {"planned_rates": len(wrong)}
    details["planned_within_two"] = 1 - sum(bad for _, bad in wrong.values()) / len(wrong)
    for name, chosen in (("searches", True), ("others", False)):
        far = [
            abs(error) > log(2) for rate, error in of_stand_ins(known, published) if (rate.rule == "search") == chosen
        ]
        details[f"stand_in_{name}"] = len(far)
        details[f"stand_in_{name}_within_two"] = 1 - sum(far) / max(len(far), 1)
    value = details["rate_inside"]
    baseline = f"{100 * CONFIDENCE:.0f} % of rates, as the ranges promise"
    return Result(value, "of held-out rates inside their range", baseline, value / CONFIDENCE, details)


def text(details: Mapping[str, float]) -> str:
    """Shares of rates within a factor of 2 and, for each way to hold out, within their ranges.

    Args:
        details: those of the benchmark.
    """
    of_kind, planned = (
        (f"{100 * details[f'{one}_within_two']:.0f} %", f"{details[f'{one}_rates']:,.0f}")
        for one in ("of_kind", "planned")
    )
    rows = (
        [
            title,
            f"{details[f'{prefix}_rates']:,.0f}",
            f"{100 * details[f'{prefix}_inside']:.0f} %",
            f"{details[f'{prefix}_factor']:.2g}",
        ]
        for prefix, title in HELD_OUT.items()
    )
    head = ["held out with the rate", "rates", "within the range", "factor of the range each way, median"]
    return (
        "* If another job of the same kind was measured, the prediction is within a factor of 2 of the measured rate "
        f"for {of_kind[0]} of {of_kind[1]} rates.\n"
        f"* For all {planned[1]} rates, including the rates that are predicted from similar jobs alone, {planned[0]} "
        "of the predictions are within a factor of 2.\n"
        f"* How often the predicted range contains the measured rate:\n\n{table(head, rows)}"
    )
