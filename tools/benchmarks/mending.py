"""Benchmark of mending: compressed networks that fail, before and after, against other orders of equal size.

A planted wrong scale, a channel that is planted far too large for one scale a tensor, depthwise convolutions with one
scale a tensor, and, where the configuration has them, ResNet-20 in 8 bits and SSRN with its 3-D convolutions as
published. A pair whose files and code stay the same is not mended again; its folder holds all that ``quantrift mend``
writes.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256 as digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.benchmarks.benchmark import RESULTS, Benchmark, Result, Row, cost, digits, kept, key, networks
from tools.benchmarks.runtimes import Files, datasets
from tqdm import tqdm

from quantrift.core.base.files import sha256, write_file
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import ORIGINAL, Paths
from quantrift.core.page.markdown import table
from quantrift.core.statistics.mended_networks import GIVEN, judged
from quantrift.judge.mend import mending
from quantrift.judge.mend.run import mend
from quantrift.judge.mend.settings import Settings
from quantrift.judge.verdict.assessment import LIMITS, Limits
from quantrift.study.compression.mend_job import FORM, write_test_inputs
from quantrift.study.planning.root import Config

if TYPE_CHECKING:
    import keras

    from quantrift.study.league.planted.trained_networks import Trained

FOLDER = RESULTS / "mending"
RUNNING = ("core", "judge")
"""Code on which a mending depends."""
NUMBER = 2000
"""Inputs of each mending at most, of which a fifth, at most 200, is for calibration; the rest is halved."""
SETTINGS = Settings(changes=4, margin=0.25, form=FORM, command="part of: python -m tools.bench mending")
TIGHT = Limits(max_disagreement=0.01, max_accuracy_drop=0.03, max_dir=0.02)
"""Limits of depthwise convolutions, which keep the usual ones on digits."""

OF_WORKFLOW = {
    "resnet20": ("resnet20", "ptq_int8", "ResNet-20, 8 bits, weights by channel", ORIGINAL),
    # As published: the form that other compressions quantize has its 3-D convolutions rewritten in 2-D.
    "ssrn_3d": (
        "ssrn",
        "ptq_int8_conv3d_float",
        "SSRN with 3-D convolutions and batch normalisation as published",
        "model.keras",
    ),
}
"""Name of a pair -> network, compression, title, and the form of the original to quantize anew."""
RANDOM = "random "
"""Names of networks with layers in float by chance begin so."""


@dataclass(frozen=True)
class Failing:
    """A pair that fails, or may."""

    name: str
    about: str
    """Network, data and cause, for people."""
    original: Path
    compressed: Path
    inputs: Path
    """.npz with inputs and labels."""
    limits: Limits = LIMITS


@dataclass(eq=False)
class Mending(Benchmark):
    """Failing networks that pass after mending, on inputs that nothing was chosen by."""

    folder: Path = FOLDER
    """Folder of networks and mendings."""
    of_workflow: dict[str, tuple[str, Files, Path]] = field(init=False)
    """Name of each pair of the workflow -> what it is, its files, and the original to quantize anew."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Networks of the workflow, in so far as the configuration has them; others are trained here."""
        self.of_workflow = {}
        for name, (model, compression, title, form) in OF_WORKFLOW.items():
            if datasets(model, config, compression):
                files = Files.of(model, config, paths, compression)
                self.of_workflow[name] = title, files, files.original.with_name(form)
        return [
            path
            for _, files, original in self.of_workflow.values()
            for path in (files.inputs, original, files.compressed)
        ]

    def measure(self) -> Result:
        """Mend all pairs."""
        rows = [self._row(pair) for pair in tqdm(list(self._pairs()), desc="mending", unit="pair")]
        failed = [row for row in rows if row["state"] != "kept its limits already"]
        passed = sum(row["verdict"] == "pass" for row in failed)
        return Result(
            value=passed,
            unit="networks that failed and pass after mending",
            baseline="networks that failed",
            ratio=passed / max(1, len(failed)),
            details={f"{row['pair']}_{one}": float(row[one]) for row in rows for one in ("processor_seconds", "tried")},
            rows=rows,
        )

    def _pairs(self) -> Iterator[Failing]:
        yield from self._planted()
        for name, (title, files, original) in self.of_workflow.items():
            given = Inputs.load(files.inputs)
            inputs = self.folder / name / f"inputs_{sha256(files.inputs)[:16]}.npz"
            if not inputs.is_file():
                inputs.parent.mkdir(parents=True, exist_ok=True)
                write_test_inputs(given, NUMBER, 0, inputs)
            yield Failing(name, f"{title}, {given.title}", original, files.compressed, inputs)

    def _planted(self) -> Iterator[Failing]:
        """Networks trained here, with planted causes."""
        # Only here, as these libraries take seconds to load.
        from quantrift.core.base.archive import write_arrays
        from quantrift.core.networks.keras_files import save
        from quantrift.study.league.planted import trained_networks
        from quantrift.study.league.planted.conversion import RESIDUAL, SEPARABLE, int8
        from quantrift.study.league.planted.faults import badly_scaled, per_tensor, wrong_scale

        # Network, name of the cause, what it is for people, limits, original and compressed file.
        causes: tuple[
            tuple[str, str, str, Limits, Callable[[Trained], keras.Model], Callable[[Trained], bytes]], ...
        ] = (
            (
                SEPARABLE,
                "wrong_scale",
                "depthwise convolutions, weights of a layer stand for 1.5 times as much",
                LIMITS,
                lambda net: net.model,
                wrong_scale,
            ),
            (
                RESIDUAL,
                "large_channel",
                "residual blocks, a channel of two layers 20 times as large, one scale a tensor",
                LIMITS,
                badly_scaled,
                per_tensor,
            ),
            (
                SEPARABLE,
                "per_tensor",
                "depthwise convolutions, one scale a tensor, limits of 1 and 2 %",
                TIGHT,
                lambda net: net.model,
                lambda net: int8(net.model, net.samples, per_channel=False),
            ),
        )
        kinds = {kind.name: kind for kind in trained_networks.KINDS}
        of_channels = digits()
        for name, cause, title, limits, original_of, compressed_of in causes:
            [(net, data, made)] = networks([kinds[name]], of_channels, self.folder)
            original, compressed = made / f"{cause}_original.keras", made / f"{cause}.tflite"
            inputs = made.parent / f"inputs_{NUMBER}.npz"
            if not (original.is_file() and compressed.is_file()):
                made.mkdir(parents=True, exist_ok=True)
                save(original_of(net), original)
                write_file(compressed, compressed_of(net))
            if not inputs.is_file():
                stack = net.kind.inputs(data.held_out[:NUMBER], data.held_out_labels[:NUMBER])
                write_arrays(inputs, {"inputs": stack.take(stack.test), "labels": stack.labels})
            yield Failing(f"{name}_{cause}", f"{title}, {data.name}", original, compressed, inputs, limits)

    def _row(self, pair: Failing) -> dict[str, Any]:
        files = pair.original, pair.compressed, pair.inputs
        settings = replace(SETTINGS, limits=pair.limits)
        asked = digest(json.dumps(asdict(settings)).encode()).hexdigest()
        folder = self.folder / "mended" / f"{pair.name}-{key(*map(sha256, files), asked, *RUNNING)}"
        run = partial(mend, *files, folder, settings)
        spent = kept(folder.with_suffix(".json"), lambda: {"processor_seconds": cost(run).processor_seconds})
        found = asdict(mending.read(folder))
        shown = ("state", "verdict", "verdict_text", "split", "fresh", "units", "kept", "floats", "tried", "notes")
        return {
            "pair": pair.name,
            "about": pair.about,
            **{name: found[name] for name in (*shown, "correlations")},
            "processor_seconds": round(spent["processor_seconds"], 1),
        }


def text(rows: Sequence[Row]) -> str:
    """A table of all pairs, then one of each pair with the other orders."""
    head = ["pair", "disagree before %", "after %", "units in float", "kB before, after", "MACs in 8 bits %"]
    every = table([*head, "verdict after", "CPU s"], map(_cells, rows))
    return "\n\n".join([every, *("\n".join(_pair(row)) for row in rows)])


def _cells(row: Row) -> Iterator[str]:
    of = {one["network"]: one for one in row["fresh"]}
    before, after = of[GIVEN], of[judged(of, row["state"] in ("mended", "quantized anew"))]
    yield from (row["about"], _rate(before), _rate(after))
    yield f"{len(row['kept'])} of {row['units']}" if row["units"] else row["state"]
    yield from (f"{_kilobytes(before)}, {_kilobytes(after)}", _share(after), row["verdict"])
    yield f"{row['processor_seconds']:.0f}"


def _pair(row: Row) -> Iterator[str]:
    yield f"**{_capital(row['about'])}.** {_capital(row['verdict_text'])}."
    if row["kept"]:
        yield f"In float: {', '.join(f'`{name}`' for name in row['kept'])}."
    if row["floats"]:
        yield f"Never in 8 bits: {'; '.join(row['floats'])}."
    yield from (f"{_capital(note)}." for note in row["notes"])
    yield from _correlations(row)
    yield ""
    cells = [
        [one["network"], "" if one["kept"] is None else one["kept"], _kilobytes(one), _share(one), _rate(one)]
        for one in row["fresh"]
        if not one["network"].startswith(RANDOM)
    ]
    if chance := [one for one in row["fresh"] if one["network"].startswith(RANDOM)]:
        ends = (
            _ends([one["kept"] for one in chance], "{:d}"),
            _ends([one["size"] / 1000 for one in chance], "{:.1f}"),
            _ends([100 * one["int8_mac_share"] for one in chance], "{:.1f}"),
            _ends([100 * one["rate"]["value"] for one in chance], "{:.2f}"),
        )
        cells.append([f"by chance, equal size, {len(chance)} orders", *ends])
    where = f"on {row['split']['fresh']} fresh inputs and their changes"
    yield table([where, "units in float", "kB", "MACs in 8 bits %", "disagree %"], cells)


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _correlations(row: Row) -> Iterator[str]:
    names = {"sqnr_db": "low SQNR", "added_sqnr_db": "a large error of its own"}
    known = [one for one in row["correlations"] if one["cost"] == "alone" and one["spearman"] is not None]
    if known:
        told = ", ".join(f"{one['spearman']:.2f} with {names[one['ratio']]}" for one in known)
        yield f"Disagreements of units in 8 bits alone correlate (Spearman) {told}."


def _rate(one: Row) -> str:
    value, low, high = (one["rate"][name] for name in ("value", "low", "high"))
    return f"{100 * value:.2f} ({100 * low:.2f} to {100 * high:.2f}), {one['events']} of {one['cases']}"


def _kilobytes(one: Row) -> str:
    return f"{one['size'] / 1000:.1f}"


def _share(one: Row) -> str:
    return "unknown" if one["int8_mac_share"] is None else f"{100 * one['int8_mac_share']:.1f}"


def _ends(values: Sequence[float], form: str) -> str:
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"
