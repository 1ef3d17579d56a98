"""Benchmark of growth: processor time and memory against the numbers of searches, candidates, genes and jobs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from tempfile import TemporaryDirectory

import numpy as np
from tools.benchmarks.benchmark import Result, Row, cost
from tools.benchmarks.searched import Searched
from tools.benchmarks.workflow import everything_at_paper_scale
from tqdm import tqdm

from quantrift.core.page import drawing as mpl
from quantrift.core.page.markdown import table
from quantrift.core.page.style import COLOURS, FAINT
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.space import Domain
from quantrift.core.search.tool import build

SEARCHES = (10, 100, 1_000, 10_000, 100_000)
"""Of ten candidates each."""
CANDIDATES = (10, 100, 1_000, 10_000, 100_000)
"""Of each of ten searches."""
SIDES = (14, 28, 56, 112, 224)
"""Of images of three channels whose every value is a gene, in pixels."""
BLOCKS = (None, 6, 1)
"""Run seeds that a job searches; None cuts by the work of searches, as the configuration does."""
POPULATION = 10
ROWS = 64
"""Candidates that are decoded at once where the genes grow."""
TITLES = {
    "searches": "searches of 10 candidates",
    "candidates": "candidates of 10 searches",
    "genes": "genes of a candidate",
    "jobs": "jobs of a dry run",
}
COLUMNS = ("line", "number", "processor_seconds", "mb")
"""Of a point: costs of so many searches, candidates, genes or jobs. Memory is the largest resident one, in 10^6 bytes,
of those that have a process of their own."""
TOOL = {
    "space": {"name": "pixels", "params": {}},
    "constraint": {"name": "psnr", "params": {}},
    "objective": {"name": "jensen_shannon", "params": {}},
    "searcher": {"name": "random", "params": {}},
}


class Growth(Searched):
    """Costs along four lines; the judged figure is how far the worst is from straight.

    That is the cost of one more search, candidate, gene or job between the last two points over that between the two
    before them: 1 on a straight line, whatever it costs to start.
    """

    def measure(self) -> Result:
        """Each point of each line once, searches and dry runs in processes of their own."""
        total = sum(map(len, (SEARCHES, CANDIDATES, SIDES, BLOCKS)))
        points = list(tqdm(self._points(), total=total, desc="points", unit="point"))
        bends = {
            f"{name}_bend": bend([(number, seconds) for line, number, seconds, _ in points if line == name])
            for name in TITLES
        }
        last = {f"{line}_mb": mb for line, _, _, mb in points if mb is not None}
        worst = max(bends.values())
        rows = [dict(zip(COLUMNS, point, strict=True)) for point in points]
        return Result(worst, "ratio", "1: a straight line", worst, bends | last, rows)

    def _points(self) -> Iterator[tuple[str, int, float, float | None]]:
        drawn = [index for _, index in self.drawn()]
        once = replace(self.job.budget, generations=1, evaluations=POPULATION)
        for count in SEARCHES:
            # More searches than seed inputs: again from the first, under another run seed.
            chosen = [(number // len(drawn), drawn[number % len(drawn)]) for number in range(count)]
            yield "searches", count, *self.spent(chosen, once)
        for count in CANDIDATES:
            searches = [(0, index) for index in drawn[:10]]
            yield "candidates", 10 * count, *self.spent(searches, replace(once, evaluations=count))
        for side in SIDES:
            yield "genes", 3 * side**2, seconds_of_genes(side), None
        for block in BLOCKS:
            with TemporaryDirectory() as folder:
                ran = everything_at_paper_scale(folder, block)
            yield "jobs", ran.jobs, ran.processor_seconds, ran.mb


def bend(line: Sequence[tuple[float, float]]) -> float:
    """Cost of one more between the last two points of a line over that between the two before; 0 of two points."""
    slopes = [(cost - before) / (number - fewer) for (fewer, before), (number, cost) in pairwise(line)]
    return slopes[-1] / slopes[-2] if len(slopes) > 1 else 0.0


def seconds_of_genes(side: int) -> float:
    """Processor seconds a candidate to decode, check and record images whose every value is a gene, networks aside."""
    rng = np.random.default_rng(0)
    domain = Domain((side, side, 3), 0.0, 1.0)
    tool = build("growth", TOOL, domain)
    images = rng.integers(256, size=(1, *domain.shape)).astype(np.float32) / np.float32(255)
    problem = Problem("noise", 0, (0,), images, (0,), tool.space, generations=1)
    evaluate = Evaluator(tool, _no_networks, rows=ROWS)
    asked = [(problem, tool.space.sample(ROWS, rng))]
    evaluate(asked)
    return cost(partial(evaluate, asked), rounds=max(1, (224 // side) ** 2)).processor_seconds / ROWS


def _no_networks(x: np.ndarray) -> Outputs:
    """Outputs of two networks that take no time."""
    return Outputs(*np.zeros((2, len(x), 2), np.float32))


def text(rows: Sequence[Row]) -> str:
    """Costs of each line at its first and last point, and of one more at the end."""
    lines = []
    for name, title in TITLES.items():
        first, *_, before, last = [row for row in rows if row["line"] == name]
        each = (last["processor_seconds"] - before["processor_seconds"]) / (last["number"] - before["number"])
        memory = "" if last["mb"] is None else f"{first['mb']:.0f} to {last['mb']:.0f} MB"
        spent = f"{first['processor_seconds']:.2g} to {last['processor_seconds']:.3g}"
        lines.append([title, f"{first['number']:,}", f"{last['number']:,}", spent, _short(each), memory])
    return table(["of", "from", "to", "processor seconds", "one more, at the end", "memory"], lines)


def _short(seconds: float) -> str:
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    unit = next((name for name, size in units.items() if seconds >= size), "ns")
    return f"{seconds / units[unit]:.2g} {unit}"


def figure(rows: Sequence[Row]) -> mpl.Figure:
    """A panel for each line on logarithmic axes; a straight line goes through its last point."""
    drawn = mpl.Figure(figsize=(10, 2.6), layout="constrained")
    for (name, title), axes in zip(TITLES.items(), drawn.subplots(1, len(TITLES)), strict=True):
        numbers, seconds = (
            [row[key] for row in rows if row["line"] == name] for key in ("number", "processor_seconds")
        )
        straight = [seconds[-1] * number / numbers[-1] for number in numbers]
        axes.loglog(numbers, straight, color=FAINT, linestyle="--", label="in proportion")
        axes.loglog(numbers, seconds, color=COLOURS[0], marker="o", markersize=4, label="measured")
        axes.set_xlabel(title)
    drawn.axes[0].set_ylabel("processor seconds")
    drawn.axes[0].legend(fontsize=8)
    return drawn
