"""Assess compressed networks: rates, classes and causes of their disagreements with the original.

Searches natural distortions of the inputs. It detects layout, scale and outputs, and prints what it assumed. A network
passes if the upper end of each 95 % interval lies below its limit. It fails if the lower end of one lies above its
limit. Otherwise it is inconclusive, and the output says about how many inputs would decide, if that can be said.
"""

import argparse
import re
from dataclasses import replace

from quantrift.cli import input_options, task_options, verdict_options
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.judge.certify.asked_neighbourhoods import CERTIFIED
from quantrift.judge.verdict.profiles import SIZES, SPACES, Settings

EXAMPLES = """examples:
  quantrift assess --original model.keras --compressed model_int8.tflite --inputs test.npz --out assessment
  quantrift assess --original model.onnx --compressed int8.onnx --compressed dynamic.onnx --inputs test.npz \\
    --labels y --profile thorough --max-dir 2% --max-sr 10% --out assessment
  quantrift assess --original model.keras --compressed model_int8.tflite --inputs test.npz \\
    --certify brightness=32,shift=2,linf=1 --out assessment
  quantrift assess --original model.tflite --compressed model.tflite@reference --inputs test.npz --out assessment
  quantrift assess --change image --original two_inputs.onnx --compressed int8.onnx --inputs test.npz --out assessment
  quantrift assess --output logits --original two_outputs.onnx --compressed int8.onnx --inputs test.npz --out assessment
  quantrift assess --task regress --tolerance 2% --original pose.keras --compressed pose_int8.tflite \\
    --inputs test.npz --out assessment

exit codes:
  0 pass, 1 fail, 2 could not run, 3 inconclusive, 70 a crash of quantrift itself
"""
OPTIONS = {
    **input_options.ORIGINAL,
    "--compressed": input_options.FILE
    | {"action": "append", "help": ".tflite, .onnx, .pt2, .xml or .pte; several are ranked"},
    "--inputs": input_options.FILE | {"help": ".npz with inputs as the original takes them"},
    "--out": input_options.FILE | {"metavar": "DIR", "help": "folder of the assessment"},
    "--labels": {
        "metavar": "NAME",
        "help": "name of the array of true labels, where Quantrift does not find it by itself",
    },
    "--profile": {
        "choices": SIZES,
        "default": "quick",
        "help": "quick takes minutes; thorough searches from 500 inputs instead of 200, with 4 times the budget",
    },
    "--time-budget": {
        "metavar": "TIME",
        "help": "time that the assessment may take, like 90s, 3m or 1h; --seeds and --generations are chosen to fit, "
        "and printed",
    },
    **verdict_options.OF_VERDICT,
    **input_options.FORM,
    **task_options.OPTIONS,
    **input_options.rare(
        {
            "--array": {
                "metavar": "NAME",
                "help": "name of the array of inputs, where Quantrift does not find it by itself",
            },
            "--space": {
                "choices": SPACES,
                "help": "space of the natural distortions, where the channels of the inputs are not to decide; it also "
                "tells that inputs are signals or rows of a table, where the network's file does not",
            },
            "--seeds": {
                "type": int,
                "metavar": "N",
                "help": "seed inputs of each search, instead of the profile's; random sampling takes 2.5 times as many",
            },
            "--generations": {
                "type": int,
                "metavar": "N",
                "help": "generations of natural searches, instead of the profile's",
            },
            "--certify": {
                "metavar": "N,...",
                "help": "also certify inputs in these neighbourhoods, as quantrift certify does, like "
                "brightness,shift=2,linf=1; that decides no limit",
            },
            "--certify-number": {
                "type": int,
                "default": CERTIFIED,
                "metavar": "N",
                "help": f"first inputs of the file to certify ({CERTIFIED}, or all where there are fewer)",
            },
            **input_options.CATEGORIES,
            **input_options.CHANGE,
            **input_options.MAX_UNPACKED,
            **verdict_options.OF_CODE,
        }
    ),
}


def seconds(text: str) -> float:
    """``90s``, ``3m`` and ``1h`` in seconds.

    Raises:
        QuantriftError: the text is no time.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if not found or not float(found[1]):
        raise QuantriftError(f"--time-budget is '{text}'; give a time like 90s, 3m or 1h")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


def run(given: argparse.Namespace) -> int:
    """0 where all candidates pass, 1 where one fails, 3 where the data do not decide."""
    input_options.limit(given)
    budget = None if given.time_budget is None else seconds(given.time_budget)
    refuse(
        (
            budget is not None and (given.seeds or given.generations),
            "--time-budget chooses --seeds and --generations; remove it, or remove them",
        )
    )
    settings = Settings(
        profile=given.profile,
        space=given.space,
        array=given.array,
        labels=given.labels,
        limits=verdict_options.limits_of(given),
        form=replace(input_options.form_of(given), outputs=task_options.outputs(given)),
        seeds=given.seeds,
        generations=given.generations,
        time_budget=budget,
        task=task_options.given(given),
        command=input_options.command_line(),
    )
    input_options.check_there([given.original, *given.compressed], given.inputs)
    verdict_options.check_files(given, [given.original, *given.compressed, given.inputs])
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.verdict.run import assess

    certifier = None
    if given.certify is not None:
        from quantrift.judge.certify.run import WithinAssessment

        certifier = WithinAssessment(given.certify, given.certify_number, settings.command, given.array)
    found = assess(given.original, given.compressed, given.inputs, given.out, settings, certifier)
    return verdict_options.told(found, given)
