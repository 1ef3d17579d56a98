"""Write inputs for a device that runs the compressed network: those given, and natural changes of them.

The changes are drawn at random, as random sampling of ``quantrift assess`` draws them; those that are valid are
written. The device runs DIR/inputs.npy (or the array ``inputs`` of DIR/inputs.npz), float32 (n, rows, columns,
channels), (n, steps, channels) of signals or (n, features) of a table, and writes a row of outputs for each, in order.
Of networks with several inputs, inputs.npz holds each under its name.
DIR/bundle.json tells shape, scale and digests. Keep DIR: ``quantrift judge-outputs`` needs it.
"""

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from quantrift.cli import input_options, task_options
from quantrift.cli.outcome import DONE
from quantrift.cli.unpacked import set_unpacked, unpacked_option
from quantrift.core.base.limits import limit_memory
from quantrift.judge.verdict.profiles import BUNDLED, SIZES, SPACES, Settings

EXAMPLES = """examples:
  quantrift export-inputs --original model.keras --inputs test.npz --out bundle
  quantrift export-inputs --original model.onnx --inputs test.npz --range 0 1 --seeds 400 --number 20 --out bundle
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--original",
        type=Path,
        required=True,
        help=f".keras, .h5, a SavedModel's folder, .tflite, .onnx, .pt2, .xml or .pte; {input_options.WAYS}",
    )
    parser.add_argument("--inputs", type=Path, required=True, help=".npz with inputs, and labels if there are any")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the bundle")
    parser.add_argument(
        "--profile", choices=SIZES, default="quick", help="changes of 500 inputs (quick) or of 1,250 (thorough)"
    )
    parser.add_argument(
        "--seeds", type=int, metavar="N", help="changes of 2.5 N inputs, instead of the profile's number"
    )
    parser.add_argument(
        "--number",
        type=int,
        default=BUNDLED,
        metavar="M",
        help="changes drawn of each of them, valid or not (default %(default)s)",
    )
    parser.add_argument("--space", choices=SPACES, help="space of the natural changes, as for assess")
    parser.add_argument("--labels", metavar="NAME", help="array of true labels; found by its name otherwise")
    parser.add_argument("--array", metavar="NAME", help="array of inputs; found by its name otherwise")
    input_options.arguments(parser)
    input_options.categories_option(parser)
    input_options.change_option(parser)
    task_options.arguments(parser)
    unpacked_option(parser)


def run(given: argparse.Namespace) -> int:
    """0 where the bundle is written."""
    set_unpacked(given)
    limit_memory()
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.verdict.bundle import export

    settings = Settings(
        profile=given.profile,
        space=given.space,
        array=given.array,
        labels=given.labels,
        form=replace(input_options.given(given), outputs=task_options.outputs(given)),
        seeds=given.seeds,
        task=task_options.given(given),
        command=shlex.join(["quantrift", *sys.argv[1:]]),
    )
    found = export(given.original, given.inputs, given.out, settings, given.number)
    print(
        f"inputs   {found.shape[0]:,}: {found.given:,} as given, {found.valid:,} valid changes of {found.seeds:,} of "
        f"them ({found.drawn:,} drawn), {len(found.repeats)} repeated"
    )
    for line in found.assumed:
        print(f"assumed  {line}")
    print(f"bundle   {given.out}")
    return DONE
