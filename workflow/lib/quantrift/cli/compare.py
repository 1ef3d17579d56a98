"""Compare a network with compressed versions of it on inputs as given: agreement, errors, causes, layers.

No search, no space of changes and no limits: any inputs will do, and the answer takes seconds. quantrift assess goes on
from there to a verdict.
"""

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path

from quantrift.cli import input_options, task_options
from quantrift.judge.verdict.profiles import Settings

EXAMPLES = """examples:
  quantrift compare model.onnx int8.onnx test.npz
  quantrift compare model.keras int8.tflite dynamic.tflite test.npz --labels y
  quantrift compare --task detect detector.tflite detector_int8.tflite test.npz --json

exit codes:
  0 compared, whatever came of it; 2 could not run, 70 a crash of quantrift itself
"""
OPTIONS = {
    "original": {
        "type": Path,
        "help": f".keras, .h5, a SavedModel's folder, .tflite, .onnx, .pt2, .xml or .pte; {input_options.WAYS}",
    },
    "compressed": {"type": Path, "nargs": "+", "help": ".tflite, .onnx, .pt2, .xml or .pte"},
    "file": {"type": Path, "help": ".npz with inputs as the original takes them, and labels if there are any"},
    **input_options.LABELS,
    "--json": {"action": "store_true", "help": "print JSON instead of text, with all layers"},
    **input_options.FORM,
    **task_options.OPTIONS,
    **input_options.rare(
        input_options.ARRAY | input_options.CATEGORIES | input_options.CHANGE | input_options.MAX_UNPACKED
    ),
}


def run(given: argparse.Namespace) -> int:
    """0: a comparison is no verdict."""
    input_options.limit(given)
    settings = Settings(
        array=given.array,
        labels=given.labels,
        form=replace(input_options.form_of(given), outputs=task_options.outputs(given)),
        task=task_options.given(given),
    )
    input_options.check_there([given.original, *given.compressed], given.file)
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.verdict.comparison import compare, text

    found = compare(given.original, given.compressed, given.file, settings)
    if given.json:
        print(json.dumps(asdict(found), indent=1))
    else:
        print(*text(found), *(f"assumed: {line}" for line in found.assumed), sep="\n")
    return 0
