"""Mend a compressed network that fails: the fewest layers back in float, judged on inputs that nothing was chosen by.

The original is quantized anew. Choices of calibration are tried first. If none keeps the limits, each layer's
quantization is measured by the disagreements that it costs, and the costliest go back to float until every limit is
kept; those that can be quantized after all are. Calibration, choice and verdict use separate parts of the inputs.

.tflite files are made by ai-edge-quantizer, .onnx files by ONNX Runtime. The folder holds the mended file, the recipe
that makes it again, tables, a figure, a report and the assessment on fresh inputs.
"""

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli import input_options, task_options, verdict_options
from quantrift.cli.outcome import result_stands, say, tell
from quantrift.judge.mend.settings import RESTS, WEIGHTS, Settings
from quantrift.judge.verdict.profiles import SIZES, SPACES

if TYPE_CHECKING:
    from quantrift.judge.mend.mending import Mending, OnFresh

EXAMPLES = """examples:
  quantrift mend --original model.keras --compressed int8.tflite --inputs test.npz --out mended
  quantrift mend --original model.onnx --compressed int8.onnx --inputs test.npz --max-dir 2% --weights channel \\
    --out mended
  quantrift mend --task detect --original yolo.onnx --compressed int8.onnx --inputs test.npz --out mended

exit codes, of the verdict on fresh inputs:
  0 pass, 1 fail, or nothing helped, 2 could not run, 3 inconclusive, 70 a crash of quantrift itself
"""
DEFAULT = Settings()
OPTIONS = {
    "--original": input_options.FILE
    | {
        "help": ".keras, .h5, a SavedModel's folder or float .tflite for a compressed .tflite; float .onnx for an .onnx"
    },
    "--compressed": input_options.FILE | {"help": ".tflite or .onnx"},
    "--inputs": input_options.FILE | {"help": ".npz with inputs as the original takes them, better some hundred"},
    "--out": input_options.FILE | {"metavar": "DIR", "help": "folder of the results"},
    "--weights": {
        "choices": WEIGHTS,
        "default": DEFAULT.weights,
        "help": "scales of weights: one for each output channel or for each tensor, where not as the compressed file",
    },
    "--rest": {
        "choices": RESTS,
        "default": DEFAULT.rest,
        "help": "numbers of layers that cannot be in 8 bits; 16-bit: activations, and in .onnx weights too",
    },
    "--profile": {
        "choices": SIZES,
        "default": DEFAULT.profile,
        "help": "profile of the assessment on fresh inputs",
    },
    **input_options.LABELS,
    **verdict_options.OF_LIMITS,
    **input_options.FORM,
    **task_options.OPTIONS,
    **input_options.rare(
        {
            "--changes": {
                "type": int,
                "default": DEFAULT.changes,
                "metavar": "N",
                "help": f"natural changes of each input by which layers are chosen ({DEFAULT.changes})",
            },
            "--margin": {
                "default": "0%",
                "metavar": "SHARE",
                "help": "share by which each limit is tighter while layers are chosen, like 25%%, so that the verdict "
                "on fresh inputs is less often in doubt (0%%)",
            },
            "--split-seed": {
                "type": int,
                "default": DEFAULT.seed,
                "metavar": "N",
                "help": "seed of the split of the inputs (0)",
            },
            "--no-compare": {
                "action": "store_true",
                "help": "leave out the orders by SQNR and by chance, which take most of the time",
            },
            "--seeds": {"type": int, "metavar": "N", "help": "seed inputs of its searches"},
            "--generations": {"type": int, "metavar": "N", "help": "generations of its searches"},
            "--space": {"choices": SPACES, "help": "space of the natural changes, as of quantrift assess"},
            **input_options.ARRAY,
            **input_options.CATEGORIES,
            **input_options.MAX_UNPACKED,
            **verdict_options.OF_CODE,
        }
    ),
}


def run(given: argparse.Namespace) -> int:
    """0 where the mended network passes on fresh inputs, 1 where it fails or nothing helped; 3 if undecided."""
    input_options.limit(given)
    settings = Settings(
        limits=verdict_options.limits_of(given),
        margin=verdict_options.share(given.margin, "--margin") or 0.0,
        seed=given.split_seed,
        weights=given.weights,
        rest=given.rest,
        changes=given.changes,
        profile=given.profile,
        seeds=given.seeds,
        generations=given.generations,
        compare=not given.no_compare,
        array=given.array,
        labels=given.labels,
        form=replace(input_options.form_of(given), outputs=task_options.outputs(given)),
        task=task_options.given(given),
        command=input_options.command_line(),
    )
    input_options.check_there([given.original, given.compressed], given.inputs)
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.mend.run import mend

    found = mend(given.original, given.compressed, given.inputs, given.out, settings, announced)
    result_stands()
    for line in found.failed:
        say(f"quantrift mend: failed: {line}")
    show(found, given.out)
    return verdict_options.code_of(found.verdict, given.inconclusive)


def announced(line: str) -> None:
    """Say to standard error what comes next, on a line of its own where a bar stands."""
    from tqdm import tqdm

    # As in ``say``.
    with suppress(OSError, ValueError, AttributeError):
        tqdm.write(f"next         {line}", file=sys.stderr)


def show(found: "Mending", out: Path) -> None:
    """Print the verdict, what was done, and where the files are."""
    from quantrift.judge.mend.latency import read
    from quantrift.judge.mend.page import REPORT, STATES

    units = f"{len(found.kept)} of {found.units} units: {', '.join(found.kept) or 'none'}"
    rows = {
        "verdict": [found.verdict_text],
        "state": [f"{found.state}: {STATES[found.state]}"],
        "calibration": [
            f"{choice.method}, inputs {choice.inputs}; {len(found.calibrations)} were tried"
            for choice in found.calibrations
            if choice.chosen
        ],
        f"in {found.rest}": [units] if found.mended else [],
        "fresh": map(_fresh, found.fresh),
        "latency": [
            f"{name}: {1000 * one:.3g} ms for one input, measured on this machine" for name, one in read(out).items()
        ],
        "correlation": [
            f"{ranks.cost} with low {ranks.ratio}: Spearman {ranks.spearman:.2f}, Kendall {ranks.kendall:.2f}"
            for ranks in found.correlations
            if ranks.spearman is not None
        ],
        "note": [*found.floats, *found.notes],
        "assumed": found.assumed,
        "file": [out / found.mended.file] if found.mended else [],
        "failed": found.failed,
        "report": filter(Path.is_file, [out / REPORT]),
    }
    tell(13, rows)


def _fresh(one: "OnFresh") -> str:
    """Disagreements of a network on fresh inputs."""
    from quantrift.judge.verdict.verdict import said

    in_8_bits = "" if one.int8_mac_share is None else f", {100 * one.int8_mac_share:.1f} % of MACs in 8 bits"
    return f"{one.network}: {one.events} of {one.cases} disagree, {said(one.rate)}, {one.size:,} bytes{in_8_bits}"
