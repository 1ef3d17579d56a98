"""Gate for a new build: what an assessment stored is run again, and held to the limits of that assessment.

Inputs as given and natural changes of them are samples, so limits are held against intervals over those that were run.
Disagreements that searches found are none: they may show that a limit is exceeded, and never that it is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from quantrift.core.base import archive
from quantrift.core.base.errors import reading, refuse
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.pairs.task import Outputs, Task
from quantrift.core.pairs.task_pair import Agreement
from quantrift.core.pairs.tasks import classify
from quantrift.core.statistics.clustered import clustered
from quantrift.judge.intake import given_networks
from quantrift.judge.intake.given_networks import Ready, compressed
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.verdict.assessment import Judgement, Limits, Verdict
from quantrift.judge.verdict.clean_inputs import clean
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.dii_file import GIVEN
from quantrift.judge.verdict.float16_range import of_range
from quantrift.judge.verdict.record_summary import rate
from quantrift.judge.verdict.stored_inputs import AS_GIVEN, DRAWN, FOUND, PARTS, StoredInputs, outputs_of
from quantrift.judge.verdict.tool_result import Rate
from quantrift.judge.verdict.verdict import GIVEN as ON_GIVEN
from quantrift.judge.verdict.verdict import SEARCHED, OfTool, at_least, judged, unknown, worst

DAMAGED = "damaged", "make the assessment again"
LABEL = "label_original"
VERDICT = (
    *("tool_ids", "tool_titles", "tool_samples", "search_tool", "class_counts", "class_names", "labelled"),
    *("limit_names", "limit_values", "tool", "seed"),
)
OF_PART = (LABEL, "labels", "total", "original_outputs", "truth", "seed")
NO_LABEL = -1
"""Label of outputs that are no numbers, which no original gives."""


@dataclass(frozen=True, eq=False)
class Still:
    """Labels of stored inputs by both networks, and the judgements."""

    original: np.ndarray
    """Labels of what searches found, and of inputs as given on which the assessed build disagreed, int64 (n,)."""
    compressed: np.ndarray
    """Labels, int64 (n,); -1 where outputs are no numbers."""
    judgements: list[Judgement]
    """Limits of the assessment, held against what was run."""
    differs: str = "get different labels"
    """Predicate of inputs on which the networks disagree."""
    labels: bool = True
    """Whether labels are compared; otherwise 0 stands for agreement and 1 for none."""
    notes: list[str] = field(default_factory=list)
    """What else was run, and what was not, one line each."""
    sampled: int = 0
    """Inputs as given, and natural changes, on which they disagree."""
    whole: bool = True
    """Whether the file holds inputs as given and natural changes; those of earlier versions do not."""

    @property
    def rows(self) -> np.ndarray:
        """Rows of the file on which they disagree, ascending."""
        return np.flatnonzero(self.original != self.compressed)

    @property
    def verdict(self) -> Verdict:
        """Verdict on the new build; no pass where inputs as given were not run."""
        return worst([*(one.verdict for one in self.judgements), "pass" if self.whole else "inconclusive"])


@dataclass(frozen=True, eq=False)
class Run:
    """A part of the file, run by both networks."""

    before: np.ndarray
    """Labels by the original, int64 (n,); 0 under a task."""
    after: np.ndarray
    """Labels by the new build; 0 or 1 under a task."""
    outputs: tuple[Outputs, Outputs] | None = None
    """Of both, under a task."""

    @property
    def differ(self) -> np.ndarray:
        """Whether they disagree, bool (n,)."""
        return self.before != self.after


def still(dii: Path, compressed_path: Path, original_path: Path | None = None, form: InputForm = FROM_FILES) -> Still:
    """Run stored inputs on a new build, and judge it by them.

    Inputs as given and natural changes get the judgements of an assessment, over those that were stored and run. Of a
    limit on searches, stored disagreements that are left may show that it is exceeded. A file of an earlier version
    holds disagreements alone, with which no build passes.

    Args:
        dii: .npz (``quantrift.judge.verdict.dii_file``).
        compressed_path: the new build, .tflite or .onnx.
        original_path: what it is compared with, in any form that ``quantrift assess`` takes; the stored labels of the
            original where it is not given.
        form: how inputs are meant, where files do not tell.

    Raises:
        QuantriftError: if a file cannot be read, or they do not fit each other.
    """
    with GivenFiles() as given:
        first = None if original_path is None else given.network(original_path)
        return _still(given.file(dii), given.network(compressed_path), first, form, given)


def _still(dii: Path, compressed_path: Path, original_path: Path | None, form: InputForm, given: GivenFiles) -> Still:
    """The same of copies of the files."""
    held = archive.headers(dii)
    refuse(
        *(
            (
                name not in held,
                f"{dii}: has no array '{name}'; name the dii.npz of an assessment by this version of quantrift",
            )
            for name in ("inputs", *VERDICT)
        )
    )
    wanted = ["task", *VERDICT, *(f"{part}{name}" for part in PARTS for name in OF_PART)]
    stored = archive.read_arrays(dii, [name for name in wanted if name in held])
    inputs = StoredInputs.read(dii)
    side, length = inputs.values.shape[1:3]
    if form.space is None and side == 1:
        # Signals and tables are stored so, and no image without the option is.
        form = replace(form, space="table_distortions" if length == 1 else "signal_distortions")
    agreement = Agreement.read(str(stored["task"]), dii) if "task" in stored else None
    form = replace(form, values=agreement is not None, change=inputs.changed, outputs=inputs.outputs.names)
    form = replace(form, shape=inputs.values.shape[1:])
    with ForeignFiles() as files:
        new = compressed(compressed_path, files, form, inputs.chosen)
        first = None if original_path is None else given_networks.original(original_path, given.folder(), files, form)
        whole = f"{AS_GIVEN}inputs" in held and f"{DRAWN}inputs" in held
        runs = {part: _run(part, dii, stored, agreement, new, first) for part in (PARTS if whole else (FOUND,))}
    with reading(dii, *DAMAGED):
        limits = Limits(
            **{
                str(name): None if np.isnan(value) else float(value)
                for name, value in zip(stored["limit_names"], stored["limit_values"], strict=True)
            }
        )
        judgements, notes = (
            _sampled(dii, stored, agreement, new, first, runs, limits)
            if whole
            else _earlier(stored, runs[FOUND], limits)
        )
        judgements += _searched(stored, runs, limits)
    return Still(
        runs[FOUND].before,
        runs[FOUND].after,
        judgements,
        "get different labels" if agreement is None else agreement.task.DIFFERS,
        agreement is None,
        [given.told(one) for one in notes],
        sum(int(runs[part].differ.sum()) for part in runs if part != FOUND),
        whole,
    )


def _run(
    part: str,
    file: Path,
    stored: Mapping[str, np.ndarray],
    agreement: Agreement | None,
    new: Ready,
    original: Ready | None,
) -> Run:
    """Run a part of the file.

    Args:
        part: one of ``PARTS``.
        file: the file.
        stored: its arrays beside the inputs.
        agreement: the task that was stored; ``None`` where labels are compared.
        new: the new build.
        original: ``None`` where what the file says of it counts.

    Raises:
        QuantriftError: it is damaged, or does not fit the networks.
    """
    inputs = StoredInputs.read(file, part)
    name = f"{part}{LABEL if agreement is None else 'original_outputs'}"
    known, rows = stored.get(name, np.empty(0)), len(inputs.values)
    refuse(
        (
            name not in stored or len(known) != rows or (part == AS_GIVEN and not rows),
            f"{file}: has no array '{name}' with a row for each of its inputs; make the assessment again",
        )
    )
    with reading(file, *DAMAGED):
        before = known.astype(np.int64) if agreement is None else np.zeros(rows, np.int64)
        first: Outputs = {} if agreement is None else agreement.original(known)
    if agreement is not None:
        first = first if original is None else outputs_of(agreement, original, inputs)
        second = outputs_of(agreement, new, inputs, matched_inputs=True)
        return Run(before, (agreement.between(first, second) > 1).astype(np.int64), (first, second))
    if original is not None:
        before = inputs.run(original.network, original).argmax(axis=1)
    values = inputs.run(new.network, new, matched=True)
    return Run(before, np.where(np.isfinite(values).all(axis=1), values.argmax(axis=1), NO_LABEL))


def _sampled(
    file: Path,
    stored: Mapping[str, np.ndarray],
    agreement: Agreement | None,
    new: Ready,
    original: Ready | None,
    runs: Mapping[str, Run],
    limits: Limits,
) -> tuple[list[Judgement], list[str]]:
    """Judgements on inputs as given and natural changes, and notes on these."""
    given, drawn = runs[AS_GIVEN], runs[DRAWN]
    task: Task = classify.Settings() if agreement is None else agreement.task
    right, dead = None, task.dead(*given.outputs) if given.outputs else ()
    if stored["labelled"] and given.outputs is None:
        right = given.before == stored[f"{AS_GIVEN}labels"], given.after == stored[f"{AS_GIVEN}labels"]
    elif stored["labelled"] and given.outputs is not None:
        truth, (first, second) = stored[f"{AS_GIVEN}truth"], given.outputs
        right = task.right(first, truth, of_compressed=False), task.right(second, truth, of_compressed=True)
    of_given = clean(given.before, given.after, right, stored["class_names"].tolist() if agreement is None else [])
    [title] = stored["tool_titles"][stored["tool_samples"]].tolist()
    seeds, hits = len(drawn.differ), int(drawn.differ.sum())
    of_drawn = OfTool(title, True, seeds, hits, rate(*clustered(drawn.differ, np.ones(seeds))), Rate(None, None, None))
    all_given, all_seeds = (int(stored[f"{part}total"]) for part in (AS_GIVEN, DRAWN))
    notes = [
        f"run: {len(given.differ):,} of {all_given:,} inputs as given, {int(given.differ.sum()):,} disagree",
        f"run: one valid natural change ({title}) of {seeds:,} of {all_seeds:,} seed inputs, {hits:,} disagree",
    ]
    if limits.max_accuracy_drop is not None and right is None:
        notes.append(f"drop in {task.ACCURACY}: not judged, as the assessment had no labels")
    notes += unknown(dead)
    diagnoses = Diagnoses()
    beyond, lines = of_range(
        original,
        {"": new},
        lambda network: StoredInputs.read(file, AS_GIVEN).rows(network, matched=network is new),
        len(given.differ),
        diagnoses,
    )
    notes += [*lines, *diagnoses.failed]
    if limits == Limits():
        notes.append("the assessment had no limits, so nothing is judged but lost classes")
    limited = judged(of_given, len(given.differ), [of_drawn], replace(limits, max_sr=None), task.ACCURACY, dead)
    return [*beyond.get("", ()), *limited], notes


def _earlier(stored: Mapping[str, np.ndarray], found: Run, limits: Limits) -> tuple[list[Judgement], list[str]]:
    """Likewise of a file of an earlier version."""
    notes = [
        "written by an earlier version, which stored neither the inputs as given nor natural changes: they were not "
        "run, and no build passes; assess again to get a gate"
    ]
    if (allowed := limits.max_disagreement) is None:
        return [], notes
    remedy = "inputs on which the networks agreed were not stored: assess again"
    events, count = int((found.differ & (stored["tool"] == GIVEN)).sum()), int(stored["class_counts"].sum())
    return [at_least("max_disagreement", ON_GIVEN, None, events, count, allowed, remedy)], notes


def _searched(stored: Mapping[str, np.ndarray], runs: Mapping[str, Run], limits: Limits) -> Iterator[Judgement]:
    """The limit on searches, held against the seed inputs that are known to lead to a disagreement."""
    if (allowed := limits.max_sr) is None:
        return
    columns = (stored[name].tolist() for name in ("tool_ids", "tool_titles", "tool_samples"))
    for name, title, samples in zip(*columns, strict=True):
        left = set(stored["seed"][runs[FOUND].differ & (stored["tool"] == name)].tolist())
        if samples and DRAWN in runs:
            left |= set(stored[f"{DRAWN}seed"][runs[DRAWN].differ].tolist())
        count, remedy = int((stored["search_tool"] == name).sum()), "a search has to run (quantrift assess)"
        yield at_least("max_sr", SEARCHED, title, len(left), count, allowed, remedy)
