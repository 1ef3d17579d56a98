"""Verdict on the outputs of a device, by the rules of an assessment; no network is run."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.core.base.archive import read_arrays
from quantrift.core.base.files import sha256
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.function import Values
from quantrift.core.pairs import seed_inputs
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.engine import Seed, Step
from quantrift.core.search.evaluator import Evaluated, digest
from quantrift.core.search.messages import Problem, Tell
from quantrift.core.search.search_record import SearchRecord, writing
from quantrift.core.search.space import Domain
from quantrift.core.search.tool import Tool
from quantrift.judge.intake.chosen_ends import compared as outputs_told
from quantrift.judge.intake.given_inputs import told_names
from quantrift.judge.verdict import assessment as told
from quantrift.judge.verdict import assessment_page, bundle, device_outputs, verdict
from quantrift.judge.verdict.assessment import LIMITS, Assessment, Limits
from quantrift.judge.verdict.candidate import results
from quantrift.judge.verdict.candidate_searches import (
    BLOCK,
    DATASET,
    MODEL,
    RECORDS,
    measured,
    names_of,
    place_of,
    place_task,
    share,
)
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.dii_file import Judged
from quantrift.judge.verdict.folder import appearing
from quantrift.judge.verdict.opened_networks import named
from quantrift.judge.verdict.profiles import Planned, Settings
from quantrift.judge.verdict.stored_inputs import Network
from quantrift.judge.verdict.under_task import on_labels, on_task, recalled


@dataclass(frozen=True, eq=False)
class Rows:
    """Outputs of both networks on a bundle."""

    columns: dict[str, np.ndarray]
    """As ``bundle.draw`` returns them."""
    given: Outputs
    """On the inputs as given."""
    changed: Outputs
    """On the valid changes."""


def judge(
    folder: Path,
    outputs: Path,
    out: Path,
    limits: Limits = LIMITS,
    values: Values | None = None,
    original_outputs: Path | None = None,
    command: str = "",
) -> Assessment:
    """Compare outputs of a device with those of the original, and judge them.

    Writes what ``quantrift assess`` writes, as far as random sampling gives it: there is no search.

    Args:
        folder: of the bundle.
        outputs: of the compressed network on its inputs (``quantrift.judge.verdict.device_outputs``).
        out: folder of the assessment.
        limits: limits of the verdict.
        values: meaning of the outputs; labels need none.
        original_outputs: of the original on the same device; those that came with the bundle otherwise.
        command: for display.

    Raises:
        QuantriftError: the bundle was changed, or outputs do not belong to it.
    """
    with GivenFiles() as given:
        made, copy = bundle.read(folder, given)
        own = given.file(original_outputs) if original_outputs else None
        return _judge(made, copy, given.file(outputs), out, limits, values, own, command, given)


def _judge(
    made: bundle.Bundle,
    folder: Path,
    outputs: Path,
    out: Path,
    limits: Limits,
    meant: Values | None,
    original_outputs: Path | None,
    command: str,
    given: GivenFiles,
) -> Assessment:
    """The same of copies of the files."""
    after, assumed = device_outputs.read(outputs, made, meant)
    stored = read_arrays(folder / bundle.ORIGINAL)
    before, noticed = (
        device_outputs.read(original_outputs, made, meant) if original_outputs else (stored["outputs"], list[str]())
    )
    values = _rows(made, folder, before, after)
    [name] = named([outputs])
    aside = Paths(folder / bundle.ASIDE)
    inputs = Inputs.load(aside.inputs(DATASET, MODEL))
    of_given = values.given.original, values.given.compressed
    found = (
        on_labels(Comparison(inputs.labels[inputs.test], *of_given), made.labelled)
        if made.task is None
        else on_task(made.task.agreement, of_given, stored.get("truth"), Path(made.original), Path(made.inputs))
    )
    rows = replace(values, given=found.pseudo(values.given), changed=found.pseudo(values.changed))
    both = Comparison(inputs.labels[inputs.test], rows.given.original, rows.given.compressed)
    tool = bundle.sampler(Settings(made.profile, made.space), inputs)
    with appearing(out, given.sources) as root:
        paths, diagnoses = Paths(root / name / RECORDS), Diagnoses()
        share(aside, paths)
        place_task(paths.compressed(DATASET, MODEL, name), found.agreement)
        _record(paths, name, tool, inputs, rows, meant is not None or found.agreement is not None)
        one, _ = results(
            name,
            told.Model(outputs.name, sha256(outputs), None),
            {tool: measured(paths, name, tool)},
            Judged(both, inputs, limits, [tool], found, _networks(values, inputs), made.chosen),
            root,
            diagnoses,
            # Margins are those of logits.
            margins_of=("original", "compressed") if meant is not None else ("original",),
        )
        note = (
            f"{name}: judged by the outputs of a device ({outputs.name}) on a bundle, by random sampling alone: no "
            "search looked for disagreements. Operations and their types, layers, size and digest of the compressed "
            "network are unknown"
        )
        origin = f"outputs in {original_outputs.name}" if original_outputs else "the outputs stored in the bundle"
        meaning = (
            meant or "unknown, so that labels count and margins of the compressed network are left out"
            if found.agreement is None
            else f"values as they are; agreement ({found.task.name}): {found.task.definition}"
        )
        return assessment_page.written(
            Assessment(
                command=command,
                profile=made.profile,
                space=made.space,
                versions=made.versions,
                original=told.Model(made.original, made.original_sha256, made.original_bytes, made.original_runtime),
                inputs=told.Inputs(
                    file=made.inputs,
                    sha256=made.inputs_sha256,
                    number=made.given,
                    shape=inputs.searched.shape,
                    range=inputs.data_range,
                    classes=inputs.class_names if found.agreement is None else [],
                    labelled=made.labelled,
                    kind=made.kind,
                    **told_names(inputs),
                ),
                assumed=[
                    *made.assumed,
                    f"bundle {made.bundle[:12]}: {made.how}",
                    f"original: {origin}",
                    f"meaning of the outputs: {meaning}",
                    *noticed,
                    *assumed,
                ],
                seeds=made.seeds,
                limits=limits,
                verdict=one.verdict,
                verdict_text="; ".join(
                    [verdict.sentence(name, one.judgements), *outputs_told(made.chosen.outputs), note]
                ),
                candidates=[replace(one, layers_note=note)],
                notes=[note, *verdict.unknown(found.dead)],
                task=replace(told.Task.of(found.task), outputs=made.chosen.outputs.titles),
                failed=diagnoses.failed,
            ),
            root,
        )


def _rows(made: bundle.Bundle, folder: Path, first: np.ndarray, second: np.ndarray) -> Rows:
    """Outputs in the order in which inputs were made, without those of repeats."""
    stored = read_arrays(folder / bundle.ROWS)
    own = np.setdiff1d(np.arange(made.shape[0]), stored["repeats"][:, 0])
    given, changed = own[: made.given], own[made.given :]
    return Rows(
        {name: value for name, value in stored.items() if name not in ("source", "repeats")},
        Outputs(first[given], second[given]),
        Outputs(first[changed], second[changed]),
    )


def _networks(rows: Rows, inputs: Inputs) -> tuple[Network, Network]:
    """Both networks, on the inputs of the bundle."""
    digests = [digest(one) for one in inputs.take(inputs.test)]
    digests += rows.columns["digest"][rows.columns["valid"]].tolist()
    given, changed = rows.given, rows.changed
    return (
        recalled(digests, np.concatenate([given.original, changed.original])),
        recalled(digests, np.concatenate([given.compressed, changed.compressed])),
    )


def _record(paths: Paths, name: str, tool: Planned, inputs: Inputs, rows: Rows, known: bool) -> None:
    """Write the records of random sampling, as a search of both networks would.

    ``known``: whether outputs are logits, so that they have a fitness.
    """
    ready, stated = bundle.tool_of(tool, paths, inputs)
    settings = {
        "subject": names_of(name, tool.protocol),
        "tool": tool.id,
        "tool_settings": stated,
        "distortions": ready.space.distortions,
        "goal": tool.budget.stop.goal,
        "candidates": tool.budget.candidates,
        "domain": Domain.of(inputs).settings,
        "sha256": {},
        "functions": ["original", "compressed"],
    }
    with writing(place_of(paths, name, tool)[1], settings) as writer:
        for number, (run_seed, index) in enumerate(seed_inputs.read(paths.seeds(DATASET, MODEL, tool.protocol), BLOCK)):
            seed, label = inputs.take([index]), int(inputs.labels[index])
            problem = Problem(DATASET, run_seed, (index,), seed, (label,), ready.space, generations=1)
            labels = rows.given.original[[index]].argmax(axis=1), rows.given.compressed[[index]].argmax(axis=1)
            record = SearchRecord(
                problem,
                0,
                tool.id,
                Seed(number, *labels, np.array([digest(seed[0])], np.uint64), np.zeros(1, bool)),
                tool.vectors["sample"] if isinstance(tool.vectors, dict) else None,
                int(inputs.clusters([index])[0]),
            )
            for step in _steps(number, index, ready, rows, known):
                record.add(step)
            writer.add(number, [record])


def _steps(number: int, index: int, ready: Tool, rows: Rows, known: bool) -> Iterator[Step]:
    """The generations that were drawn of one seed input."""
    columns = rows.columns
    after_valid = np.cumsum(columns["valid"]) - 1
    own = columns["seed"] == index
    # Numbers alone: text in a damaged file is refused.
    for generation in np.unique(columns["generation"][own]).astype(np.int32, casting="same_kind").tolist():
        places = np.flatnonzero(own & (columns["generation"] == generation))
        valid, count = columns["valid"][places], len(places)
        at = after_valid[places[valid]]
        both = Outputs(rows.changed.original[at], rows.changed.compressed[at])
        before, after = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
        before[valid], after[valid] = both.original.argmax(axis=1), both.compressed.argmax(axis=1)
        scores = np.full((count, 1), np.nan)
        if known:
            scores[valid] = ready.objective.score(both)[:, :1]
        nothing, zeros, disagree = np.empty((count, 0), np.float32), np.zeros(count), before != after
        tell = Tell(nothing, valid, zeros, nothing, nothing, before, after, disagree, scores)
        active, psnr, digests = (columns[name][places] for name in ("active", "psnr", "digest"))
        done = Evaluated(tell, tell.valid, scores, active, psnr, digests, zeros)
        yield Step(number, generation, columns["vector"][places], None, done, disagree, zeros)
