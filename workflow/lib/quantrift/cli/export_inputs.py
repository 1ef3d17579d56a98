"""Write inputs for a device that runs the compressed network: those given, and natural changes of them.

The changes are drawn at random, as random sampling of ``quantrift assess`` draws them; those that are valid are
written. The device runs DIR/inputs.npy (or the array ``inputs`` of DIR/inputs.npz), float32 (n, rows, columns,
channels), (n, steps, channels) of signals or (n, features) of a table, and writes a row of outputs for each, in order.
Of networks with several inputs, inputs.npz holds each under its name.
DIR/bundle.json tells shape, scale and digests. Keep DIR: ``quantrift judge-outputs`` needs it.
"""

import argparse
from dataclasses import replace

from quantrift.cli import input_options, task_options
from quantrift.cli.outcome import DONE, tell
from quantrift.judge.verdict.profiles import BUNDLED, SIZES, SPACES, Settings

EXAMPLES = """examples:
  quantrift export-inputs --original model.keras --inputs test.npz --out bundle
  quantrift export-inputs --original model.onnx --inputs test.npz --range 0 1 --seeds 400 --number 20 --out bundle
"""


OPTIONS = {
    **input_options.ORIGINAL,
    "--inputs": input_options.FILE | {"help": ".npz with inputs, and labels if there are any"},
    "--out": input_options.FILE | {"metavar": "DIR", "help": "folder of the bundle"},
    "--profile": {
        "choices": SIZES,
        "default": "quick",
        "help": "changes of 500 inputs (quick) or of 1,250 (thorough)",
    },
    "--seeds": {"type": int, "metavar": "N", "help": "changes of 2.5 N inputs, instead of the profile's number"},
    "--number": {
        "type": int,
        "default": BUNDLED,
        "metavar": "M",
        "help": "changes drawn of each of them, valid or not (default %(default)s)",
    },
    "--space": {"choices": SPACES, "help": "space of the natural changes, as for assess"},
    **input_options.LABELS,
    **input_options.ARRAY,
    **input_options.FORM,
    **input_options.CATEGORIES,
    **input_options.CHANGE,
    **task_options.OPTIONS,
    **input_options.MAX_UNPACKED,
}


def run(given: argparse.Namespace) -> int:
    """0 where the bundle is written."""
    input_options.limit(given)
    input_options.check_there([given.original], given.inputs)
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.verdict.bundle import export

    settings = Settings(
        profile=given.profile,
        space=given.space,
        array=given.array,
        labels=given.labels,
        form=replace(input_options.form_of(given), outputs=task_options.outputs(given)),
        seeds=given.seeds,
        task=task_options.given(given),
        command=input_options.command_line(),
    )
    found = export(given.original, given.inputs, given.out, settings, given.number)
    print(
        f"inputs   {found.shape[0]:,}: {found.given:,} as given, {found.valid:,} valid changes of {found.seeds:,} of "
        f"them ({found.drawn:,} drawn), {len(found.repeats)} repeated"
    )
    tell(9, {"assumed": found.assumed, "bundle": [given.out]})
    return DONE
