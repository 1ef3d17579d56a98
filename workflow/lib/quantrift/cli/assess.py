"""Assess compressed networks: how often, where and why they disagree with their original on natural distortions.

Finds out layout, scale and outputs by itself and says what it assumed. The verdict is held against the lower end of the
95 % interval of DiR and SR under natural distortions: a candidate is above a limit only if even that end exceeds it.
"""

import argparse
import shlex
import sys
from pathlib import Path

from quantrift.assess.assessment import REPORT, Assessment, Limits
from quantrift.assess.profiles import SIZES, SPACES, Settings
from quantrift.cli.outcome import result_stands
from quantrift.cli.unpacked import set_unpacked, unpacked_option
from quantrift.config.errors import QuantriftError
from quantrift.config.limits import limit_memory

EXAMPLES = """examples:
  quantrift assess --original model.keras --compressed model_int8.tflite --inputs test.npz --out assessment
  quantrift assess --original model.onnx --compressed int8.onnx --compressed dynamic.onnx --inputs test.npz \\
    --labels y --profile thorough --max-dir 2% --max-sr 10% --out assessment

exit codes:
  0 pass, 1 above a limit, 2 could not run, 70 a crash of quantrift itself
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "--original", type=Path, required=True, help=".keras, .h5, a SavedModel's folder, .tflite or .onnx"
    )
    parser.add_argument(
        "--compressed", type=Path, required=True, action="append", help=".tflite or .onnx; several are ranked"
    )
    parser.add_argument("--inputs", type=Path, required=True, help=".npz with inputs as the original takes them")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the assessment")
    parser.add_argument("--labels", metavar="NAME", help="array of true labels; found by its name otherwise")
    parser.add_argument("--array", metavar="NAME", help="array of inputs; found by its name otherwise")
    parser.add_argument(
        "--profile",
        choices=SIZES,
        default="quick",
        help="quick: minutes; thorough: up to 500 inputs instead of 200, 4 times the budget",
    )
    parser.add_argument("--space", choices=SPACES, help="natural distortions; by the channels of the inputs otherwise")
    unpacked_option(parser)
    parser.add_argument("--max-dir", default="5%", metavar="SHARE", help="limit of DiR, like 5%% or 0.05, or none")
    parser.add_argument("--max-sr", default="20%", metavar="SHARE", help="limit of SR, like 20%% or 0.2, or none")


def share(text: str, option: str) -> float | None:
    """``5%`` and ``0.05`` as a fraction; ``none`` is no limit.

    Raises:
        QuantriftError: it is neither, or not between 0 and 1.
    """
    if text == "none":
        return None
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1
    if not 0 <= value <= 1:
        raise QuantriftError(f"{option} is '{text}'; give a share like 5% or 0.05, or none")
    return value


def run(given: argparse.Namespace) -> int:
    """0 where all candidates pass, 1 where one is above a limit."""
    set_unpacked(given)
    limits = Limits(share(given.max_dir, "--max-dir"), share(given.max_sr, "--max-sr"))
    limit_memory()
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.assess.run import assess
    from quantrift.assess.verdict import EXIT

    settings = Settings(
        profile=given.profile,
        space=given.space,
        array=given.array,
        labels=given.labels,
        limits=limits,
        command=shlex.join(["quantrift", *sys.argv[1:]]),
    )
    found = assess(given.original, given.compressed, given.inputs, given.out, settings)
    result_stands()
    show(found, given.out)
    return EXIT[found.verdict]


def show(found: Assessment, out: Path) -> None:
    """Print what was assumed, and the verdict."""
    for line in found.assumed:
        print(f"assumed  {line}")
    for note in found.notes:
        print(f"note     {note}")
    for candidate in found.candidates:
        for reason in candidate.reasons:
            print(f"{candidate.name}  {reason}")
        for layer in candidate.suspects:
            print(f"{candidate.name}  layer {layer.layer}: {layer.suspect}")
    if found.ranking:
        print(f"ranking  {found.ranking.text}")
    print(f"verdict  {found.verdict}: {found.verdict_text}")
    print(f"report   {out / REPORT}")
