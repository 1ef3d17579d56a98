"""Prove that two networks agree on every member of neighbourhoods of 8-bit images, or find a counterexample.

Each finite neighbourhood of each input is enumerated on the real runtimes. An input is certified if the networks give
the same label to every member; otherwise the first counterexample is stored. Boxes, too large to enumerate, are proven
by bounds on both networks, refuted by a counterexample, or stay unknown. A run that was killed or that ended by its
budget goes on where it was when the same command is given again.

With --replay, the stored counterexamples of DIR are made and run again instead.
"""

import argparse
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quantrift.cli import input_options
from quantrift.cli.outcome import DONE, FAIL, result_stands, say, tell
from quantrift.cli.verdict_options import OF_CODE, code_of
from quantrift.core.base.errors import refuse
from quantrift.judge.certify.asked_neighbourhoods import BOXES, Settings, usages

if TYPE_CHECKING:
    from quantrift.judge.certify.loaded_subject import Files
    from quantrift.judge.certify.progress import Estimate
    from quantrift.judge.certify.run import Certified

EXAMPLES = """examples:
  quantrift certify --original model.keras --compressed int8.tflite --inputs test.npz \\
    --neighbourhoods brightness,contrast,shift=2,rotation=30:0.5 --number 40 --out certificates
  quantrift certify --original model.onnx --compressed int8.onnx --inputs test.npz \\
    --neighbourhoods pixel,dropout=3,shift=1+brightness=16 --budget 100000 --out certificates
  quantrift certify --original model.keras --compressed int8.tflite --inputs test.npz \\
    --neighbourhoods linf=2,patch=2 --boxes 64 --out certificates
  quantrift certify --original model.keras --compressed int8.tflite --inputs test.npz --out certificates --replay

exit codes:
  0 all inputs certified or proven, 1 a counterexample, 2 could not run, 3 a budget ended before either or a box is
  unknown, 70 a crash of quantrift
"""


OPTIONS = {
    "--original": input_options.FILE
    | {"help": f".keras, .h5, a SavedModel's folder, .tflite or .onnx; {input_options.WAYS}"},
    "--compressed": input_options.FILE | {"help": ".tflite or .onnx"},
    "--inputs": input_options.FILE | {"help": ".npz with images of 8 bits, on any scale"},
    "--out": input_options.FILE | {"metavar": "DIR", "help": "folder of the certificates"},
    "--neighbourhoods": {
        "metavar": "N,...",
        "help": "with commas between; a plus makes one change of the other's result, in 8 bits; "
        + "; ".join(f"{usage}: {meaning}" for usage, meaning in usages()),
    },
    "--number": {"type": int, "metavar": "N", "help": "the first N inputs of the file; all otherwise"},
    "--budget": {
        "type": int,
        "metavar": "N",
        "help": "most members of a neighbourhood of one input; all otherwise",
    },
    "--replay": {"action": "store_true", "help": "run the counterexamples stored in DIR again"},
    **input_options.FORM,
    **input_options.rare(
        {
            "--boxes": {
                "type": int,
                "default": BOXES,
                "metavar": "N",
                "help": f"most boxes that each box is cut into before it stays unknown ({BOXES})",
            },
            "--labels": {
                "metavar": "NAME",
                "help": "array of true labels, by which a scale may be told; found by its name otherwise",
            },
            **input_options.ARRAY,
            **input_options.MAX_UNPACKED,
            **OF_CODE,
        }
    ),
}


def run(given: argparse.Namespace) -> int:
    """0 where all is certified or proven, 1 where there is a counterexample, 3 where neither is known."""
    input_options.limit(given)
    refuse(
        (
            given.replay == (given.neighbourhoods is not None),
            "name --neighbourhoods, or --replay for the counterexamples in DIR, and not both",
        )
    )
    input_options.check_there([given.original, given.compressed], given.inputs)
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.certify.loaded_subject import Files
    from quantrift.judge.certify.run import certify

    form = input_options.form_of(given)
    files = Files(given.original, given.compressed, given.inputs, given.array, given.labels, form)
    if given.replay:
        return _replay(files, given.out)
    settings = Settings(given.neighbourhoods, given.number, given.budget, given.boxes, input_options.command_line())
    try:
        found = certify(files, given.out, settings, announced)
    except KeyboardInterrupt:
        say("quantrift certify: interrupted; the same command goes on from here")
        return 128 + signal.SIGINT
    result_stands()
    show(found, given.out)
    return code_of(found.certificate.verdict, given.inconclusive)


def _replay(files: "Files", out: Path) -> int:
    from quantrift.judge.certify.counterexamples import replay
    from quantrift.judge.certify.loaded_subject import loaded

    with loaded(files) as subject:
        found = replay(out, subject)
    print(
        f"{out}: {len(found.disagree)} counterexamples, {found.same_image.sum()} are the same image, "
        f"{found.same_labels.sum()} get the same two labels, on {found.disagree.sum()} the networks disagree"
    )
    return DONE if found.complete else FAIL


def announced(planned: "Sequence[Estimate]") -> None:
    """Say to standard error what is left to do."""
    for one in planned:
        left = f"{one.members:,} {'boxes' if one.boxes else 'members'} of {one.inputs} inputs"
        say(f"estimate     {one.neighbourhood}: {left}, at most {one.seconds:,.0f} CPU s")


def show(found: "Certified", out: Path) -> None:
    """Print a row for each neighbourhood, and where everything is."""
    whole, inputs = found.certificate, found.certificate.inputs
    # The column for unknown outcomes is shown where there are boxes alone.
    has_boxes = any(one.members is None for one in whole.neighbourhoods)
    share = "certified or proven" if has_boxes else "certified"
    head = ["neighbourhood", "members", share, "95 % interval", "counterexample", "unfinished"]
    rows = [[*head, *["unknown"] * has_boxes, "CPU s an input"]]
    rows += [
        [
            one.neighbourhood,
            "boxes" if one.members is None else f"{one.members:,}",
            f"{one.certified + one.proven} of {inputs.number} ({100 * one.share:.1f} %)",
            f"{100 * one.low:.1f} to {100 * one.high:.1f} %",
            str(one.counterexamples),
            str(one.unfinished),
            *[str(one.unknown)] * has_boxes,
            f"{found.seconds[one.neighbourhood] / inputs.number:.3f}",
        ]
        for one in whole.neighbourhoods
    ]
    width, *widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        print("  ".join([f"{name:<{width}}", *map(str.rjust, cells, widths)]))
    as_given = f"{inputs.disagree_as_given} of {inputs.number} inputs get different labels without any change"
    tell(13, {"as given": [as_given], "assumed": whole.assumed, "certificate": [out]})
