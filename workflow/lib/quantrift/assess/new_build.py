"""Gate for a new build: stored disagreements run again, held to the limits of their assessment."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.assess import stored_task
from quantrift.assess.assessment import ClassFlips, Judgement, Limits, Verdict
from quantrift.assess.dii_file import GIVEN
from quantrift.assess.given_networks import Ready, compressed, original
from quantrift.assess.input_form import FROM_FILES, InputForm
from quantrift.assess.record_summary import rate
from quantrift.assess.stored_inputs import StoredInputs
from quantrift.assess.stored_task import StoredTask
from quantrift.assess.tool_result import Rate
from quantrift.assess.verdict import OfTool, OnGiven, judged, worst
from quantrift.base import archive
from quantrift.base.errors import QuantriftError
from quantrift.metrics.clustered import clopper_pearson, clustered
from quantrift.metrics.intervals import wilson
from quantrift.metrics.paired_shares import drop
from quantrift.models.foreign.reader import ForeignFiles

STORED = "label_original"
COUNTS = ("search_tool", "search_input", "search_valid", "search_dii", "tool_ids", "tool_titles", "tool_samples")
VERDICT = (*COUNTS, "class_counts", "labelled", "limit_names", "limit_values", "tool", "seed", "labels")


@dataclass(frozen=True, eq=False)
class Still:
    """Labels of stored inputs by both networks, and the judgements."""

    original: np.ndarray
    """Labels, int64 (n,)."""
    compressed: np.ndarray
    """Labels, int64 (n,)."""
    judgements: list[Judgement]
    """Limits of the assessment, held against the disagreements that are left."""
    differs: str = "get different labels"
    """Predicate of inputs on which the networks disagree."""
    labels: bool = True
    """Whether labels are compared; otherwise 0 stands for agreement and 1 for none."""

    @property
    def rows(self) -> np.ndarray:
        """Rows of the file on which they disagree, ascending."""
        return np.flatnonzero(self.original != self.compressed)

    @property
    def verdict(self) -> Verdict:
        """Verdict on the new build, as far as stored inputs tell."""
        return worst(one.verdict for one in self.judgements)


def still(dii: Path, compressed_path: Path, original_path: Path | None = None, form: InputForm = FROM_FILES) -> Still:
    """Run stored inputs again, and judge the new build by the disagreements that are left.

    A search that found n disagreements, of which k of m stored ones are left, counts with n k / m; one without stored
    inputs, as its tool does on the whole. So the build that was assessed gets the verdict that it got before.

    Args:
        dii: .npz (``quantrift.assess.dii_file``).
        compressed_path: the new build, .tflite or .onnx.
        original_path: what it is compared with, in any form that ``quantrift assess`` takes; the stored labels of the
            original where it is not given.
        form: how inputs are meant, where files do not tell.

    Raises:
        QuantriftError: if a file cannot be read, or they do not fit each other.
    """
    held = archive.headers(dii)
    missing = [name for name in ("inputs", STORED, *VERDICT) if name not in held]
    if missing:
        raise QuantriftError(
            f"{dii}: has no array '{missing[0]}'; name the dii.npz of an assessment by this version of quantrift"
        )
    stored = archive.read(dii, (STORED, *VERDICT))
    inputs = StoredInputs.read(dii)
    values = inputs.values
    if form.space is None and values.shape[1] == 1:
        # Signals and tables are stored so, and no image without the option is.
        form = replace(form, space="table_distortions" if values.shape[2] == 1 else "signal_distortions")
    task = StoredTask.of(archive.read(dii, [name for name in stored_task.NAMES if name in held]), dii)
    form = replace(form, values=task is not None, change=inputs.changed, outputs=inputs.outputs.names)
    with tempfile.TemporaryDirectory(prefix="quantrift-") as folder, ForeignFiles() as files:
        new = compressed(compressed_path, files, form, inputs.chosen)
        if task is None:
            labels = stored[STORED].astype(np.int64)
            if original_path is not None:
                labels = _labels(original(original_path, Path(folder), files, form), inputs, original_path)
            said = _labels(new, inputs, compressed_path, matched=True)
            clean = _clean(stored, labels, said)
        else:
            before = task.said
            if original_path is not None:
                first = original(original_path, Path(folder), files, form)
                before = task.outputs(first, inputs.rows(first, original_path))
            after = task.outputs(new, inputs.rows(new, compressed_path, matched=True))
            labels, said = np.zeros(len(values), np.int64), task.differs(before, after)
            changes = task.lost_and_gained(stored["tool"] == GIVEN, before, after)
            dead = task.agreement.task.dead(before, after) if len(values) else ()
            clean = replace(_clean(stored, labels, said, changes), accuracy=task.agreement.task.ACCURACY, dead=dead)
    limits = Limits(
        **{
            str(name): None if np.isnan(value) else float(value)
            for name, value in zip(stored["limit_names"], stored["limit_values"], strict=True)
        }
    )
    left = labels != said
    found = Still(labels, said, judged(clean, _tools(stored, left), limits))
    return found if task is None else replace(found, differs=task.agreement.task.DIFFERS, labels=False)


def _labels(network: Ready, inputs: StoredInputs, path: Path, matched: bool = False) -> np.ndarray:
    if not len(inputs.values):
        return np.empty(0, np.int64)
    found: np.ndarray = network.network(inputs.rows(network, path, matched)).argmax(axis=1)
    return found


def _clean(
    stored: Mapping[str, np.ndarray], labels: np.ndarray, said: np.ndarray, changes: tuple[int, int] | None = None
) -> OnGiven:
    """The inputs as given: those that disagreed are looked at again, the others are taken to agree.

    ``changes``: under another task than classification, inputs on which only the original, or the new build, is right.
    """
    rows = stored["tool"] == GIVEN
    before, after, truth = labels[rows], said[rows], stored["labels"][rows]
    counts = stored["class_counts"]
    total, differing = int(counts.sum()), int((before != after).sum())
    share = differing / total
    lost = int(((before == truth) & (after != truth)).sum())
    gained = int(((before != truth) & (after == truth)).sum())
    if changes is not None:
        lost, gained = changes
    changed = before != after
    classes = []
    for label, count in enumerate(counts.tolist() if changes is None else []):
        flipped, won = int((changed & (before == label)).sum()), int((changed & (after == label)).sum())
        classes.append(ClassFlips(str(label), count, count - flipped + won, flipped))
    return OnGiven(
        disagreement=rate(share, *clopper_pearson(share, total)) if total > 1 else Rate(share, None, None),
        disagreeing=differing,
        right_to_wrong=lost if stored["labelled"] else None,
        drop=rate(*drop(lost, gained, total)) if stored["labelled"] else None,
        classes=classes,
        inputs=total,
    )


def _tools(stored: Mapping[str, np.ndarray], left: np.ndarray) -> list[OfTool]:
    tools = []
    unchanged = {
        int(seed): bool(one)
        for seed, one in zip(stored["seed"][stored["tool"] == GIVEN], left[stored["tool"] == GIVEN], strict=True)
    }
    for place, name in enumerate(stored["tool_ids"].tolist()):
        own, rows = stored["search_tool"] == name, stored["tool"] == name
        numbers, dii = stored["search_input"][own], stored["search_dii"][own].astype(np.float64)
        overall = float(left[rows].mean()) if rows.any() else 0.0
        for at in np.flatnonzero(dii).tolist():
            of_search = rows & (stored["seed"] == numbers[at])
            if of_search.any():
                dii[at] *= float(left[of_search].mean())
            else:
                dii[at] *= float(unchanged.get(int(numbers[at]), overall))
        hits, count = int((dii > 0).sum()), len(dii)
        tools.append(
            OfTool(
                title=str(stored["tool_titles"][place]),
                samples=bool(stored["tool_samples"][place]),
                searches=count,
                successes=hits,
                dir_valid=rate(*clustered(dii, stored["search_valid"][own])),
                sr=rate(hits / count, *wilson(hits, count)) if count > 1 else Rate(hits / count, None, None),
            )
        )
    return tools
