"""A verdict on the terminal: one table of limits over networks, the likeliest cause of each, and what to do next."""

import textwrap
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from quantrift.judge.intake.scaling import OTHERWISE
from quantrift.judge.verdict.answer import causes, next_step
from quantrift.judge.verdict.assessment import REPORT, Assessment, Judgement, Verdict

COLOURS: Mapping[Verdict, str] = {"pass": "green", "fail": "red", "inconclusive": "yellow"}
MARKS: Mapping[Verdict, str] = {"pass": "ok", "fail": "over", "inconclusive": "open"}
SAID: Mapping[Verdict, tuple[str, str]] = {
    "fail": ("exceeds a limit", "exceed a limit"),
    "inconclusive": ("is not decided by these inputs", "are not decided by these inputs"),
    "pass": ("keeps every limit", "keep every limit"),
}
"""Verdict -> what one network does, and what several do; the worst first."""
LIMITS = {
    "max_disagreement": "as given",
    "max_dir": "natural",
    "max_sr": "search",
}
"""Limit on a share of inputs -> where the share was measured."""
KEY = attrgetter("limit", "figure", "tool")
"""What tells judgements of a network apart."""
WIDTH = 110
"""Columns where standard output is no terminal."""
INDENT = 13
"""Columns before what is said below the table."""


def show(found: Assessment, out: Path, verbose: bool) -> None:
    """Print an assessment.

    Args:
        found: the assessment.
        out: its folder.
        verbose: whether every assumption is printed; otherwise those that rest on a guess alone.
    """
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = WIDTH
    console.print(_headline(found))
    console.print()
    console.print(_table(found))
    console.print()
    for label, line in _lines(found, out, verbose):
        wrapped = textwrap.wrap(line, console.width - INDENT) or [""]
        console.print(Text.assemble((f"  {label:<{INDENT - 2}}", "bold"), f"\n{' ' * INDENT}".join(wrapped)))


def _headline(found: Assessment) -> Text:
    by_verdict = {
        verdict: [one.name for one in found.candidates if one.verdict == verdict]
        for verdict in SAID
        if any(one.verdict == verdict for one in found.candidates)
    }
    said = "; ".join(
        f"{' and '.join([', '.join(names[:-1]), names[-1]] if names[:-1] else names)} {SAID[verdict][len(names) > 1]}"
        for verdict, names in by_verdict.items()
    )
    return Text.assemble(
        (found.verdict.upper(), f"bold {COLOURS[found.verdict]}"),
        f"   {said}   ",
        (f"{found.inputs.number:,} inputs, {found.profile} profile", "dim"),
    )


def _table(found: Assessment) -> Table:
    """Limits over networks."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("  95 % interval")
    table.add_column("limit", justify="right")
    for one in found.candidates:
        table.add_column(one.name)
    held = [{KEY(judgement): judgement for judgement in one.judgements} for one in found.candidates]
    for key in dict.fromkeys(key for own in held for key in own):
        first = next(own[key] for own in held if key in own)
        table.add_row(f"  {_figure(first, found)}", percent(first.allowed), *(_cell(own.get(key)) for own in held))
    return table


def _figure(one: Judgement, found: Assessment) -> str:
    if one.limit == "max_accuracy_drop":
        return f"{found.task.accuracy} lost"
    if one.limit not in LIMITS:
        return one.figure
    return f"{'label changed' if found.task.labels else 'outputs differ'}, {LIMITS[one.limit]}"


def _cell(one: Judgement | None) -> Text:
    if one is None:
        return Text("")
    rate, ends = one.rate, ""
    if rate.low is not None and rate.high is not None:
        ends = f" [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
    value = "unknown" if rate.value is None else percent(rate.value)
    return Text.assemble(f"{value}{ends} ", (MARKS[one.verdict], COLOURS[one.verdict]))


def percent(share: float) -> str:
    """With one decimal, and as many as it takes to tell it from 0."""
    return f"{100 * share:.1{'g' if 0 < abs(share) < 0.0005 else 'f'}} %"


def _lines(found: Assessment, out: Path, verbose: bool) -> Iterator[tuple[str, str]]:
    of = {one.name: f"{one.name}: " if len(found.candidates) > 1 else "" for one in found.candidates}
    for one in found.candidates:
        yield from (("Cause", f"{of[one.name]}{cause}") for cause in causes(one)[:1])
        yield from (("Certified", f"{of[one.name]}{counted.text}") for counted in one.certified)
    if found.ranking:
        yield "Ranking", found.ranking.text
    worst = next(one for verdict in SAID for one in found.candidates if one.verdict == verdict)
    yield "Next", of[worst.name] + next_step(worst, found).replace(worst.dii_file, str(out / worst.dii_file))
    shown = [line for line in found.assumed if verbose or OTHERWISE in line]
    yield from (("Assumed", line) for line in shown)
    if left := len(found.assumed) - len(shown):
        yield "Assumed", f"{left} things about files and inputs, which the report and --verbose list"
    # The table says of limits that are open that they are.
    told = [f"{one.name}: {line.text}" for one in found.candidates for line in one.judgements]
    yield from (("Note", line) for line in found.notes if verbose or not line.startswith(tuple(told)))
    yield from (("Failed", line) for line in found.failed)
    if (report := out / REPORT).is_file():
        yield "Report", str(report)
