"""Benchmark of mending: compressed networks that fail, before and after, against other orders of equal size.

A planted wrong scale, a channel that is planted far too large for one scale a tensor, depthwise convolutions with one
scale a tensor, and, where the configuration has them, ResNet-20 in 8 bits and SSRN with its 3-D convolutions as
published. A pair whose files and code stay the same is not mended again; its folder holds all that ``quantrift mend``
writes.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256 as digest
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from tools.benchmarks.kept_code import key
from tools.benchmarks.result import Result
from tools.benchmarks.subject import Files
from tqdm import tqdm

from quantrift.core.base.files import read_json, replacing, sha256, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.judge.mend import mending
from quantrift.judge.mend.run import mend
from quantrift.judge.mend.settings import Settings
from quantrift.judge.verdict.assessment import LIMITS, Limits
from quantrift.study.compression.mend_job import FORM, write_test_inputs
from quantrift.study.planning.root import Config

if TYPE_CHECKING:
    import keras

    from quantrift.study.league.planted.trained_networks import Trained

FOLDER = Path("results") / "bench" / "mending"
PLANTED = "study/league/planted"
TRAINING = tuple(f"{PLANTED}/{name}.py" for name in ("tinted_digits", "trained_networks"))
"""Code on which trained networks depend."""
MAKING = tuple(f"{PLANTED}/{name}.py" for name in ("conversion", "faults"))
"""Code on which compressed files depend."""
RUNNING = (
    "core",
    "judge",
)
"""Code on which a mending depends."""
NUMBER = 2000
"""Inputs of each mending at most, of which a fifth, at most 200, is for calibration; the rest is halved."""
SETTINGS = Settings(changes=4, margin=0.25, form=FORM, command="part of: python -m tools.bench mending")
TIGHT = Limits(max_disagreement=0.01, max_accuracy_drop=0.03, max_dir=0.02)
"""Limits of depthwise convolutions, which keep the usual ones on digits."""


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
class Mending:
    """Failing networks that pass after mending, on inputs that nothing was chosen by."""

    folder: Path = FOLDER
    """Folder of networks and mendings."""
    config: Config = field(init=False)
    of_workflow: Mapping[str, tuple[str, Files, Path]] = field(init=False)
    """Name of each pair of the workflow -> what it is, its files, and the original to quantize anew."""

    def needs(self, config: Config, paths: Paths) -> list[Path]:
        """Networks of the workflow, in so far as the configuration has them; others are trained here."""
        self.config = config
        found = {}
        if Files.exists("resnet20", config):
            files = Files.of("resnet20", config, paths)
            found["resnet20"] = ("ResNet-20, 8 bits, weights by channel", files, files.original)
        if Files.exists("ssrn", config, "ptq_int8_conv3d_float"):
            files = Files.of("ssrn", config, paths, "ptq_int8_conv3d_float")
            # As published: the form that other compressions quantize has its 3-D convolutions rewritten in 2-D.
            original = files.original.with_name("model.keras")
            found["ssrn_3d"] = ("SSRN with 3-D convolutions and batch normalisation as published", files, original)
        self.of_workflow = found
        return [path for _, files, original in found.values() for path in (files.inputs, original, files.compressed)]

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
        from tools.benchmarks.digits_at_hand import by_tint

        from quantrift.core.base.arrays import write_arrays
        from quantrift.core.networks.keras_files import save
        from quantrift.study.league.planted import trained_networks
        from quantrift.study.league.planted.conversion import RESIDUAL, SEPARABLE, int8
        from quantrift.study.league.planted.faults import badly_scaled, per_tensor, wrong_scale

        def rescaled(net: "Trained") -> "tuple[keras.Model, bytes]":
            return net.model, wrong_scale(net)

        def large_channel(net: "Trained") -> "tuple[keras.Model, bytes]":
            return badly_scaled(net), per_tensor(net)

        def depthwise(net: "Trained") -> "tuple[keras.Model, bytes]":
            return net.model, int8(net.model, net.samples, per_channel=False)

        causes = (
            (
                SEPARABLE,
                "wrong_scale",
                "depthwise convolutions, weights of a layer stand for 1.5 times as much",
                rescaled,
                LIMITS,
            ),
            (
                RESIDUAL,
                "large_channel",
                "residual blocks, a channel of two layers 20 times as large, one scale a tensor",
                large_channel,
                LIMITS,
            ),
            (
                SEPARABLE,
                "per_tensor",
                "depthwise convolutions, one scale a tensor, limits of 1 and 2 %",
                depthwise,
                TIGHT,
            ),
        )
        of_channels = by_tint(self.config)
        kinds = {kind.name: kind for kind in trained_networks.KINDS}
        for name, cause, title, make, limits in causes:
            kind, data = kinds[name], of_channels[kinds[name].tinted]
            folder = self.folder / name / key(data.name, *TRAINING)
            net = trained_networks.trained(kind, data, folder)
            made = folder / key(*MAKING)
            original, compressed = made / f"{cause}_original.keras", made / f"{cause}.tflite"
            inputs = folder / f"inputs_{NUMBER}.npz"
            if not (original.is_file() and compressed.is_file()):
                model, content = make(net)
                made.mkdir(parents=True, exist_ok=True)
                save(model, original)
                with replacing(compressed) as temporary:
                    temporary.write_bytes(content)
            if not inputs.is_file():
                stack = kind.inputs(data.held_out[:NUMBER], data.held_out_labels[:NUMBER])
                write_arrays(inputs, {"inputs": stack.take(stack.test), "labels": stack.labels})
            yield Failing(f"{name}_{cause}", f"{title}, {data.name}", original, compressed, inputs, limits)

    def _row(self, pair: Failing) -> dict[str, Any]:
        files = pair.original, pair.compressed, pair.inputs
        settings = replace(SETTINGS, limits=pair.limits)
        asked = digest(json.dumps(asdict(settings)).encode()).hexdigest()
        folder = self.folder / "mended" / f"{pair.name}-{key(*map(sha256, files), asked, *RUNNING)}"
        spent = folder.with_suffix(".json")
        if not spent.is_file():
            begin = process_time()
            mend(*files, folder, settings)
            write_json(spent, {"processor_seconds": process_time() - begin})
        found = asdict(mending.read(folder))
        shown = ("state", "verdict", "verdict_text", "split", "fresh", "units", "kept", "floats", "tried", "notes")
        return {
            "pair": pair.name,
            "about": pair.about,
            **{name: found[name] for name in (*shown, "correlations")},
            "processor_seconds": round(read_json(spent)["processor_seconds"], 1),
        }
