"""Benchmark of growth: processor time and memory against the numbers of searches, candidates, genes and jobs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
from tools.benchmarks import search_process
from tools.benchmarks.benchmark_searches import Searched
from tools.benchmarks.result import Result
from tools.benchmarks.workflow import everything_at_paper_scale
from tqdm import tqdm

from quantrift.core.base.paths import Paths
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.space import Domain
from quantrift.core.search.tool import build
from quantrift.study.planning.root import Config

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
TOOL = {
    "space": {"name": "pixels", "params": {}},
    "constraint": {"name": "psnr", "params": {}},
    "objective": {"name": "jensen_shannon", "params": {}},
    "searcher": {"name": "random", "params": {}},
}


@dataclass(frozen=True)
class Point:
    """Costs of so many searches, candidates, genes or jobs."""

    line: str
    number: int
    processor_seconds: float
    mb: float | None = None
    """Largest resident memory, in 10^6 bytes, of those that have a process of their own."""


@dataclass(eq=False)
class Growth:
    """Costs along four lines; the judged figure is how far the worst is from straight.

    That is the cost of one more search, candidate, gene or job between the last two points over that between the two
    before them: 1 on a straight line, whatever it costs to start.
    """

    searched: Searched
    searches: tuple[int, ...] = SEARCHES
    candidates: tuple[int, ...] = CANDIDATES
    sides: tuple[int, ...] = SIDES
    blocks: tuple[int | None, ...] = BLOCKS

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """The subject's files."""
        return self.searched.needs(config, paths)

    def measure(self) -> Result:
        """Each point of each line once, searches and dry runs in processes of their own."""
        total = len(self.searches) + len(self.candidates) + len(self.sides) + len(self.blocks)
        points = list(tqdm(self._points(), total=total, desc="points", unit="point"))
        lines = {
            one.line: [(other.number, other.processor_seconds) for other in points if other.line == one.line]
            for one in points
        }
        bends = {f"{name}_bend": bend(line) for name, line in lines.items()}
        last = {f"{one.line}_mb": one.mb for one in points if one.mb is not None}
        worst = max(bends.values())
        return Result(worst, "ratio", "1: a straight line", worst, bends | last, list(map(asdict, points)))

    def _points(self) -> Iterator[Point]:
        drawn = [index for _, index in self.searched.drawn()]
        budget = self.searched.job.budget
        for count in self.searches:
            # More searches than seed inputs: again from the first, under another run seed.
            chosen = [(number // len(drawn), drawn[number % len(drawn)]) for number in range(count)]
            few = replace(budget, generations=1, evaluations=POPULATION)
            spent = search_process.spent(self.searched, chosen, few)
            yield Point("searches", count, spent.processor_seconds, spent.mb)
        for count in self.candidates:
            chosen = [(0, index) for index in drawn[:10]]
            more = replace(budget, generations=1, evaluations=count)
            spent = search_process.spent(self.searched, chosen, more)
            yield Point("candidates", 10 * count, spent.processor_seconds, spent.mb)
        for side in self.sides:
            yield Point("genes", 3 * side**2, seconds_of_genes(side))
        for block in self.blocks:
            with TemporaryDirectory() as folder:
                ran = everything_at_paper_scale(folder, block)
            yield Point("jobs", ran.jobs, ran.processor_seconds, ran.mb)


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
    candidates = tool.space.sample(ROWS, rng)
    evaluate([(problem, candidates)])
    begin = process_time()
    rounds = max(1, (224 // side) ** 2)
    for _ in range(rounds):
        evaluate([(problem, candidates)])
    return (process_time() - begin) / (rounds * ROWS)


def _no_networks(x: np.ndarray) -> Outputs:
    """Outputs of two networks that take no time."""
    none = np.zeros((len(x), 2), np.float32)
    return Outputs(none, none)
