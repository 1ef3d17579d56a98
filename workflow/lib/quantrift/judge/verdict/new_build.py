"""Gate for a new build: what an assessment stored is run again, and held to the limits of that assessment.

Inputs as given and natural changes of them are samples, so limits are held against intervals over those that were run.
Disagreements that searches found are none: they may show that a limit is exceeded, and never that it is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from quantrift.core.base import archive
from quantrift.core.base.errors import QuantriftError, reading
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.pairs.task import Outputs
from quantrift.core.statistics.clustered import clustered
from quantrift.judge.intake.given_networks import Ready, compressed, original
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.verdict.assessment import Judgement, Limits, Verdict
from quantrift.judge.verdict.clean_inputs import figures
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.dii_file import GIVEN
from quantrift.judge.verdict.float16_range import of_range
from quantrift.judge.verdict.record_summary import rate
from quantrift.judge.verdict.stored_inputs import AS_GIVEN, DRAWN, FOUND, PARTS, StoredInputs
from quantrift.judge.verdict.stored_task import StoredTask
from quantrift.judge.verdict.tool_result import Rate
from quantrift.judge.verdict.verdict import GIVEN as ON_GIVEN
from quantrift.judge.verdict.verdict import SEARCHED, OfTool, at_least, judged, unknown, worst

DAMAGED = "damaged", "make the assessment again"
LABEL = "label_original"
TOOLS = ("tool_ids", "tool_titles", "tool_samples", "search_tool")
VERDICT = (*TOOLS, "class_counts", "class_names", "labelled", "limit_names", "limit_values", "tool", "seed")
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


@dataclass(frozen=True, eq=False)
class Builds:
    """Both networks on the inputs of a file."""

    file: Path
    stored: Mapping[str, np.ndarray]
    """Arrays of the file beside its inputs."""
    task: StoredTask | None
    new: Ready
    original: Ready | None
    """``None`` where what the file says of it counts."""

    def run(self, part: str) -> Run:
        """Run a part of the file.

        Raises:
            QuantriftError: it is damaged, or does not fit the networks.
        """
        inputs = StoredInputs.read(self.file, part)
        name = f"{part}{LABEL if self.task is None else 'original_outputs'}"
        known = self.stored.get(name)
        if known is None or len(known) != len(inputs.values) or (part == AS_GIVEN and not len(known)):
            raise QuantriftError(
                f"{self.file}: has no array '{name}' with a row for each of its inputs; make the assessment again"
            )
        with reading(self.file, *DAMAGED):
            before = known.astype(np.int64) if self.task is None else np.zeros(len(known), np.int64)
            first: Outputs = {} if self.task is None else self.task.agreement.original(known)
        if self.task is None:
            if self.original is not None:
                before = inputs.run(self.original.network, self.original).argmax(axis=1)
            values = inputs.run(self.new.network, self.new, matched=True)
            return Run(before, np.where(np.isfinite(values).all(axis=1), values.argmax(axis=1), NO_LABEL))
        if self.original is not None:
            first = self.task.outputs(self.original, inputs)
        second = self.task.outputs(self.new, inputs, matched_inputs=True)
        return Run(before, self.task.differs(first, second), (first, second))


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
    missing = [name for name in ("inputs", *VERDICT) if name not in held]
    if missing:
        raise QuantriftError(
            f"{dii}: has no array '{missing[0]}'; name the dii.npz of an assessment by this version of quantrift"
        )
    of_parts = [f"{part}{name}" for part in PARTS for name in OF_PART]
    stored = archive.read(dii, [name for name in ("task", *VERDICT, *of_parts) if name in held])
    inputs = StoredInputs.read(dii)
    side, length = inputs.values.shape[1:3]
    if form.space is None and side == 1:
        # Signals and tables are stored so, and no image without the option is.
        form = replace(form, space="table_distortions" if length == 1 else "signal_distortions")
    task = StoredTask.of(stored, dii)
    form = replace(form, values=task is not None, change=inputs.changed, outputs=inputs.outputs.names)
    with ForeignFiles() as files:
        new = compressed(compressed_path, files, form, inputs.chosen)
        first = None if original_path is None else original(original_path, given.folder(), files, form)
        builds = Builds(dii, stored, task, new, first)
        whole = f"{AS_GIVEN}inputs" in held and f"{DRAWN}inputs" in held
        runs = {part: builds.run(part) for part in (PARTS if whole else (FOUND,))}
    with reading(dii, *DAMAGED):
        limits = Limits(
            **{
                str(name): None if np.isnan(value) else float(value)
                for name, value in zip(stored["limit_names"], stored["limit_values"], strict=True)
            }
        )
        judgements, notes = _sampled(builds, runs, limits) if whole else _earlier(stored, runs[FOUND], limits)
        judgements += _searched(stored, runs, limits)
    found = Still(
        runs[FOUND].before,
        runs[FOUND].after,
        judgements,
        notes=[given.told(one) for one in notes],
        sampled=sum(int(runs[part].differ.sum()) for part in runs if part != FOUND),
        whole=whole,
    )
    return found if task is None else replace(found, differs=task.agreement.task.DIFFERS, labels=False)


def _sampled(builds: Builds, runs: Mapping[str, Run], limits: Limits) -> tuple[list[Judgement], list[str]]:
    """Judgements on inputs as given and natural changes, and notes on these."""
    stored, task, given, drawn = builds.stored, builds.task, runs[AS_GIVEN], runs[DRAWN]
    right = None
    if stored["labelled"] and task is None:
        right = given.before == stored[f"{AS_GIVEN}labels"], given.after == stored[f"{AS_GIVEN}labels"]
    elif stored["labelled"] and task is not None and given.outputs is not None:
        right = task.right(stored[f"{AS_GIVEN}truth"], *given.outputs)
    clean = figures(given.before, given.after, right, stored["class_names"].tolist() if task is None else [])
    if task is not None and given.outputs is not None:
        clean = replace(clean, accuracy=task.agreement.task.ACCURACY, dead=task.agreement.task.dead(*given.outputs))
    [title] = stored["tool_titles"][stored["tool_samples"]].tolist()
    share = rate(*clustered(drawn.differ, np.ones(len(drawn.differ))))
    nothing = Rate(None, None, None)
    of_drawn = OfTool(title, True, len(drawn.differ), int(drawn.differ.sum()), share, nothing)
    all_given, all_seeds = (int(stored[f"{part}total"]) for part in (AS_GIVEN, DRAWN))
    notes = [
        f"run: {len(given.differ):,} of {all_given:,} inputs as given, {int(given.differ.sum()):,} disagree",
        f"run: one valid natural change ({title}) of {len(drawn.differ):,} of {all_seeds:,} seed inputs, "
        f"{int(drawn.differ.sum()):,} disagree",
    ]
    if limits.max_accuracy_drop is not None and right is None:
        notes.append(f"drop in {clean.accuracy}: not judged, as the assessment had no labels")
    notes += unknown(clean.dead)
    diagnoses = Diagnoses()
    range_of_float16 = of_range(
        builds.original,
        {"": builds.new},
        lambda network: StoredInputs.read(builds.file, AS_GIVEN).rows(network, matched=network is builds.new),
        len(given.differ),
        diagnoses,
    )
    notes += [*range_of_float16.lines, *diagnoses.failed]
    if limits == Limits():
        notes.append("the assessment had no limits, so nothing is judged but lost classes")
    limited = judged(clean, [of_drawn], replace(limits, max_sr=None))
    return [*range_of_float16.judgements.get("", ()), *limited], notes


def _earlier(stored: Mapping[str, np.ndarray], found: Run, limits: Limits) -> tuple[list[Judgement], list[str]]:
    """Likewise of a file of an earlier version."""
    remedy = "inputs on which the networks agreed were not stored: assess again"
    events, count = int((found.differ & (stored["tool"] == GIVEN)).sum()), int(stored["class_counts"].sum())
    allowed = limits.max_disagreement
    judgements = [
        *([] if allowed is None else [at_least("max_disagreement", ON_GIVEN, None, events, count, allowed, remedy)])
    ]
    return judgements, [
        "written by an earlier version, which stored neither the inputs as given nor natural changes: they were not "
        "run, and no build passes; assess again to get a gate"
    ]


def _searched(stored: Mapping[str, np.ndarray], runs: Mapping[str, Run], limits: Limits) -> Iterator[Judgement]:
    """The limit on searches, held against the seed inputs that are known to lead to a disagreement."""
    tools = (stored[name].tolist() for name in ("tool_ids", "tool_titles", "tool_samples"))
    for name, title, samples in zip(*tools, strict=True):
        if limits.max_sr is not None:
            left = set(stored["seed"][runs[FOUND].differ & (stored["tool"] == name)].tolist())
            if samples and DRAWN in runs:
                left |= set(stored[f"{DRAWN}seed"][runs[DRAWN].differ].tolist())
            count = int((stored["search_tool"] == name).sum())
            remedy = "a search has to run (quantrift assess)"
            yield at_least("max_sr", SEARCHED, title, len(left), count, limits.max_sr, remedy)
