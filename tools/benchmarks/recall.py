"""Benchmark of searches against the truth: recall in a finite neighbourhood that was enumerated, at equal queries.

Pairs are the one that comes with the package and, where its files are at hand, the published LeNet-1. Beside recall
stand the inputs that are certified in other neighbourhoods, and the seconds that an enumeration takes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tools.benchmarks.benchmark import Benchmark, Cost, Result, Row

from quantrift.core.base.inputs import ImageStack, Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.page.markdown import table
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import Networks, PairFiles
from quantrift.core.search import run
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Problem
from quantrift.core.search.neighbourhood_kinds import named
from quantrift.core.search.results_files import files_in
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import pixels
from quantrift.core.search.tool import build
from quantrift.core.statistics.clustered import clopper_pearson
from quantrift.core.statistics.intervals import Share
from quantrift.core.statistics.recall import Disagreements, certified, recall
from quantrift.judge.certify.enumeration import Enumerator, State
from quantrift.judge.certify.loaded_subject import Files, loaded
from quantrift.judge.intake.example import paths as example
from quantrift.study.planning.root import Config

TRUTH = "exhaustive"
TOOLS = ("random_members", "pso_members", "ga_members", "triggerfinder_members")
"""Tools of the configuration, whose neighbourhood is another one here."""
EXAMPLE, PUBLISHED = "example", "published LeNet-1"
SUBJECT = {"dataset": "mnist", "model": "lenet1_dflare", "compression": "dflare_8bit", "protocol": ""}
"""Subject of the published files at sample scale."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two networks with the images that they agree on."""

    networks: Networks
    images: ImageStack
    chosen: np.ndarray
    """Numbers of the images to start from, int64 (n,)."""

    @staticmethod
    def of(networks: Networks, images: ImageStack, among: np.ndarray, number: int) -> "Pair":
        """The first so many images with one label from both networks."""
        said = networks(images.take(among[: 2 * number]))
        agree = said.original.argmax(axis=1) == said.compressed.argmax(axis=1)
        return Pair(networks, images, among[: 2 * number][agree][:number])


@dataclass(eq=False)
class Recall(Benchmark):
    """The judged figure is the recall of random sampling on the example pair, with the most queries."""

    searched: Mapping[str, str] = field(
        default_factory=lambda: {EXAMPLE: "shift=2+brightness=32", PUBLISHED: "shift=2+brightness=32"}
    )
    """Pair -> the neighbourhood in which tools search."""
    enumerated: Sequence[str] = ("brightness=64", "contrast=1:0.01", "shift=2", "rotation=30:0.5")
    queries: Sequence[int] = (25, 100, 400)
    number: int = 30
    """Images of each pair."""
    tools: dict[str, dict[str, Any]] = field(init=False)
    published: run.Files | None = field(init=False, default=None)

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Files of the published pair, where the configuration has it."""
        self.tools = {name: config.tools[name].model_dump(mode="json") for name in (TRUTH, *TOOLS)}
        if SUBJECT["model"] not in config.models.files:
            return []
        self.published = files_in(paths, SUBJECT, self.tools[TRUTH], config.original_runtime(SUBJECT["compression"]))
        return [self.published.inputs, self.published.original, self.published.compressed]

    def measure(self) -> Result:
        """Enumerate and search."""
        rows = [
            {"pair": name, **row}
            for name, pair in self._pairs()
            for row in (*self._certified(pair), *self._recall(pair, name))
        ]
        details = {
            f"{row['tool']}_{row['queries']}": row["recall"] for row in rows if row["pair"] == EXAMPLE and "tool" in row
        }
        value = details[f"{TOOLS[0]}_{self.queries[-1]}"]
        unit = f"of the inputs with a disagreement found by random sampling in {self.queries[-1]} queries"
        return Result(value, unit, "enumeration of all members", value, details, rows)

    def _pairs(self) -> Iterator[tuple[str, Pair]]:
        """Each pair by name; files of the example are open until the next one is asked for."""
        files = example()
        with loaded(Files(files.original, files.int8, files.inputs)) as subject:
            yield EXAMPLE, Pair.of(subject.networks, subject.images, np.arange(len(subject.images)), self.number)
        if found := self.published:
            inputs = Inputs.load(found.inputs)
            assert isinstance(inputs, ImageStack)
            networks = given_pair.load(
                PairFiles(original=found.original, compressed=found.compressed, original_runtime=found.original_runtime)
            )
            yield PUBLISHED, Pair.of(networks, inputs, inputs.test, self.number)

    def _certified(self, pair: Pair) -> Iterator[dict[str, Any]]:
        """Shares certified, up to the first counterexample of each image, and seconds."""
        enumerator = Enumerator(pair.networks, pixels.bind(pixels.Params(), Domain.of(pair.images)))
        for text in self.enumerated:
            neighbourhood = named(text, pair.images.shape)
            count = 0
            with Cost() as spent:
                for image in pair.images.images[pair.chosen]:
                    *_, last = enumerator.run(neighbourhood, image, State())
                    count += last.outcome(neighbourhood.size) == "certified"
            share = count / len(pair.chosen)
            yield {
                "neighbourhood": neighbourhood.text,
                "members": neighbourhood.size,
                "inputs": len(pair.chosen),
                "certified": share,
                "certified_interval": clopper_pearson(share, len(pair.chosen)),
                "seconds": spent.processor_seconds / len(pair.chosen),
            }

    def _recall(self, pair: Pair, name: str) -> Iterator[dict[str, Any]]:
        """Each tool within each number of queries."""
        text, clusters = self.searched[name], pair.chosen
        size = named(text, pair.images.shape).size
        truth = self._found(pair, TRUTH, text, size)
        for tool in TOOLS:
            found = self._found(pair, tool, text, max(self.queries))
            for queries in self.queries:
                of = recall(truth, found, clusters, queries)
                yield {
                    "neighbourhood": text,
                    "members": size,
                    "inputs": len(clusters),
                    **_cells("certified", certified(truth, clusters)),
                    "tool": tool,
                    "title": self.tools[tool]["title"],
                    "queries": queries,
                    "with_disagreement": int(np.count_nonzero(truth.inputs(len(clusters)))),
                    **_cells("recall", of.seeds),
                    **_cells("recall_inputs", of.inputs),
                }

    def _found(self, pair: Pair, name: str, text: str, evaluations: int) -> Disagreements:
        """All disagreements that a tool finds from the chosen images."""
        settings = {**self.tools[name], "space": {"name": "neighbourhood", "params": {"of": text}}}
        tool = build(name, settings, Domain.of(pair.images))
        problems = [
            Problem("bench", 0, (n,), pair.images.take([n]), (int(pair.images.labels[n]),), tool.space, 1, evaluations)
            for n in pair.chosen.tolist()
        ]
        spent = np.zeros(len(problems), np.int64)
        parts = [np.empty((3, 0), np.uint64)]
        for event in Engine(Evaluator(tool, pair.networks)).run(problems):
            if isinstance(event, Step):
                [hits] = np.nonzero(event.evaluated.tell.disagree)
                own = (np.full(len(hits), event.number), spent[event.number] + hits, event.evaluated.digests[hits])
                parts.append(np.stack([one.astype(np.uint64) for one in own]))
                spent[event.number] += len(event.candidates)
        seeds, numbers, digests = np.concatenate(parts, axis=1)
        return Disagreements(seeds.astype(np.int64), numbers.astype(np.int64), digests)


def _cells(name: str, share: Share) -> dict[str, Any]:
    """A share and its interval; None where there is none."""
    return {
        name: None if np.isnan(share.share) else share.share,
        f"{name}_interval": None if np.isnan(share.low) else (share.low, share.high),
    }


def text(rows: Sequence[Row]) -> str:
    """Two tables: inputs certified in each neighbourhood, and the recall of each tool at each number of queries."""
    of_tools = [row for row in rows if "tool" in row]
    certified_ones = table(
        ["pair", "neighbourhood", "members", "certified", "95 % interval", "CPU s an input"],
        (
            [
                row["pair"],
                f"`{row['neighbourhood']}`",
                f"{row['members']:,}",
                f"{row['certified']:.1%} of {row['inputs']}",
                _interval(row["certified_interval"]),
                f"{row['seconds']:.3f}",
            ]
            for row in rows
            if "tool" not in row
        ),
    )
    queries = sorted({row["queries"] for row in of_tools})
    heads = [*(f"recall, {number} queries" for number in queries), f"of all disagreeing images, {queries[-1]}"]
    tools = (
        [
            row["pair"],
            f"`{row['neighbourhood']}`",
            f"{row['with_disagreement']} of {row['inputs']}",
            row["title"],
            *(
                f"{_share(one['recall'])} ({_interval(one['recall_interval'])})"
                for one in of_tools
                if (one["pair"], one["tool"]) == (row["pair"], row["tool"])
            ),
            _share(row["recall_inputs"]),
        ]
        for row in of_tools
        if row["queries"] == queries[-1]
    )
    second = table(["pair", "neighbourhood", "inputs with a disagreement", "tool", *heads], tools)
    return f"{certified_ones}\n\n{second}"


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"


def _interval(ends: Sequence[float] | None) -> str:
    return "none" if ends is None else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f} %"
