"""Lines of a plan: costs of targets, and their sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from quantrift.cli.planning.dry_run import Planned
from quantrift.core.base.grouped import grouped
from quantrift.study.planning.estimates import CONFIDENCE
from quantrift.study.planning.measured_rates import Estimate

HEADING = f"{'target':<32}{'jobs':>8}{'core-hours':>12}{'between':>22}{'memory':>10}{'disk':>10}"
OF_DEVICES = f"{'device-hours':>14}{'between':>22}"
"""Further columns where jobs ask for devices, whose hours are in no other column."""
SHOWN = 6
"""Names of a group that are printed."""
OTHERS = ("compression", "study", "attack", "calibration", "table", "figure")
"""Wildcards that name jobs without a tool."""
Costs = Mapping[int, Estimate]


@dataclass(frozen=True)
class Sum:
    """Costs of some jobs together."""

    jobs: int
    core_seconds: float
    low: float
    high: float
    """Ends of the range of ``core_seconds``; they are equal to it where every job is measured."""
    memory_mb: float
    """Of the largest job; 0 where no memory is known."""
    bytes: float
    unknown: int
    """Jobs that nobody can tell the costs of; they are in no other number but ``jobs``."""
    estimated: bool

    @staticmethod
    def of(own: Sequence[Planned], costs: Costs) -> "Sum":
        """The sum over some jobs."""
        known = [(one.threads, costs[one.number]) for one in own if one.number in costs]
        middle, low, high = (
            sum(getattr(cost, end) * threads for threads, cost in known) for end in ("seconds", "low", "high")
        )
        return Sum(
            len(own),
            middle,
            low,
            high,
            memory_mb=max((cost.memory_mb for _, cost in known if cost.memory_mb), default=0.0),
            bytes=sum(cost.bytes for _, cost in known),
            unknown=len(own) - len(known),
            estimated=any(cost.like for _, cost in known),
        )

    @property
    def between(self) -> str:
        """Range of the hours for people; empty where every job is measured."""
        return f"{self.low / 3600:.2f} - {self.high / 3600:.2f}" if self.estimated else ""

    @property
    def memory(self) -> str:
        """Memory of the largest job for people."""
        return f"{self.memory_mb / 1000:.1f} GB" if self.memory_mb else ""

    @property
    def disk(self) -> str:
        """Disk of the results for people."""
        return f"{self.bytes / 1e6:.0f} MB" if self.bytes < 1e9 else f"{self.bytes / 1e9:.1f} GB"


def heading(planned: Sequence[Planned]) -> str:
    """Names of the columns of ``line``."""
    return HEADING + (OF_DEVICES if any(one.devices for one in planned) else "")


def line(name: str, own: Sequence[Planned], costs: Costs, *, devices: bool = False) -> str:
    """Costs of some jobs, with a range where jobs are estimated; ``devices`` adds the hours of jobs on devices."""
    of, on_cores = Sum.of(own, costs), Sum.of([one for one in own if not one.devices], costs)
    on_devices = ""
    if devices:
        # A job takes the device alone for its time, whatever its cores.
        alone = Sum.of([replace(one, threads=one.devices) for one in own if one.devices], costs)
        known = f"{alone.core_seconds / 3600:.2f}" if alone.jobs > alone.unknown else "unknown" if alone.jobs else ""
        on_devices = f"{known:>14}{alone.between:>22}"
    hours = f"{on_cores.core_seconds / 3600:>12.2f}{on_cores.between:>22}"
    more = f"  + {of.unknown:,} unknown" if of.unknown else ""
    return f"{name:<32}{of.jobs:>8,}{hours}{of.memory:>10}{of.disk:>10}{on_devices}{more}"


def sources(planned: Sequence[Planned], costs: Costs) -> list[str]:
    """Numbers of measured, estimated and unknown jobs, and the jobs that estimates come from."""
    known = [costs[one.number] for one in planned if one.number in costs]
    estimated = [one for one in planned if one.number in costs and costs[one.number].like]
    unknown = [one for one in planned if one.number not in costs]
    of_all = f"of {len(planned):,} jobs"
    aside = {
        "of them on a crop or simulation in place of their data": sum(cost.stand_in for cost in known),
        "on other jobs of their kind": sum(cost.of_kind for cost in known),
    }
    more = "".join(f", {count:,} {what}" for what, count in aside.items() if count)
    lines = [f"\nmeasured: {len(known) - len(estimated):,} {of_all}{more}"]
    if on_devices := [one for one in planned if one.devices]:
        unmeasured = sum(one.number not in costs for one in on_devices)
        lines.append(f"on devices: {len(on_devices):,} jobs, {unmeasured:,} of them unmeasured there and unknown")
    sure = f"a job lies in its range in about {100 * CONFIDENCE:.0f} % of cases"
    for heading, group in (
        (f"estimated from similar jobs: {len(estimated):,} {of_all}; {sure}", estimated),
        (f"unknown, and not in these numbers: {len(unknown):,} {of_all}", unknown),
    ):
        lines += [f"\n{heading}", *_grouped(group, costs)] if group else []
    return lines


def _grouped(some: Sequence[Planned], costs: Costs) -> list[str]:
    """Jobs by rule, network and similar jobs, most first: ``search lenet5: pso_div, random like ...``."""
    groups = grouped(
        (
            (
                one.job.rule,
                "/".join(filter(None, (one.job.of.get("dataset"), one.job.of.get("model")))),
                costs[one.number].like if one.number in costs else "",
            ),
            one.job,
        )
        for one in some
    )
    lines = []
    for (rule, where, like), jobs in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        keys = ("tool",) if "tool" in jobs[0].of else OTHERS
        names = sorted({job.of[key] for job in jobs for key in keys if key in job.of})
        shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
        what = f"{rule} {where}".strip() + (": " if names else "")
        lines.append(f"  {len(jobs):>6,}  {what}{shown}{f'  like {like}' if like else ''}")
    return lines
