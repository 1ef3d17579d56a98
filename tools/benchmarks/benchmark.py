"""Benchmarks: their interface, their results, and what is kept of them until code or files change."""

import hashlib
import json
import resource
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from quantrift.core.base import code_digests, files
from quantrift.core.base.code_digests import PACKAGE
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, write_json
from quantrift.core.base.paths import Paths
from quantrift.study.datasets.addresses import mirror
from quantrift.study.datasets.kinds import idx_images
from quantrift.study.planning.configuration_files import ROOT, load
from quantrift.study.planning.root import Config

if TYPE_CHECKING:
    from quantrift.study.league.planted.tinted_digits import Images
    from quantrift.study.league.planted.trained_networks import Kind, Trained

Row = Mapping[str, Any]
RESULTS = Path("results") / "bench"
PLANTED = "study/league/planted"
TRAINING = tuple(f"{PLANTED}/{name}.py" for name in ("tinted_digits", "trained_networks"))
"""Code on which networks that are trained for planted faults depend."""


@dataclass(frozen=True)
class Result:
    """One repeat of a benchmark."""

    value: float
    """The judged figure."""
    unit: str
    baseline: str
    """The reference that ``ratio`` compares with."""
    ratio: float
    details: dict[str, float]
    rows: Sequence[Mapping[str, object]] = ()
    """Parts of the figures, where readers need each."""


@dataclass
class Cost:
    """Time that something takes; inside ``with`` it is measured. Judged are seconds of processors.

    Other work on the machine stretches the seconds of the clock.
    """

    seconds: float = 0.0
    """By the clock."""
    processor_seconds: float = 0.0
    """Of all threads of the process, and of the processes that it has started and that have ended."""

    def __enter__(self) -> "Cost":
        """Start."""
        self._began = perf_counter(), _processors()
        return self

    def __exit__(self, *of_error: object) -> None:
        """Stop."""
        clock, processors = self._began
        self.seconds, self.processor_seconds = perf_counter() - clock, _processors() - processors


def _processors() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + ended.ru_utime + ended.ru_stime


def cost(task: Callable[[], object], rounds: int = 1) -> Cost:
    """Time of a call, mean over some."""
    with Cost() as spent:
        for _ in range(rounds):
            task()
    return Cost(spent.seconds / rounds, spent.processor_seconds / rounds)


class Benchmark(ABC):
    """Something that can be measured repeatedly."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Files the workflow has to make first; remembers what ``measure`` needs to know."""
        return []

    @abstractmethod
    def measure(self) -> Result:
        """One repeat."""


def result(root: Path, name: str) -> Row:
    """The whole of results/bench/``name``.json of the checkout ``root``.

    Raises:
        QuantriftError: if the benchmark has not run there.
    """
    path = root / RESULTS / f"{name}.json"
    if not path.is_file():
        raise QuantriftError(f"{path}: no such file; run python -m tools.bench {name} first")
    return read_json(path)


def kept(path: Path, find: Callable[[], Row]) -> Row:
    """Content of a .json file, found out first where there is none."""
    if not path.is_file():
        write_json(path, find())
    return read_json(path)


def key(*parts: str) -> str:
    """16 hexadecimal digits of texts, and of the code in those that name a folder or module of the package.

    Docstrings and comments are no part of the code.
    """
    digests = [_code(part) if (PACKAGE / part).exists() else part for part in parts]
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()[:16]


@cache
def _code(name: str) -> list[str]:
    path = PACKAGE / name
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [code_digests._read(file, "")[0] for file in files]


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows that may lack columns; ``None`` is empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    files.write_csv(path, names, (map(row.get, names) for row in rows))


def of_scale(name: str) -> Config:
    """The configuration of an overlay."""
    return load(ROOT / "config", [ROOT / "config" / f"{name}.yaml"])


def digits(embedded: bool = False) -> "Mapping[bool, Images]":
    """Grey and tinted digits: MNIST's where a mirror holds them, else scikit-learn's, as are ``embedded`` ones."""
    # Only here, as scikit-learn takes seconds to load.
    from quantrift.study.league.planted import tinted_digits

    grey = tinted_digits.embedded()
    config = of_scale("sample")
    if not embedded and (folder := mirror(config.data.mirror)) is not None:
        mnist = config.datasets["mnist"]
        assert isinstance(mnist, idx_images.Settings)
        grey = tinted_digits.mnist(mnist, folder)
    return {False: grey, True: tinted_digits.tinted(grey)}


def networks(
    kinds: "Iterable[Kind]", by_tint: "Mapping[bool, Images]", folder: Path
) -> "Iterator[tuple[Trained, Images, Path]]":
    """Each network, trained once, its images, and the folder of files that are made of it.

    Other code that makes files of networks trains no network again.
    """
    # Only here, as TensorFlow takes seconds to load.
    from quantrift.study.league.planted import trained_networks

    for kind in kinds:
        data = by_tint[kind.tinted]
        own = folder / kind.name / key(data.name, *TRAINING)
        yield trained_networks.trained(kind, data, own), data, own / key(PLANTED)
