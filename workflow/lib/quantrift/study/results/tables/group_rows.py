"""Rows of groups of tools, on single subjects and on means of several; pairs of groups are compared."""

from collections.abc import Iterator, Mapping, Sequence

from quantrift.core.base.errors import QuantriftError
from quantrift.core.statistics.published import SUBJECT
from quantrift.core.statistics.statistics import Comparison
from quantrift.study.results.tables.comparison import Row, of_tests
from quantrift.study.results.tables.measured_runs import Runs, Subject, against, group
from quantrift.study.results.targets.tool_groups import ToolGroup

TESTED = ("dir", "dir_unique", "dir_valid", "sr", "vr")
"""Rates that may be tested between groups; the statistics of the first bear no prefix."""
Groups = Mapping[str, Runs | None]
"""Name of a group -> its runs, in order; None where it was not run."""
Mean = tuple[tuple[Subject, ...], Groups]
"""Subjects, and the results of the groups as means over them."""


def runs_of_groups(
    groups: Mapping[str, ToolGroup], subject: Subject, searches: Mapping[tuple[str, str], Runs]
) -> Groups:
    """Each group on one subject.

    Raises:
        QuantriftError: a group that names no protocol has a tool with results of two.
    """
    found: dict[str, Runs | None] = {}
    for name, members in groups.items():
        of_tools = []
        for tool in members.tools:
            under = {protocol: runs for (one, protocol), runs in searches.items() if one == tool}
            if members.protocol:
                under = {key: runs for key, runs in under.items() if key == members.protocol}
            if len(under) > 1:
                raise QuantriftError(
                    f"{'/'.join(subject)}/{tool}: searched under {' and '.join(under)}; "
                    f"name one of them as the protocol of group '{name}'"
                )
            of_tools.append(next(iter(under.values()), None))
        found[name] = group(of_tools)
    return found


def pooled(subjects: Mapping[Subject, Groups], keys: Sequence[str]) -> dict[Subject, Mean]:
    """Means over the subjects that agree in ``keys``, by the subject with the other keys empty."""
    alike: dict[Subject, list[Subject]] = {}
    for subject in subjects:
        dataset, model, compression = (
            value if key in keys else "" for key, value in zip(SUBJECT, subject, strict=True)
        )
        alike.setdefault((dataset, model, compression), []).append(subject)
    return {
        kept: (tuple(members), {name: group([subjects[one][name] for one in members]) for name in subjects[members[0]]})
        for kept, members in alike.items()
    }


def pair_rows(
    subject: Subject,
    members: tuple[Subject, ...],
    groups: Groups,
    papers: Mapping[str, Mapping[str, float]],
    tested: Sequence[str],
    baseline: str | None = None,
) -> Iterator[Row]:
    """A row for each pair of groups that were run, and one for each group that is first in no pair.

    Args:
        subject: keys of the rows.
        members: subjects that they are means over.
        groups: results of each.
        papers: published numbers of each.
        tested: rates that are tested.
        baseline: second group of all pairs; where it is None, a group is paired with each later one.
    """
    names, stated = list(groups), of_tests(TESTED)
    for place, name in enumerate(names):
        first, published = groups[name], papers.get(name, {})
        others = names[place + 1 :] if baseline is None else [baseline] if name != baseline else []
        rivals = [(other, second) for other in others if (second := groups[other]) is not None]
        if first is None or not rivals:
            yield Row(subject, name, name, first, published=published, subjects=members)
            continue
        for other, second in rivals:
            # The mean over all subjects sums them up; it is no further question of the table.
            tests: dict[str, Comparison] = {rate: against(first, second, rate) for rate in tested if any(subject)}
            # A mean over one subject asks the same question as that subject.
            asks = (members, name, other)
            yield Row(subject, name, asks, first, tests, published=published, against=other, subjects=members)
            published = {what: value for what, value in published.items() if what not in stated}
