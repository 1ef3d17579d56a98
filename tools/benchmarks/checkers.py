"""Benchmark of checkers: planted faults of graded strength and good pairs, seen by every checker there is.

Six small networks of three families, trained on scikit-learn's digits. A checker sees 500 images with labels; others
decide whether a pair is broken (``league.planted.truth``). What a checker said of a pair is kept until files or code
change.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.benchmarks import checkers_table
from tools.benchmarks.kept_code import key
from tools.benchmarks.result import Result

from quantrift.core.base.files import read_json, sha256, write_json
from quantrift.core.base.paths import Paths
from quantrift.study.league import checker as checks
from quantrift.study.planning.root import Config

if TYPE_CHECKING:
    from quantrift.study.league.planted.graded_pairs import GradedPair

FOLDER = Path("results") / "bench" / "checkers"
PLANTED = "study/league/planted"
TRAINING = tuple(f"{PLANTED}/{name}.py" for name in ("tinted_digits", "trained_networks"))
"""Code on which trained networks depend."""
MAKING = tuple(
    f"{PLANTED}/{name}.py"
    for name in (
        *("conversion", "faults", "graded_pairs"),
        *("stored_weights", "stored_weights_onnx"),
    )
)
"""Code on which files of pairs depend."""
HELPERS = tuple(
    f"study/league/{name}.py"
    for name in (
        *("ai_edge", "by_figure", "changed_inputs", "figures", "layer_figures", "outputs"),
        *("planted_pairs", "qdq_debug"),
    )
)
RUNNING = ("core", "judge/intake", "judge/verdict")
"""Code on which what checkers say depends, beside their own."""
IN_ONNX = 3
"""Networks, one of each family, whose pairs are made in .onnx files too."""
Row = Mapping[str, Any]


@dataclass(eq=False)
class Checkers:
    """Share of broken pairs that each checker catches, at equal false alarms."""

    networks: int = 6
    """Of six; one of each family comes first."""
    seeds: int = 1
    """Draws of layer, channels and class for each fault."""
    formats: Sequence[str] = ("tflite", "onnx")
    """Kinds of files; networks beyond the first three have no .onnx files."""
    folder: Path = FOLDER

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """No files of the workflow: networks are trained here."""
        return []

    def measure(self) -> Result:
        """All pairs; tables and the figure stand beside the folder."""
        rows = list(self._rows())
        return checkers_table.write(rows, self.folder)

    def _rows(self) -> Iterator[Row]:
        """A row for each pair, with what every checker says of it."""
        # Only here, as these libraries take seconds to load.
        from quantrift.study.league import planted_pairs
        from quantrift.study.league.planted import graded_pairs, tinted_digits, trained_networks

        grey = tinted_digits.embedded()
        of_channels = {False: grey, True: tinted_digits.tinted(grey)}
        for suffix in self.formats:
            form = graded_pairs.FORMATS[f".{suffix}"]
            for kind in trained_networks.NETWORKS[: min(self.networks, IN_ONNX if suffix == "onnx" else self.networks)]:
                data = of_channels[kind.tinted]
                folder = self.folder / kind.name / key(data.name, *TRAINING)
                net = trained_networks.trained(kind, data, folder)
                files = folder / key(*MAKING)
                yield from planted_pairs.rows(net, data, form, files, self.seeds, Kept(files / "rows"))


class Kept:
    """What was said of pairs, each kept in a file until code or files of the pair change."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, pair: "GradedPair", name: str, find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a checker says of a pair, or the truth (``planted_pairs.Ask``)."""
        code = key(sha256(pair.original), sha256(pair.compressed), *_code_of(name))
        path = self._folder / pair.name / f"{name}-{code}.json"
        if not path.is_file():
            write_json(path, find())
        found: dict[str, Any] = read_json(path)
        return found


def _code_of(name: str) -> Sequence[str]:
    """Code on which the truth, or what a checker says, depends; of one from another package, its module's name."""
    from quantrift.study.league.planted_pairs import TRUTH

    if name == TRUTH:
        return (f"{PLANTED}/truth.py", "study/league/planted_pairs.py", *RUNNING)
    return (checks.module_name(name), f"study/league/checkers/{name}.py", *HELPERS, *RUNNING)
