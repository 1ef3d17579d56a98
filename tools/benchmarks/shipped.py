"""Benchmark of pairs that people ship: ``quantrift assess`` and other tools on networks of public wheels.

Public quantizers make good pairs, and faults drawn by a seed from twelve causes make broken ones. Held-out inputs
decide which is which (``planted.truth``). What was found out of a pair is kept until files or code change.
"""

import contextlib
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from tools.benchmarks import shipped_pairs
from tools.benchmarks.benchmark import PLANTED, RESULTS, Benchmark, Cost, Result, Row, kept, key, write_csv
from tools.benchmarks.shipped_pairs import BASE, CAUSES, GOOD, Cause
from tools.benchmarks.verdicts import assessed
from tqdm import tqdm

from quantrift.core.base import extras
from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256
from quantrift.core.page.markdown import table
from quantrift.core.page.number_format import percent
from quantrift.study.board import public_networks, public_quantizers
from quantrift.study.board.public_networks import NETWORKS, PublicNetwork, prepared, same_marks
from quantrift.study.board.public_quantizers import QUANTIZERS

if TYPE_CHECKING:
    from quantrift.judge.verdict.opened_networks import Opened
    from quantrift.judge.verdict.profiles import Settings
    from quantrift.study.league.checkers import Checker
    from quantrift.study.league.planted.truth import HeldOut

SEED, EACH = 52, 10
"""Of all inputs and of the order in which causes and networks are drawn; good pairs, and broken ones."""
SEEDS, GENERATIONS = 40, 2
"""Of an assessment, in place of the quick profile's: about the least with which a sound pair passes."""
DRAWN = ("given", "held_out", "samples")
"""Inputs of an assessment, inputs that decide the truth, and inputs on which ranges are measured."""
DECIDING = ("core", "judge/intake", "judge/verdict", f"{PLANTED}/truth.py")
"""Code on which truth, verdicts and causes depend."""


OTHERS = {"onnxruntime_debugger": "qdq_loss_debug", "ai_edge_quantizer_mse": "ai-edge-quantizer"}
"""Checkers of other packages that name a layer -> what they are called."""


class Files:
    """Files of one network, made where they are missing."""

    def __init__(self, net: PublicNetwork, folder: Path) -> None:
        """Fetches the network, and draws inputs."""
        code = map(sha256, map(Path, (public_networks.__file__, public_quantizers.__file__, shipped_pairs.__file__)))
        self.net, self.folder = net, folder / net.name / key(net.sha256, str(SEED), *code)
        file = public_networks.file(net, folder)
        self.original = self.made(f"original{file.suffix}", partial(prepared, net, file))
        for number, name in enumerate(DRAWN):
            if not self.inputs(name).is_file():
                count = 60 if name == "samples" else net.inputs
                write_arrays(self.inputs(name), net.draw(count, np.random.default_rng([SEED, number])))

    def inputs(self, name: str) -> Path:
        """Their file."""
        return self.folder / f"{name}.npz"

    def taken(self, name: str) -> np.ndarray:
        """Inputs as the network takes them, float32 (n, ...)."""
        return self.net.taken(np.load(self.inputs(name))["inputs"])

    def made(self, name: str, make: Callable[[], bytes]) -> Path:
        """A file of this name."""
        from quantrift.study.league.planted import conversion

        conversion.kept(self.folder / name, make)
        return self.folder / name

    def quantized(self, name: str, quantize: Callable[[bytes, np.ndarray], bytes]) -> Path:
        """A compressed network."""
        name = f"{name.replace(', ', '_').replace(' ', '_')}{self.original.suffix}"
        return self.made(name, lambda: quantize(self.original.read_bytes(), self.taken("samples")))

    def broken(self, cause: Cause) -> "Pair":
        """A pair with a fault."""
        number = CAUSES.index(cause)
        rng = np.random.default_rng([SEED, number, NETWORKS.index(self.net)])
        made = self.quantized(f"cause {number}", partial(shipped_pairs.broken, cause, self.net, rng=rng))
        return Pair(self, cause.name, made, cause, self.quantized("base", QUANTIZERS[BASE[self.net.name]]))

    @cached_property
    def settings(self) -> "Settings":
        """Of an assessment; networks that mark something have no labels."""
        # Only here, as these modules take seconds to load.
        from quantrift.core.pairs.task import task_of
        from quantrift.core.pairs.tasks.function import known
        from quantrift.judge.intake.input_form import InputForm
        from quantrift.judge.verdict.profiles import Settings

        known("same_marks", same_marks)
        task = None if "labels" in np.load(self.inputs("given")) else task_of("function", {"function": "same_marks"})
        mean, std = self.net.standard or (None, None)
        # Files of networks on sounds do not say that they take signals.
        space = None if self.net.standard else "signal_distortions"
        return Settings(
            form=InputForm(mean=mean, std=std, space=space),
            space=space,
            seeds=SEEDS,
            generations=GENERATIONS,
            task=task,
        )

    changed: "HeldOut | None" = None
    """Held-out inputs and their changes, the same for all pairs."""


class Pair(NamedTuple):
    """A network and a compressed version of it."""

    files: Files
    name: str
    compressed: Path
    cause: Cause | None = None
    """That was planted."""
    base: Path | None = None
    """The compressed network without it."""


@dataclass(eq=False)
class ShippedPairs(Benchmark):
    """Wrong verdicts, and causes that are named, of pairs that people ship."""

    folder: Path = RESULTS / "shipped"

    def measure(self) -> Result:
        """All pairs."""
        rows = list(self._rows())
        write_csv(RESULTS / "shipped.csv", rows)
        counts = counted(rows)
        wrong = counts["false_pass"] + counts["false_fail"]
        return Result(wrong, "wrong verdicts", "all pairs", wrong / max(1, len(rows)), counts, rows)

    def _rows(self) -> Iterator[Row]:
        """Good pairs, then broken ones."""
        of = {net.name: Files(net, self.folder) for net in NETWORKS}
        yield from self._shown(
            "good", (Pair(of[net], name, of[net].quantized(name, QUANTIZERS[name])) for net, name in GOOD)
        )
        draws = [(cause, of[name]) for cause in CAUSES for name in cause.networks]
        order = np.random.default_rng(SEED).permutation(len(draws))
        yield from self._shown("broken", (files.broken(cause) for cause, files in (draws[one] for one in order)))

    def _shown(self, state: str, pairs: Iterable[Pair]) -> Iterator[Row]:
        """Rows of the first pairs that held-out inputs show to be so; each cause counts once."""
        shown = set[object]()
        for pair in tqdm(pairs, desc=state, unit="pair"):
            own = pair.cause or pair.compressed
            if len(shown) < EACH and own not in shown and (found := self._asked(pair, _truth))["state"] == state:
                shown.add(own)
                about = {"network": pair.files.net.name, "made": pair.name, "planted": pair.cause is not None}
                yield {**about, **found, **self._asked(pair, _said), **self._asked(pair, _others)}

    def _asked(self, pair: Pair, ask: Callable[[Pair], Row]) -> Row:
        files = pair.files
        given = files.original, pair.compressed, files.inputs("given"), files.inputs("held_out")
        code = key(*map(sha256, given), *DECIDING, *([] if ask is _truth else [str(SEEDS), str(GENERATIONS)]))
        name = f"{files.net.name}-{pair.compressed.stem}-{ask.__name__.strip('_')}-{code}.json"
        return kept(self.folder / "rows" / name, partial(ask, pair))


def _truth(pair: Pair) -> Row:
    """State of a pair by held-out inputs, under the task of its network, and its rates."""
    from quantrift.core.networks.foreign.given_files import GivenFiles
    from quantrift.core.networks.foreign.reader import ForeignFiles
    from quantrift.judge.verdict.opened_networks import arrays_of, opened
    from quantrift.study.league.planted.truth import held_out, truth

    of = pair.files
    with GivenFiles() as given, ForeignFiles() as files:

        def on(file: Path) -> "Opened":
            return opened(of.original, [pair.compressed], arrays_of(file, of.settings), file, of.settings, given, files)

        others = on(of.inputs("held_out"))
        of.changed = of.changed or held_out(on(of.inputs("given")).inputs, others.inputs, others.first.network)
        found = truth(of.changed, next(iter(others.networks.values())).network)
    shares = {name: share["value"] for name, share in asdict(found).items() if isinstance(share, dict)}
    return {"state": found.state, "inputs": found.inputs, "changed": found.changed, **shares}


def _said(pair: Pair) -> Row:
    """Verdict, causes and suspected layers of ``quantrift assess``, and what ``quantrift compare`` says."""
    from quantrift.judge.verdict.comparison import compare
    from quantrift.study.league.planted_pairs import first_changed

    files, cause = pair.files, pair.cause
    inputs = files.inputs("given")
    said = assessed(files.original, pair.compressed, inputs, files.settings)
    with Cost() as spent:
        compared = said["verdict"] != "refused" and compare(files.original, [pair.compressed], inputs, files.settings)
    causes = compared.networks[0].causes if compared else []
    layer = None
    if cause is not None and cause.stored is not None:
        layer = first_changed(files.original, pair.base or files.original, pair.compressed, _float(pair))
    because = " ".join([*said["findings"], *said["reasons"]])
    return {
        **{name: said[name] for name in ("verdict", "evidence", "seconds")},
        "reasons": because,
        "suspects": "; ".join(said["suspects"]),
        "layer": layer,
        "named": None if cause is None else (cause.said or "-") in because or layer in said["suspects"],
        "compare_says": "; ".join(causes),
        "compare_named": None if cause is None else any((cause.said or f"layer {layer} ") in one for one in causes),
        "compare_seconds": round(spent.processor_seconds, 1),
    }


def _float(pair: Pair) -> np.ndarray:
    """Inputs of the assessment, float32 (n, H, W, C), or (n, T, 1) of sounds."""
    x = pair.files.taken("given")
    return x.transpose(0, 2, 3, 1) if x.ndim == 4 else x


def _others(pair: Pair) -> Row:
    """Each other tool's first layer, and whether polygraphy finds outputs the same."""
    from quantrift.study.league import checker as checks

    both = original, compressed = pair.files.original, pair.compressed
    # Without rounding that is written out, qdq_loss_debug has nothing to compare.
    suffix = original.suffix if original.suffix == ".tflite" or b"QuantizeLinear" in compressed.read_bytes() else ""
    readers = {name: one for name in OTHERS if suffix in (one := checks.load(name)).suffixes and checks.runs_here(one)}
    x = _float(pair)
    said = {name: _layer(one, *both, x) for name, one in readers.items()}
    if original.suffix == ".onnx" and extras.installed("polygraphy"):
        said["polygraphy"] = _polygraphy(*both, pair.files.taken("given")[:16])
    return said


def _layer(checker: "Checker", original: Path, compressed: Path, x: np.ndarray) -> str | None:
    """The layer that a checker puts first; ``None`` where it cannot read the files."""
    try:
        return checker.layer and checker.layer(original, compressed, x, np.zeros(len(x), np.int64))
    except QuantriftError:
        return None


def _polygraphy(original: Path, compressed: Path, x: np.ndarray) -> str:
    """Whether outputs are the same by polygraphy's usual tolerances, as ``polygraphy run`` compares them."""
    backend, compared = import_module("polygraphy.backend.onnxrt"), import_module("polygraphy.comparator").Comparator
    runners = [backend.OnnxrtRunner(backend.SessionFromOnnx(str(one))) for one in (original, compressed)]
    name = import_module("onnx").load(original).graph.input[0].name
    with contextlib.redirect_stdout(io.StringIO()):
        found = compared.run(runners, data_loader=[{name: one[None]} for one in x])
        return "same" if bool(compared.compare_accuracy(found)) else "differs"


def counted(rows: Sequence[Row]) -> dict[str, float]:
    """Counts of verdicts, causes and layers, and seconds of processors."""
    good, broken = ([row for row in rows if row["planted"] == planted] for planted in (False, True))
    return {
        "good": float(len(good)),
        "broken": float(len(broken)),
        "false_pass": float(sum(row["verdict"] == "pass" for row in broken)),
        "false_fail": float(sum(row["verdict"] == "fail" for row in good)),
        "pass": float(sum(row["verdict"] == "pass" for row in good)),
        "fail": float(sum(row["verdict"] == "fail" for row in broken)),
        "named": float(sum(row["named"] for row in broken)),
        "named_by_compare": float(sum(row["compare_named"] for row in broken)),
        "seconds": sum(row["seconds"] for row in rows),
    }


def text(rows: Sequence[Row]) -> str:
    """The networks, counts, and a table of all pairs, for people."""
    counts = counted(rows)
    networks = ([net.name, net.requirement, net.licence, f"`{net.path}`", f"`{net.sha256[:12]}`"] for net in NETWORKS)
    shares = ["disagreement %", "natural changes %"]
    head = ["network", "pair", *shares, "verdict", "named", "seconds", "`compare` named", "seconds"]
    parts = [
        table(["network", "wheel", "licence", "file", "SHA-256"], networks),
        f"Of {counts['good']:.0f} good pairs {counts['pass']:.0f} pass and {counts['false_fail']:.0f} fail; of "
        f"{counts['broken']:.0f} broken ones "
        f"{counts['fail']:.0f} fail and {counts['false_pass']:.0f} pass. Of these, `assess` names the cause of "
        f"{counts['named']:.0f}, and `compare` that of {counts['named_by_compare']:.0f}. All assessments take "
        f"{counts['seconds'] / 60:.0f} minutes of a processor.",
        table([*head, *OTHERS.values(), "polygraphy"], map(_cells, rows)),
    ]
    return "\n\n".join(parts) + "\n"


def _cells(row: Row) -> list[object]:
    wrong = row["verdict"] == ("pass" if row["planted"] else "fail")
    marks = {True: "yes", False: "**no**", None: ""}
    # Of a tool that always puts a layer first, whether it is the faulty one.
    layers = [
        "" if found is None else {found: "right layer", None: "a layer"}.get(row["layer"], "another layer")
        for found in map(row.get, OTHERS)
    ]
    return [
        *(row["network"], row["made"], percent(row["disagreement"]), percent(row["dir"])),
        *(f"**{row['verdict']}**" if wrong else row["verdict"], marks[row["named"]], row["seconds"]),
        *(marks[row["compare_named"]], row["compare_seconds"]),
        *(*layers, row.get("polygraphy", "")),
    ]
