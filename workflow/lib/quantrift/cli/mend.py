"""Mend a compressed network that fails: the fewest layers back in float, judged on inputs that nothing was chosen by.

The original is quantized anew. Choices of calibration are tried first. If none keeps the limits, each layer's
quantization is measured by the disagreements that it costs, and the costliest go back to float until every limit is
kept; those that can be quantized after all are. Calibration, choice and verdict use separate parts of the inputs.

.tflite files are made by ai-edge-quantizer, .onnx files by ONNX Runtime. The folder holds the mended file, the recipe
that makes it again, tables, a figure, a report and the assessment on fresh inputs.
"""

import argparse
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli import input_options
from quantrift.cli.assess import limit_options, limits_of, share
from quantrift.cli.outcome import result_stands
from quantrift.cli.unpacked import set_unpacked, unpacked_option
from quantrift.cli.verdict_code import code_of, inconclusive_option
from quantrift.core.base.limits import limit_memory
from quantrift.judge.mend.settings import RESTS, WEIGHTS, Settings
from quantrift.judge.verdict.profiles import SIZES, SPACES

if TYPE_CHECKING:
    from quantrift.judge.mend.mending import Mending

EXAMPLES = """examples:
  quantrift mend --original model.keras --compressed int8.tflite --inputs test.npz --out mended
  quantrift mend --original model.onnx --compressed int8.onnx --inputs test.npz --max-dir 2% --weights channel \\
    --out mended

exit codes, of the verdict on fresh inputs:
  0 pass, 1 fail, or nothing helped, 2 could not run, 3 inconclusive, 70 a crash of quantrift itself
"""
DEFAULT = Settings()


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--original",
        type=Path,
        required=True,
        help=".keras, .h5, a SavedModel's folder or float .tflite for a compressed .tflite; float .onnx for an .onnx",
    )
    parser.add_argument("--compressed", type=Path, required=True, help=".tflite or .onnx")
    parser.add_argument(
        "--inputs", type=Path, required=True, help=".npz with inputs as the original takes them, better some hundred"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the results")
    parser.add_argument(
        "--weights",
        choices=WEIGHTS,
        default=DEFAULT.weights,
        help="scales of weights: one for each output channel or for each tensor, where not as the compressed file",
    )
    parser.add_argument(
        "--rest",
        choices=RESTS,
        default=DEFAULT.rest,
        help="numbers of layers that cannot be in 8 bits; 16-bit: activations, and in .onnx weights too",
    )
    parser.add_argument(
        "--changes",
        type=int,
        default=DEFAULT.changes,
        metavar="N",
        help=f"natural changes of each input by which layers are chosen ({DEFAULT.changes})",
    )
    parser.add_argument(
        "--margin",
        default="0%",
        metavar="SHARE",
        help="share by which each limit is tighter while layers are chosen, like 25%%, so that the verdict on fresh "
        "inputs is less often in doubt (0%%)",
    )
    parser.add_argument(
        "--split-seed", type=int, default=DEFAULT.seed, metavar="N", help="seed of the split of the inputs (0)"
    )
    parser.add_argument(
        "--no-compare",
        action="store_true",
        help="leave out the orders by SQNR and by chance, which take most of the time",
    )
    parser.add_argument(
        "--profile", choices=SIZES, default=DEFAULT.profile, help="profile of the assessment on fresh inputs"
    )
    parser.add_argument("--seeds", type=int, metavar="N", help="seed inputs of its searches")
    parser.add_argument("--generations", type=int, metavar="N", help="generations of its searches")
    parser.add_argument("--labels", metavar="NAME", help="array of true labels; found by its name otherwise")
    parser.add_argument("--array", metavar="NAME", help="array of inputs; found by its name otherwise")
    parser.add_argument("--space", choices=SPACES, help="space of the natural changes, as of quantrift assess")
    input_options.arguments(parser)
    input_options.categories_option(parser)
    unpacked_option(parser)
    limit_options(parser)
    inconclusive_option(parser)


def run(given: argparse.Namespace) -> int:
    """0 where the mended network passes on fresh inputs, 1 where it fails or nothing helped; 3 if undecided."""
    set_unpacked(given)
    limits = limits_of(given)
    limit_memory()
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.mend.run import mend

    settings = Settings(
        limits=limits,
        margin=share(given.margin, "--margin") or 0.0,
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
        form=input_options.given(given),
        command=shlex.join(["quantrift", *sys.argv[1:]]),
    )
    found = mend(given.original, given.compressed, given.inputs, given.out, settings, announced)
    result_stands()
    show(found, given.out)
    return code_of(found.verdict, given.inconclusive)


def announced(line: str) -> None:
    """Say to standard error what comes next, on a line of its own where a bar stands."""
    from tqdm import tqdm

    # As in ``say``.
    with suppress(OSError, ValueError, AttributeError):
        tqdm.write(f"next         {line}", file=sys.stderr)


def show(found: "Mending", out: Path) -> None:
    """Print the verdict, what was done, and where the files are."""
    from quantrift.judge.mend.page import REPORT, STATES
    from quantrift.judge.verdict.verdict import said

    print(f"verdict      {found.verdict_text}")
    print(f"state        {found.state}: {STATES[found.state]}")
    for choice in found.calibrations:
        if choice.chosen:
            print(f"calibration  {choice.method}, inputs {choice.inputs}; {len(found.calibrations)} were tried")
    if found.mended is not None:
        print(f"in {found.rest:<10}{len(found.kept)} of {found.units} units: {', '.join(found.kept) or 'none'}")
    for one in found.fresh:
        in_8_bits = "" if one.int8_mac_share is None else f", {one.int8_mac_share:.1%} of MACs in 8 bits"
        rate = f"{one.events} of {one.cases} disagree, {said(one.rate)}"
        print(f"fresh        {one.network}: {rate}, {one.size:,} bytes{in_8_bits}")
    for ranks in found.correlations:
        if ranks.spearman is not None:
            both = f"Spearman {ranks.spearman:.2f}, Kendall {ranks.kendall:.2f}"
            print(f"correlation  {ranks.cost} with low {ranks.ratio}: {both}")
    for line in (*found.floats, *found.notes):
        print(f"note         {line}")
    for line in found.assumed:
        print(f"assumed      {line}")
    if found.mended is not None:
        print(f"file         {out / found.mended.file}")
    for line in found.failed:
        print(f"failed       {line}")
    if (out / REPORT).is_file():
        print(f"report       {out / REPORT}")
