"""Decode every stored vector of a records file again and run both models on it.

Every difference-inducing input must be the same bit for bit, with both labels as recorded. On another type of processor
labels may differ where two classes are almost equally probable; the largest difference of the fitness is printed.
With --number, one of them alone, with the probabilities that both models give.

With --compressed, run what an assessment stored (dii.npz) on a new build instead: the inputs as given, a natural change
of each seed input, and the disagreements that were found. The first two are held to the limits of that assessment.
Nothing is searched, so a limit on searches (max-sr) may be exceeded, and is never shown to be kept.
"""

import argparse
from pathlib import Path

from quantrift.cli import input_options, task_options
from quantrift.cli.outcome import tell
from quantrift.cli.verdict_options import OF_CODE, code_of
from quantrift.core.base.errors import reading, refuse
from quantrift.core.search.records.replaying import Said, replay, single

EXAMPLES = """examples:
  quantrift replay results/demo/search/sim_pavia/hybridsn/ptq_int8/pso_div/rq1/seeds_000-004.parquet
  quantrift replay --number 3 results/demo/search/digits/lenet5/ptq_int8/diffchaser_code/diffchaser_q2/seeds_000.parquet
  quantrift replay --original model.keras --compressed new.tflite assessment/model_int8/dii.npz

exit codes with --compressed:
  0 pass, 1 fail, 2 could not run, 3 inconclusive, 70 a crash of quantrift itself
"""
SHOWN = 20
"""Rows to list of those that still disagree."""
VALUES = 16
"""Values to show of each output."""


OPTIONS = {
    "records": {
        "type": Path,
        "nargs": "+",
        "help": "a seeds_* file in a results folder or an assessment; the dii.npz of an assessment with --compressed",
    },
    "--number": {
        "type": int,
        "metavar": "N",
        "help": "replay the N-th stored input of the file alone, as galleries number it",
    },
    "--fail-on-disagreement": {
        "action": "store_true",
        "help": "exit with 1 if any stored input still gets different labels, whatever the limits",
    },
    **OF_CODE,
    "--compressed": {"type": Path, "help": "the new build, .tflite, .onnx, .pt2, .xml or .pte"},
    **input_options.FORM,
    **task_options.AGREE,
    **input_options.MAX_UNPACKED,
    "--original": {
        "type": Path,
        "help": "the original that the new build is compared with; by default the stored labels are",
    },
}


def run(given: argparse.Namespace) -> int:
    """0 where all inputs were replayed as recorded, else 1; the verdict's exit code on a new build."""
    input_options.limit(given)
    task_options.use_function(given)
    if given.number is not None:
        return _single(given)
    if given.compressed:
        return _on_new_build(given)
    refuse(
        (
            given.original or given.fail_on_disagreement,
            "stored inputs are run on a new build; name it with --compressed",
        )
    )
    complete = True
    for path in given.records:
        found = replay(path)
        complete &= found.complete
        print(
            f"{path}: {found.rows} stored difference-inducing inputs, {found.same_input} decode to the same input, "
            f"{found.same_labels} {found.same}, largest fitness difference {found.largest_difference:.2g}"
        )
        if found.changed:
            print(f"  not the files the records were made from: {', '.join(found.changed)}")
    return int(not complete)


def _single(given: argparse.Namespace) -> int:
    """0 where the one input was replayed as recorded, else 1."""
    refuse(
        (
            len(given.records) > 1 or given.compressed or given.original or given.fail_on_disagreement,
            "--number is of one records file; name that alone, without a new build",
        )
    )
    [path] = given.records
    [found] = single(path, [given.number])
    print(f"{path}: {found.number} of {found.of} stored difference-inducing inputs")
    of = "" if found.said else f": {found.classes[found.true_label]}"
    print(f"run seed {found.run_seed}, input {found.input}{of}")
    print(f"distortions: {', '.join(name.replace('_', ' ') for name in found.distortions) or 'none'}")
    if found.said:
        _outputs(found.said)
    else:
        width = max(map(len, found.classes))
        print(f"  {'':{width}}  original  compressed")
        for name, ours, theirs in zip(found.classes, found.original, found.compressed, strict=True):
            print(f"  {name:{width}}  {ours:8.4f}  {theirs:10.4f}")
    other = f"not as recorded: another input, or other {'outputs' if found.said else 'labels'}"
    print("as recorded" if found.complete else other)
    return int(not found.complete)


def _outputs(said: Said) -> None:
    """Print outputs of both networks under a task, and their difference."""
    print(f"difference: {said.difference:.4g} tolerances; {said.definition}")
    for name in said.original:
        for title, values in (("original", said.original[name]), ("compressed", said.compressed[name])):
            shown = ", ".join(f"{value:.6g}" for value in values.ravel()[:VALUES])
            more = f" and {values.size - VALUES} more" if values.size > VALUES else ""
            print(f"  {name:16}  {title:10}  {shown}{more}")


def _on_new_build(given: argparse.Namespace) -> int:
    from quantrift.judge.verdict.new_build import DAMAGED, still
    from quantrift.judge.verdict.verdict import worst

    verdicts = []
    for path in given.records:
        refuse((path.suffix != ".npz", f"{path}: a new build is run on the dii.npz of an assessment; name that"))
        with reading(path, *DAMAGED):
            found = still(path, given.compressed, given.original, input_options.form_of(given))
        print(f"{path}: {len(found.rows)} of {len(found.original)} stored disagreements still {found.differs}")
        for row in found.rows[:SHOWN].tolist():
            of = f": original {found.original[row]}, compressed {found.compressed[row]}" if found.labels else ""
            print(f"  row {row}{of}")
        more = [f"and {len(found.rows) - SHOWN} more"] if len(found.rows) > SHOWN else []
        judged = [f"{judgement.verdict}: {judgement.text}" for judgement in found.judgements]
        tell(2, {"": [*more, *found.notes, *judged]})
        any_left = len(found.rows) + found.sampled > 0
        verdicts.append("fail" if given.fail_on_disagreement and any_left else found.verdict)
        print(f"  verdict: {verdicts[-1]}")
        if verdicts[-1] == "inconclusive":
            print("  quantrift assess on the new build looks at more than was stored, and may decide")
    return code_of(worst(verdicts), given.inconclusive)
