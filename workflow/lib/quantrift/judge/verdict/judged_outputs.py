"""Verdict on the outputs of a device, by the rules of an assessment; no network is run."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from quantrift.core.base.arrays import read_arrays
from quantrift.core.base.files import replacing, sha256
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.function import Values
from quantrift.core.pairs import seed_inputs
from quantrift.core.pairs.pair import Outputs
from quantrift.core.pairs.task_pair import FILE as TASK
from quantrift.core.search.engine import Seed, Step
from quantrift.core.search.evaluator import Evaluated, digest
from quantrift.core.search.messages import Problem, Tell
from quantrift.core.search.record_columns import searches_path
from quantrift.core.search.search_record import SearchRecord, Writer
from quantrift.core.search.space import Domain
from quantrift.core.search.tool import Tool
from quantrift.core.statistics import run_seeds
from quantrift.judge.intake.chosen_ends import told as outputs_told
from quantrift.judge.intake.given_inputs import told_names
from quantrift.judge.verdict import assessment as told
from quantrift.judge.verdict import assessment_page, bundle, device_outputs, dii_file, verdict
from quantrift.judge.verdict.assessment import LIMITS, Assessment, Limits
from quantrift.judge.verdict.bundled_task import BundledTask, Recalled, compared
from quantrift.judge.verdict.candidate import of_tool, on_given, searched_from
from quantrift.judge.verdict.candidate_searches import BLOCK, DATASET, MODEL, share
from quantrift.judge.verdict.clean_inputs import clean, margins
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.folder import appearing
from quantrift.judge.verdict.profiles import Planned, Settings
from quantrift.judge.verdict.record_summary import Files as Found
from quantrift.judge.verdict.record_summary import result
from quantrift.judge.verdict.run import named
from quantrift.judge.verdict.under_task import OnTask, on_task


@dataclass(frozen=True)
class Asked:
    """Options of a judgement."""

    limits: Limits = field(default=LIMITS)
    values: Values | None = None
    """Meaning of the outputs; labels need none."""
    command: str = ""


@dataclass(frozen=True, eq=False)
class Rows:
    """Outputs of both networks on a bundle."""

    columns: dict[str, np.ndarray]
    """As ``bundle.Drawn.columns``."""
    given: Outputs
    """On the inputs as given."""
    changed: Outputs
    """On the valid changes."""


@dataclass(frozen=True, eq=False)
class UnderTask:
    """A bundle whose outputs are compared under another task than classification."""

    found: OnTask
    rows: Rows
    """Outputs of a pair that tells whether both agree."""
    networks: tuple[Recalled, Recalled]
    """Both networks, on the inputs of the bundle."""


def judge(
    folder: Path, outputs: Path, out: Path, asked: Asked | None = None, original_outputs: Path | None = None
) -> Assessment:
    """Compare outputs of a device with those of the original, and judge them.

    Writes what ``quantrift assess`` writes, as far as random sampling gives it: there is no search.

    Args:
        folder: of the bundle.
        outputs: of the compressed network on its inputs (``quantrift.judge.verdict.device_outputs``).
        out: folder of the assessment.
        asked: limits, and the meaning of outputs.
        original_outputs: of the original on the same device; those that came with the bundle otherwise.

    Raises:
        QuantriftError: the bundle was changed, or outputs do not belong to it.
    """
    with GivenFiles() as given:
        made, copy = bundle.read(folder, given)
        own = given.file(original_outputs) if original_outputs else None
        return _judge(made, copy, given.file(outputs), out, asked or Asked(), own, given)


def _judge(
    made: bundle.Bundle,
    folder: Path,
    outputs: Path,
    out: Path,
    asked: Asked,
    original_outputs: Path | None,
    given: GivenFiles,
) -> Assessment:
    """The same of copies of the files."""
    second = device_outputs.read(outputs, made, asked.values)
    stored = read_arrays(folder / bundle.ORIGINAL)
    first = device_outputs.read(original_outputs, made, asked.values) if original_outputs else None
    before = stored["outputs"] if first is None else first.logits
    rows = _rows(made, read_arrays(folder / bundle.ROWS), before, second.logits)
    [name] = named([outputs])
    aside = Paths(folder / bundle.ASIDE)
    inputs = Inputs.load(aside.inputs(DATASET, MODEL))
    judged = None
    if made.task is not None:
        judged = _under_task(made, made.task, rows, inputs, stored.get("truth"))
        rows = judged.rows
    tool = bundle.sampler(Settings(made.profile, made.space), inputs)
    with appearing(out, given.sources) as root:
        paths = Paths(root / name / "records")
        share(aside, paths)
        if judged is not None:
            with replacing(paths.compressed(DATASET, MODEL, name) / TASK) as temporary:
                temporary.write_text(judged.found.agreement.dumped(), encoding="utf-8")
        known = asked.values is not None or judged is not None
        records = _recorded(paths, name, tool, inputs, rows, known)
        diagnoses = Diagnoses()
        one = _candidate(root, name, tool, records, made, inputs, rows, outputs, asked, judged, diagnoses)
        note = (
            f"{name}: judged by the outputs of a device ({outputs.name}) on a bundle, by random sampling alone: no "
            "search looked for disagreements. Operations and their types, layers, size and digest of the compressed "
            "network are unknown"
        )
        origin = f"outputs in {original_outputs.name}" if original_outputs else "the outputs stored in the bundle"
        meaning: str = (
            asked.values or "unknown, so that labels count and margins of the compressed network are left out"
        )
        if judged is not None:
            meaning = f"values as they are; agreement ({judged.found.task.NAME}): {judged.found.task.definition}"
        whole = Assessment(
            command=asked.command,
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
                classes=inputs.class_names if judged is None else [],
                labelled=made.labelled,
                kind=made.kind,
                **told_names(inputs),
            ),
            assumed=[
                *made.assumed,
                f"bundle {made.bundle[:12]}: {made.how}",
                f"original: {origin}",
                f"meaning of the outputs: {meaning}",
                *(first.assumed if first else []),
                *second.assumed,
            ],
            seeds=made.seeds,
            limits=asked.limits,
            verdict=one.verdict,
            verdict_text="; ".join([verdict.sentence(name, one.judgements), *outputs_told(made.chosen.outputs), note]),
            candidates=[replace(one, layers_note=note)],
            notes=[note, *([] if judged is None else verdict.unknown(judged.found.dead))],
            task=replace(
                told.Task() if judged is None else told.Task.of(judged.found.task),
                outputs=made.chosen.outputs.titles,
            ),
            failed=diagnoses.failed,
        )
        whole = assessment_page.written(whole, root)
    return whole


def _rows(made: bundle.Bundle, stored: dict[str, np.ndarray], first: np.ndarray, second: np.ndarray) -> Rows:
    """Outputs in the order in which inputs were made, without those of repeats."""
    own = np.setdiff1d(np.arange(made.shape[0]), stored["repeats"][:, 0])
    before, after = first[own], second[own]
    count = made.given
    columns = {name: value for name, value in stored.items() if name not in ("source", "repeats")}
    return Rows(columns, Outputs(before[:count], after[:count]), Outputs(before[count:], after[count:]))


def _under_task(
    made: bundle.Bundle, task: BundledTask, rows: Rows, inputs: Inputs, truth: np.ndarray | None
) -> UnderTask:
    """The outputs of a bundle under its task."""
    given, changed = rows.given, rows.changed
    values = given.original, given.compressed
    found = on_task(task.agreement, values, truth, Path(made.original), Path(made.inputs))
    digests = [digest(one) for one in inputs.take(inputs.test)]
    digests += rows.columns["digest"][rows.columns["valid"]].tolist()
    networks = (
        Recalled.of(digests, np.concatenate([given.original, changed.original])),
        Recalled.of(digests, np.concatenate([given.compressed, changed.compressed])),
    )
    both = [compared(found.agreement, one.original, one.compressed) for one in (given, changed)]
    return UnderTask(found, Rows(rows.columns, *both), networks)


def _recorded(paths: Paths, name: str, tool: Planned, inputs: Inputs, rows: Rows, known: bool) -> Path:
    """Write the records of random sampling, as a search of both networks would; returns the candidates table.

    ``known``: whether outputs are logits, so that they have a fitness.
    """
    ready, stated = bundle.tool_of(tool, paths, inputs)
    names = {"dataset": DATASET, "model": MODEL, "compression": name, "protocol": tool.protocol}
    out = paths.searches(DATASET, MODEL, name, tool.id, tool.protocol) / f"{BLOCK.name}.npz"
    settings = {
        "subject": names,
        "tool": tool.id,
        "tool_settings": stated,
        "distortions": ready.space.distortions,
        "goal": tool.budget.stop.goal,
        "candidates": tool.budget.candidates,
        "domain": Domain.of(inputs).settings,
        "sha256": {},
        "functions": ["original", "compressed"],
    }
    limit = tool.vectors["sample"] if isinstance(tool.vectors, dict) else None
    with Writer(out, settings) as writer:
        chosen = seed_inputs.read(paths.seeds(DATASET, MODEL, tool.protocol), BLOCK)
        for number, (run_seed, index) in enumerate(chosen):
            seed = inputs.take([index])
            problem = Problem(
                DATASET, run_seed, (index,), seed, (int(inputs.labels[index]),), ready.space, generations=1
            )
            labels = rows.given.original[[index]].argmax(axis=1), rows.given.compressed[[index]].argmax(axis=1)
            event = Seed(number, *labels, np.array([digest(seed[0])], np.uint64), np.zeros(1, bool))
            cluster = int(inputs.clusters([index])[0])
            record = SearchRecord(problem, 0, tool.id, event, limit, cluster)
            for step in _steps(number, index, ready, rows, known):
                record.add(step)
            writer.add(number, [record])
    return out


def _steps(number: int, index: int, ready: Tool, rows: Rows, known: bool) -> Iterator[Step]:
    """The generations that were drawn of one seed input."""
    columns = rows.columns
    after_valid = np.cumsum(columns["valid"]) - 1
    own = columns["seed"] == index
    for generation in np.unique(columns["generation"][own]).tolist():
        places = np.flatnonzero(own & (columns["generation"] == generation))
        valid = columns["valid"][places]
        count = len(places)
        at = after_valid[places[valid]]
        both = Outputs(rows.changed.original[at], rows.changed.compressed[at])
        before, after = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
        before[valid], after[valid] = both.original.argmax(axis=1), both.compressed.argmax(axis=1)
        scores = np.full((count, 1), np.nan)
        if known:
            scores[valid] = ready.objective.score(both)[:, :1]
        nothing = np.empty((count, 0), np.float32)
        disagree = before != after
        tell = Tell(nothing, valid, np.zeros(count), nothing, nothing, before, after, disagree, scores)
        done = Evaluated(
            tell, scores, columns["active"][places], columns["psnr"][places], columns["digest"][places], np.zeros(count)
        )
        yield Step(number, generation, columns["vector"][places], None, done, disagree, np.zeros(count))


def _candidate(
    root: Path,
    name: str,
    tool: Planned,
    records: Path,
    made: bundle.Bundle,
    inputs: Inputs,
    rows: Rows,
    outputs: Path,
    asked: Asked,
    judged: UnderTask | None,
    diagnoses: Diagnoses,
) -> told.Candidate:
    """Results of random sampling and of the inputs as given."""
    paths = Paths(root / name / "records")
    key = DATASET, MODEL, name, tool.id, tool.protocol
    names = {"dataset": DATASET, "model": MODEL, "compression": name, "protocol": tool.protocol}
    metrics = paths.metrics(*key)
    run_seeds.write([searches_path(records)], {**names, "tool": tool.id}, metrics)
    sampled = result(tool, Found(records, metrics, None, None), inputs.class_names, root)
    both = Comparison(inputs.labels[inputs.test], rows.given.original, rows.given.compressed)
    file = root / name / "dii.npz"
    of_task, networks = (None, None) if judged is None else (judged.found, judged.networks)
    titles = {tool.id: tool.title}
    stored = dii_file.Judged(
        both,
        inputs,
        asked.limits,
        made.labelled,
        [tool.id],
        [],
        titles,
        of_task,
        networks,
        made.chosen,
    )
    dii_file.write({tool.id: records}, file, stored)
    of_clean = clean(both, inputs, made.labelled, of_task)
    if of_task is None:
        found = diagnoses(f"{name}: margins", [], margins, both, *searched_from([records]))
        known = [one for one in found if asked.values is not None or one.network == "original"]
        of_clean = replace(of_clean, margins=known)
    dead = () if of_task is None else of_task.dead
    judgements = verdict.judged(on_given(of_clean, of_task, len(inputs), dead), [of_tool(sampled)], asked.limits)
    return told.Candidate(
        name=name,
        model=told.Model(outputs.name, sha256(outputs), None),
        audit=None,
        clean=of_clean,
        tools=[sampled],
        shrunk=[],
        needs=[],
        layers=[],
        layers_note=None,
        dii_file=file.relative_to(root).as_posix(),
        records=paths.root.relative_to(root).as_posix(),
        verdict=verdict.worst(one.verdict for one in judgements),
        judgements=judgements,
    )
