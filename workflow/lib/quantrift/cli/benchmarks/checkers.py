"""Benchmark of checkers: planted faults of graded strength and good pairs, seen by every checker there is.

Six small networks of three families, trained on scikit-learn's digits. A checker sees 500 images with labels; others
decide whether a pair is broken (``planted.truth``). What a checker said of a pair is kept until files or code change.
"""

import contextlib
import io
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from quantrift.base.errors import on_one_line
from quantrift.base.files import read_json, sha256, write_json
from quantrift.base.paths import Paths
from quantrift.checks import checker as checks
from quantrift.cli.benchmarks import checkers_table
from quantrift.cli.benchmarks.kept_code import key
from quantrift.cli.benchmarks.result import Result
from quantrift.data.kinds import embedded_digits
from quantrift.plan.root import Config

if TYPE_CHECKING:
    from quantrift.cli.benchmarks.planted.graded_pairs import GradedPair
    from quantrift.cli.benchmarks.planted.tinted_digits import Images
    from quantrift.cli.benchmarks.planted.trained_networks import Kind

FOLDER = Path("results") / "bench" / "checkers"
PLANTED = "cli/benchmarks/planted"
TRAINING = tuple(f"{PLANTED}/{name}.py" for name in ("tinted_digits", "trained_networks", "six_networks"))
"""Code on which trained networks depend."""
MAKING = tuple(
    f"{PLANTED}/{name}.py"
    for name in (
        *("conversion", "faults", "graded_faults", "graded_pairs", "onnx_conversion"),
        *("stored_weights", "stored_weights_onnx", "tflite_objects"),
    )
)
"""Code on which files of pairs depend."""
HELPERS = tuple(
    f"checks/{name}.py"
    for name in ("ai_edge", "by_figure", "changed_inputs", "figures", "layer_figures", "outputs", "qdq_debug")
)
RUNNING = ("assess", "compression", "data", "models", "search", "subjects")
"""Code on which what checkers say depends, beside their own."""
EVERY = 8
"""Held-out images, of which ten show one digit, are thinned by this."""
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
    config: Config = field(init=False)

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """No files of the workflow: networks are trained here."""
        self.config = config
        return []

    def measure(self) -> Result:
        """All pairs; tables and the figure stand beside the folder."""
        rows = list(self._rows())
        return checkers_table.write(rows, self.folder)

    def _rows(self) -> Iterator[Row]:
        """A row for each pair, with what every checker says of it."""
        # Only here, as these libraries take seconds to load.
        from quantrift.cli.benchmarks.planted import graded_pairs, six_networks, tinted_digits, trained_networks

        digits = self.config.datasets["digits"]
        assert isinstance(digits, embedded_digits.Settings)
        grey = tinted_digits.embedded(digits)
        of_channels = {False: grey, True: tinted_digits.tinted(grey)}
        for suffix in self.formats:
            form = graded_pairs.FORMATS[f".{suffix}"]
            for kind in six_networks.NETWORKS[: min(self.networks, IN_ONNX if suffix == "onnx" else self.networks)]:
                data = of_channels[kind.tinted]
                folder = self.folder / kind.name / key(data.name, *TRAINING)
                net = trained_networks.trained(kind, data, folder)
                files = folder / key(*MAKING)
                seen = Seen(kind, data, files)
                made = list(tqdm(graded_pairs.pairs(net, form, files, self.seeds), desc=f"{kind.name}: {suffix} files"))
                for pair in tqdm(made, desc=f"{kind.name}: {suffix}, checkers", unit="pair"):
                    yield {"family": six_networks.FAMILY[kind.name], **seen.row(pair)}


class Seen:
    """The images that checkers of a network's pairs see, and those that decide the truth."""

    def __init__(self, kind: "Kind", data: "Images", folder: Path) -> None:
        self._folder = folder / "rows"
        self._given = kind.inputs(data.given, data.given_labels)
        self._others = kind.inputs(data.held_out[::EVERY], data.held_out_labels[::EVERY])
        self._x = self._given.take(self._given.test)
        self._truths: dict[Path, Any] = {}

    def row(self, pair: "GradedPair") -> Row:
        """Truth of a pair, its faulty layer, and what every checker that reads such files says."""
        files = sha256(pair.original), sha256(pair.compressed)
        about = {
            "network": pair.network,
            "format": pair.suffix[1:],
            "fault": pair.fault,
            "strength": pair.strength,
            "seed": pair.seed,
        }
        truth = self._kept(pair, "truth", key(*files, f"{PLANTED}/truth.py", *RUNNING), partial(self._truth, pair))
        said = {
            name: self._kept(pair, name, key(*files, *_code_of(name)), partial(self._said, name, pair))
            for name in checks.names()
            if pair.suffix in checks.load(name).SUFFIXES and checks.runs_here(checks.load(name))
        }
        return {**about, **truth, "checkers": said}

    def _kept(self, pair: "GradedPair", what: str, code: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        path = self._folder / pair.name / f"{what}-{code}.json"
        if not path.is_file():
            write_json(path, make())
        found: dict[str, Any] = read_json(path)
        return found

    def _truth(self, pair: "GradedPair") -> dict[str, Any]:
        from quantrift.cli.benchmarks.planted.truth import held_out, truth
        from quantrift.models.runtime import load_runtime, runtime_of

        if pair.original not in self._truths:
            network = load_runtime(runtime_of(pair.original), pair.original)
            self._truths[pair.original] = held_out(self._given, self._others, network)
        found = truth(self._truths[pair.original], load_runtime(runtime_of(pair.compressed), pair.compressed))
        return {
            "state": found.state,
            **{name: share["value"] for name, share in asdict(found).items() if isinstance(share, dict)},
            "layer": None if pair.base is None else first_changed(pair.original, pair.base, pair.compressed, self._x),
        }

    def _said(self, name: str, pair: "GradedPair") -> dict[str, Any]:
        """Score, named layer and processor seconds of a checker; the reason where it failed."""
        found = checks.load(name)
        given = pair.original, pair.compressed, self._x, self._given.labels
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            begin = time.process_time()
            try:
                score = found.score(*given)
                seconds = time.process_time() - begin
                layer = checks.naming(found)
                named = layer(*given) if layer else None
            # A checker of somebody else may fail in any way.
            except Exception as error:
                reason = on_one_line(f"{type(error).__name__}: {error}", 200)
                return {"score": None, "layer": None, "seconds": None, "failed": reason}
        # JSON has no infinite numbers.
        shown = None if math.isnan(score) else float(np.clip(score, -1e300, 1e300))
        return {"score": shown, "layer": named, "seconds": round(seconds, 3), "failed": None}


def _code_of(name: str) -> Sequence[str]:
    """Code on which what a checker says depends; of one from another package, its module's name."""
    return (checks.module_name(name), f"checks/checkers/{name}.py", *HELPERS, *RUNNING)


def first_changed(original: Path, base: Path, compressed: Path, x: np.ndarray) -> str | None:
    """Layer in which two files of the same operations first differ, by its name in the original.

    Args:
        original: of both.
        base: a compressed file.
        compressed: the same with a fault in one layer.
        x: inputs, float32 (n, H, W, C), of which a few are run.
    """
    from quantrift.models.layer_values.layered import layered, pairs

    few = x[:32]
    first, good, faulty = (layered(path, len(few)) for path in (original, base, compressed))
    before, after = good(few), faulty(few)
    for layer, match in pairs(first, good):
        if match.name in after and not np.array_equal(before[match.name], after[match.name]):
            return layer.name
    return None
