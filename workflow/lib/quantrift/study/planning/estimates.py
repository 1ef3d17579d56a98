"""Estimates of the time, memory and disk of jobs: measured, or with a range from similar jobs.

Seconds of similar jobs are modelled as log-normal. The range is a 90 % prediction interval of one more of them. Where
a job has data, a network or a tool that none of them has, the range is widened by the measured variation over these.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, log, sqrt
from statistics import fmean, median, variance

from scipy.special import stdtrit

from quantrift.core.base.grouped import grouped
from quantrift.study.planning import jobs
from quantrift.study.planning.job_kinds import ISOLATED
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import TINY, Estimate, Rate, Rates, described, mean
from quantrift.study.planning.root import Config

CONFIDENCE = 0.9
ENOUGH = 5
"""Smallest number of rates to estimate a variance from. With fewer, less similar jobs count too."""
LEVELS = {
    "search": (
        ("tool", "until", "model", "compression"),
        ("tool", "until", "model"),
        ("tool", "until"),
        ("searcher", "until", "model"),
        ("searcher", "until"),
        ("searcher",),
        ("until",),
        (),
    )
}
OTHERS = (("tool", "model", "compression"), ("tool", "model"), ("tool",), ("model", "compression"), ("model",), ())
"""Features that similar jobs of a rule share, most similar first. Rules without a tool have none in all their rates."""
WIDENING = ("dataset", "model", "tool")
PARTS = ("block", "networks")
"""Wildcards that say which part of the same work a job does."""


FEATURES = ("rule", "dataset", "model", "compression", "tool", "searcher", "until", "evaluations", "device")
"""Features of jobs, known before they run, by which similar rates are found."""


@dataclass(frozen=True)
class Spread:
    """Logarithms of seconds of a unit of work, or of a whole job where its work is not known."""

    centre: float
    half: float
    """Half of the width of the interval."""
    alike: Sequence[Rate]
    like: str


class Estimates:
    """Estimates from measured rates."""

    def __init__(self, rates: Rates) -> None:
        self._rates = rates
        # Parts of the same searches or of the same study differ in their work alone.
        self._known: dict[tuple[int, str, frozenset[tuple[str, str]]], tuple[Config, Rate, Rate | None]] = {}

    def of(self, config: Config, job: Job) -> Estimate | None:
        """Estimate of a job; None where no job of its kind was measured, or their variance is unknown."""
        key = id(config), job.rule, frozenset((name, one) for name, one in job.of.items() if name not in PARTS)
        if key not in self._known:
            described_as = described(config, job)
            # With the configuration, so that no other one gets its identity.
            self._known[key] = config, described_as, self._rates.serving(config, described_as)
        _, own, serving = self._known[key]
        if cost := self._rates.cost_by(serving, config, job, own):
            return cost
        work = jobs.units(config, job)
        found = self.spread(own, whole=work is None)
        if found is None:
            return None
        start = 0.0 if work is None else median(rate.start_seconds for rate in found.alike)
        size = 1.0 if work is None else work * own.evaluations
        memory = [rate.memory_mb for rate in found.alike if rate.memory_mb is not None]
        seconds, low, high = (start + size * exp(found.centre + way * found.half) for way in (0.0, -1.0, 1.0))
        return Estimate(
            seconds,
            low,
            high,
            memory_mb=max(memory, default=self._rates.memory.get(own.rule)),
            bytes=median(rate.bytes(rate.units if work is None else work) for rate in found.alike),
            like=found.like,
        )

    def spread(self, own: Rate, whole: bool) -> Spread | None:
        """Spread of the seconds of a unit of work of such jobs; None where none or too few of the kind were measured.

        Args:
            own: features of the job.
            whole: whole jobs instead, where the work of one is unknown.
        """
        of_rule = [rate for rate in self._rates.of.values() if _apart(rate) == _apart(own)]
        if not of_rule:
            return None
        levels = ((level, _like(own, of_rule, level)) for level in LEVELS.get(own.rule, OTHERS))
        level, alike = next((one for one in levels if len(one[1]) >= ENOUGH), ((), of_rule))
        values = [_logarithm(rate, whole=whole) for rate in alike]
        number = len(values)
        # A few rates hardly estimate their variance, so that of all rules counts.
        own_variance, freedom = (variance(values), number - 1) if number >= ENOUGH else (self._of_rules, float("inf"))
        if own_variance is None:
            return None
        # Both ends vary: the mean of those measured as well as the one to come.
        over = 2 * sum(self._over[key] for key in WIDENING if getattr(own, key) and not _like(own, alike, [key]))
        total = own_variance * (1 + 1 / number) + over
        half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * sqrt(total)
        shown = ", ".join(filter(None, (getattr(own, key) for key in level))) or f"any {own.rule}"
        return Spread(fmean(values), half, alike, f"{shown} ({number} {'rate' if number == 1 else 'rates'})")

    @cached_property
    def _of_rules(self) -> float | None:
        """Mean variance within rules; None where no rule has two rates."""
        of_rules = grouped((rate.rule, _logarithm(rate, whole=False)) for rate in self._rates.of.values())
        found = [variance(values) for values in of_rules.values() if len(values) > 1]
        return fmean(found) if found else None

    @cached_property
    def _over(self) -> Mapping[str, float]:
        """Variance over data, networks or tools of jobs that are alike in all else."""
        return {key: _within(self._groups(key)) for key in WIDENING}

    def _groups(self, over: str) -> Iterator[list[float]]:
        """Of jobs alike in all else, the mean of each data set, network or tool."""
        known = [rate for rate in self._rates.of.values() if getattr(rate, over)]
        same = ["name", *(key for key in FEATURES if key != over)]
        # Settings of another tool are other ones by themselves.
        same += [] if over == "tool" else ["settings"]
        alike = grouped((tuple(getattr(rate, key) for key in same), rate) for rate in known)
        for rates in alike.values():
            apart = grouped((getattr(rate, over), _logarithm(rate, whole=False)) for rate in rates)
            yield [fmean(values) for values in apart.values()]


def _apart(one: Rate) -> tuple[str, bool, str]:
    """Rule, whether searches are isolated, device: jobs that differ in these say nothing of each other's time."""
    return one.rule, one.until.endswith(ISOLATED), one.device


def _like(own: Rate, rates: Iterable[Rate], level: Iterable[str]) -> list[Rate]:
    """The rates that share the features of a level with a job."""
    return [rate for rate in rates if all(getattr(rate, key) == getattr(own, key) for key in level)]


def _within(groups: Iterable[Sequence[float]]) -> float:
    """Variance within groups, pooled."""
    several = [group for group in groups if len(group) > 1]
    freedom = sum(len(group) - 1 for group in several)
    return sum(variance(group) * (len(group) - 1) for group in several) / freedom if freedom else 0.0


def _logarithm(rate: Rate, whole: bool) -> float:
    each = rate.start_seconds + rate.unit_seconds * rate.units if whole else rate.unit_seconds / rate.evaluations
    return log(max(each, TINY))


def errors(rates: Rates) -> Iterator[tuple[Rate, float]]:
    """Each rate with the logarithm of the seconds that all others plan for its mean job over those it took.

    Others of its kind on its data serve where there are any, else those that are most similar. Rates that nothing is
    like are left out.
    """
    for rate, found, _ in held_out(rates):
        others = [one for one in rates.alike(rate, rate.dataset) if one is not rate]
        if others:
            yield rate, _error(mean(others, rate.dataset), rate)
        elif found:
            start = median(one.start_seconds for one in found.alike)
            each = exp(found.centre) * rate.evaluations
            yield rate, _error(replace(rate, start_seconds=start, unit_seconds=each), rate)


def of_stand_ins(rates: Rates, published: Mapping[str, str]) -> Iterator[tuple[Rate, float]]:
    """The same from rates of its kind on other datasets that are crops or simulations of one with it.

    Args:
        rates: all that were measured.
        published: dataset -> the one that it is, or is a crop or simulation of.
    """
    for rate in rates.of.values():
        if rate.kind and rate.dataset:
            own = published[rate.dataset]
            names = [name for name, other in published.items() if other == own and name != rate.dataset]
            others = [one for name in names for one in rates.alike(rate, name)]
            if others:
                yield rate, _error(mean(others, ""), rate)


def _error(served: Rate, rate: Rate) -> float:
    planned = served.start_seconds + served.unit_seconds * rate.units
    return log(planned / max(rate.start_seconds + rate.unit_seconds * rate.units, TINY))


def held_out(rates: Rates, by: str | None = None) -> Iterator[tuple[Rate, Spread | None, float]]:
    """Each rate with its estimate from all others, and its own logarithm.

    Args:
        rates: all that were measured.
        by: rates of the same ``dataset``, ``model`` or ``tool`` are held out with it.
    """
    without: dict[object, Estimates] = {}
    for key, rate in rates.of.items():
        named = getattr(rate, by) if by else key
        if not named:
            continue
        if named not in without:
            kept = {one: other for one, other in rates.of.items() if (getattr(other, by) if by else one) != named}
            without[named] = Estimates(Rates(kept))
        yield rate, without[named].spread(rate, whole=False), _logarithm(rate, whole=False)
