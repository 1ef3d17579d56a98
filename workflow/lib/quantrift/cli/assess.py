"""Assess compressed networks: rates, classes and causes of their disagreements with the original.

Searches natural distortions of the inputs. It detects layout, scale and outputs, and prints what it assumed. A network
passes if the upper end of each 95 % interval lies below its limit. It fails if the lower end of one lies above its
limit. Otherwise it is inconclusive, and the output says about how many inputs would decide, if that can be said.
"""

import argparse
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from quantrift.cli import input_options, task_options
from quantrift.cli.outcome import result_stands
from quantrift.cli.unpacked import set_unpacked, unpacked_option
from quantrift.cli.verdict_code import code_of, inconclusive_option
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import check_writable
from quantrift.core.base.limits import limit_memory
from quantrift.judge.certify.asked_neighbourhoods import CERTIFIED
from quantrift.judge.verdict.assessment import FILE, LIMITS, REPORT, Assessment, Limits
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


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--original",
        type=Path,
        required=True,
        help=f".keras, .h5, a SavedModel's folder, .tflite, .onnx, .pt2, .xml or .pte; {input_options.WAYS}",
    )
    parser.add_argument(
        "--compressed",
        type=Path,
        required=True,
        action="append",
        help=".tflite, .onnx, .pt2, .xml or .pte; several are ranked",
    )
    parser.add_argument("--inputs", type=Path, required=True, help=".npz with inputs as the original takes them")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the assessment")
    parser.add_argument(
        "--labels", metavar="NAME", help="name of the array of true labels, where Quantrift does not find it by itself"
    )
    parser.add_argument(
        "--array", metavar="NAME", help="name of the array of inputs, where Quantrift does not find it by itself"
    )
    parser.add_argument(
        "--profile",
        choices=SIZES,
        default="quick",
        help="quick takes minutes; thorough searches from 500 inputs instead of 200, with 4 times the budget",
    )
    parser.add_argument(
        "--space",
        choices=SPACES,
        help="space of the natural distortions, where the channels of the inputs are not to decide; it also tells that "
        "inputs are signals or rows of a table, where the network's file does not",
    )
    parser.add_argument(
        "--seeds",
        type=int,
        metavar="N",
        help="seed inputs of each search, instead of the profile's; random sampling takes 2.5 times as many",
    )
    parser.add_argument(
        "--generations", type=int, metavar="N", help="generations of natural searches, instead of the profile's"
    )
    parser.add_argument(
        "--time-budget",
        metavar="TIME",
        help="time that the assessment may take, like 90s, 3m or 1h; --seeds and --generations are chosen to fit, and "
        "printed",
    )
    parser.add_argument(
        "--certify",
        metavar="N,...",
        help="also certify inputs in these neighbourhoods, as quantrift certify does, like brightness,shift=2,linf=1; "
        "that decides no limit",
    )
    parser.add_argument(
        "--certify-number",
        type=int,
        default=CERTIFIED,
        metavar="N",
        help=f"first inputs of the file to certify ({CERTIFIED}, or all where there are fewer)",
    )
    input_options.arguments(parser)
    input_options.categories_option(parser)
    input_options.change_option(parser)
    task_options.arguments(parser)
    unpacked_option(parser)
    verdict_options(parser)


def verdict_options(parser: argparse.ArgumentParser) -> None:
    """Add the limits, and the forms in which a verdict is written."""
    limit_options(parser)
    inconclusive_option(parser)
    parser.add_argument("--json", action="store_true", help="print assessment.json instead of text")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML too, with a test for each limit")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a summary in Markdown too")


def limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the limits."""
    for name, what in LIMITED.items():
        held = getattr(LIMITS, name)
        default = "none" if held is None else f"{100 * held:g}%"
        shown = default.replace("%", "%%")
        parser.add_argument(option(name), default=default, metavar="SHARE", help=f"{what} (default {shown})")


LIMITED = {
    "max_disagreement": "largest share of clean inputs that may get another label or output, like 5%% or 0.05, or none",
    "max_accuracy_drop": "largest drop of accuracy, where there are labels; by --task, of the share of right outputs",
    "max_dir": "largest share of valid distorted inputs on which the models disagree (DiR)",
    "max_sr": "largest share of seed inputs from which a search reaches a disagreement (SR)",
}
"""Limit -> its help text."""


def option(limit: str) -> str:
    """The option of a limit."""
    return f"--{limit.replace('_', '-')}"


def seconds(text: str) -> float:
    """``90s``, ``3m`` and ``1h`` in seconds.

    Raises:
        QuantriftError: the text is no time.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if not found or not float(found[1]):
        raise QuantriftError(f"--time-budget is '{text}'; give a time like 90s, 3m or 1h")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


def share(text: str, option: str) -> float | None:
    """``5%`` and ``0.05`` as a fraction; ``none`` is no limit.

    Raises:
        QuantriftError: the text is neither, or not between 0 and 1.
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
    """0 where all candidates pass, 1 where one fails, 3 where the data do not decide."""
    set_unpacked(given)
    limits = limits_of(given)
    budget = None if given.time_budget is None else seconds(given.time_budget)
    if budget is not None and (given.seeds or given.generations):
        raise QuantriftError("--time-budget chooses --seeds and --generations; remove it, or remove them")
    check_files(given, [given.original, *given.compressed, given.inputs])
    limit_memory()
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.verdict.run import assess

    form = replace(input_options.given(given), outputs=task_options.outputs(given))
    command = shlex.join(["quantrift", *sys.argv[1:]])
    settings = Settings(
        profile=given.profile,
        space=given.space,
        array=given.array,
        labels=given.labels,
        limits=limits,
        form=form,
        seeds=given.seeds,
        generations=given.generations,
        time_budget=budget,
        task=task_options.given(given),
        command=command,
    )
    certifier = None
    if given.certify is not None:
        from quantrift.judge.certify.run import WithinAssessment

        certifier = WithinAssessment(given.certify, given.certify_number, command, given.array)
    found = assess(given.original, given.compressed, given.inputs, given.out, settings, certifier)
    return told(found, given)


def limits_of(given: argparse.Namespace) -> Limits:
    """The limits from the command line.

    Raises:
        QuantriftError: one is no share.
    """
    return Limits(**{name: share(getattr(given, name), option(name)) for name in LIMITED})


def check_files(given: argparse.Namespace, sources: Sequence[Path]) -> None:
    """Make sure, before anything is computed, that the files of ``verdict_options`` can be written.

    Raises:
        QuantriftError: one of them would replace a file that the command reads: one of ``sources``, or beside them.
    """
    for file in filter(None, (given.junit, given.markdown)):
        check_writable(file.absolute().parent)
        if file.exists():
            # Only now, as it loads the runtimes.
            from quantrift.core.networks.runtime import files_of
            from quantrift.core.networks.ways import asked

            read = [one for source in sources for one in files_of(asked(source).file) if one.exists()]
            if any(file.samefile(one) for one in read):
                raise QuantriftError(f"{file}: is read by this command, and would be replaced; name another file")


def told(found: Assessment, given: argparse.Namespace) -> int:
    """Write and print an assessment as ``verdict_options`` ask; returns its exit code."""
    from quantrift.judge.verdict import for_ci

    result_stands()
    if given.junit is not None:
        for_ci.junit(found, given.junit)
    if given.markdown is not None:
        for_ci.markdown(found, given.out, given.markdown)
    if given.json:
        print((given.out / FILE).read_text(encoding="utf-8"), end="")
    else:
        show(found, given.out)
    return code_of(found.verdict, given.inconclusive)


def show(found: Assessment, out: Path) -> None:
    """Print the verdict with its reasons, the assumptions, and the path of the report."""
    print(f"verdict  {found.verdict}: {found.verdict_text}")
    for candidate in found.candidates:
        for judgement in candidate.judgements:
            print(f"{candidate.name}  {judgement.verdict}: {judgement.text}")
        for finding in candidate.findings:
            print(f"{candidate.name}  finding: {finding}")
        for counted in candidate.certified:
            print(f"{candidate.name}  certified: {counted.text}")
        for layer in candidate.suspects:
            print(f"{candidate.name}  layer {layer.layer}: {layer.suspect}")
    if found.ranking:
        print(f"ranking  {found.ranking.text}")
    for line in found.assumed:
        print(f"assumed  {line}")
    for note in found.notes:
        print(f"note     {note}")
    for line in found.failed:
        print(f"failed   {line}")
    if (out / REPORT).is_file():
        print(f"report   {out / REPORT}")
