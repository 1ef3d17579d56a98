"""Assessment of one compressed network: its searches and all results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quantrift.core.base import table_files
from quantrift.core.base.files import read_json, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.table_columns import joined
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.layer_comparison import SHOWN
from quantrift.core.networks.layer_errors import LayerError, of_entry
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.networks.runtime import file_digest, files_of, module, runtime_of
from quantrift.core.pairs.channels import Dead
from quantrift.core.pairs.tasks import classify
from quantrift.core.search.record_columns import searches_path
from quantrift.judge.intake.given_functions import Called, unknown
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict import assessment as told
from quantrift.judge.verdict import dii_file, verdict
from quantrift.judge.verdict.candidate_searches import Subject, search
from quantrift.judge.verdict.clean_inputs import clean, margins
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.profiles import Plan
from quantrift.judge.verdict.record_summary import needs, result, shrunk
from quantrift.judge.verdict.suspects import suspects
from quantrift.judge.verdict.tool_result import ToolResult
from quantrift.judge.verdict.under_task import OnTask


@dataclass(frozen=True, eq=False)
class Layers:
    """Errors of each candidate's layers on the inputs as given."""

    of: Mapping[str, Sequence[LayerError]]
    """Name -> layers in the order of computation; none where they cannot be seen."""

    def suspected(self, subject: Subject) -> dict[str, str]:
        """Layers of a candidate that seem to be quantized wrongly -> why."""
        others = {name: layers for name, layers in self.of.items() if name != subject.name}
        return suspects(self.of[subject.name], others)


def candidate(
    subject: Subject,
    inputs: Inputs,
    plan: Plan,
    both: Comparison,
    layers: Layers,
    labelled: bool,
    limits: told.Limits,
    root: Path,
    diagnoses: Diagnoses,
    findings: Sequence[str] = (),
    of_task: OnTask | None = None,
    more: Sequence[told.Judgement] = (),
) -> told.Candidate:
    """Search a candidate and collect its results.

    Args:
        subject: with its results folder, in which everything that searches need is ready.
        inputs: given inputs.
        plan: planned searches.
        both: logits of both networks on all inputs.
        layers: of all candidates.
        labelled: whether labels were given.
        limits: limits of the verdict.
        root: folder of the assessment, relative to which files are named.
        diagnoses: computes what decides nothing.
        findings: other faults of the candidate, one line each.
        of_task: both networks under another task than classification.
        more: judgements beside those on the limits.
    """
    name = subject.name
    found = {tool.id: search(subject, tool, plan, diagnoses) for tool in plan.tools}
    tools = [result(tool, found[tool.id], inputs.class_names, root) for tool in plan.tools]
    file = root / name / "dii.npz"
    natural = [tool.id for tool in plan.tools if tool.judged]
    sampling = [tool.id for tool in plan.tools if tool.judged and tool.samples]
    searching = [name for name in natural if name not in sampling]
    titles = {tool.id: tool.title for tool in plan.tools}
    values = subject.original.values, subject.compressed.values
    judged = dii_file.Judged(
        both, inputs, limits, labelled, sampling, searching, titles, of_task, values, subject.original.chosen
    )
    rows = dii_file.write({name: files.records for name, files in found.items()}, file, judged)
    of_clean = clean(both, inputs, labelled, of_task)
    if of_task is None:
        searched, hit = searched_from(found[tool].records for tool in natural)
        of_clean = replace(of_clean, margins=diagnoses(f"{name}: margins", [], margins, both, searched, hit))
    dead = (
        dead_logits(subject.original, subject.compressed, both, inputs.class_names) if of_task is None else of_task.dead
    )
    limited = verdict.judged(
        on_given(of_clean, of_task, len(inputs), dead), [of_tool(tool) for tool in tools if tool.judged], limits
    )
    judgements = [*more, *limited]
    errors = layers.of[name]
    reduced = {tool: path for tool in natural if (path := found[tool].shrunk)}
    return told.Candidate(
        name=name,
        model=model_of(subject.compressed),
        audit=diagnoses(f"{name}: audit of operations", None, _audit, subject),
        clean=of_clean,
        tools=tools,
        shrunk=[
            one
            for tool, path in reduced.items()
            for one in diagnoses(f"{name}: shrunk examples", [], shrunk, tool, path, inputs.class_names, rows[tool])
        ],
        needs=[
            need
            for tool, path in reduced.items()
            for need in diagnoses(f"{name}: changes that suffice", [], needs, tool, path)
        ],
        layers=diagnoses(f"{name}: layers", [], _layers, subject, layers, [found[tool].layers for tool in natural]),
        layers_note=_note(subject, errors),
        dii_file=file.relative_to(root).as_posix(),
        records=subject.paths.root.relative_to(root).as_posix(),
        verdict=verdict.worst(one.verdict for one in judgements),
        judgements=judgements,
        findings=[*findings, *_not_finite(errors)],
    )


def _not_finite(errors: Sequence[LayerError]) -> list[str]:
    """Line on the first layer of the original that gives NaN or infinity; of the compressed network it is suspected."""
    return [
        f"layer {one.layer} of the original gives NaN or infinity on {one.not_finite_original} of {one.inputs} inputs, "
        "before any other of its layers"
        for one in errors
        if one.not_finite_original
    ][:1]


def searched_from(records: Iterable[Path]) -> tuple[set[int], set[int]]:
    """Numbers of the seed inputs of some tools' searches, and of those with a disagreement, from their records."""
    searches = joined([table_files.read(searches_path(path), ["input", "dii"]) for path in records])
    return set(searches["input"].tolist()), set(searches["input"][searches["dii"] > 0].tolist())


def dead_logits(original: Ready, compressed: Ready, both: Comparison, class_names: Sequence[str]) -> list[Dead]:
    """Logits that the original alone moves on the inputs as given; none of networks that end in probabilities."""
    if original.probabilities or compressed.probabilities:
        return []
    found = classify.Settings().dead({"logits": both.of_original}, {"logits": both.of_compressed})
    return [replace(one, channel=class_names[int(one.channel)]) for one in found]


def on_given(clean: told.Clean, of_task: OnTask | None, inputs: int, dead: Sequence[Dead] = ()) -> verdict.OnGiven:
    """Figures on the inputs as given that are judged, and channels of outputs that the original alone moves."""
    accuracy = "accuracy" if of_task is None else of_task.task.ACCURACY
    figures = clean.disagreement, clean.disagreeing, clean.right_to_wrong, clean.drop, clean.classes
    return verdict.OnGiven(*figures, inputs, accuracy, dead)


def of_tool(tool: ToolResult) -> verdict.OfTool:
    """Figures of a tool that are judged."""
    return verdict.OfTool(tool.title, tool.samples, tool.searches, tool.successes, tool.dir_valid, tool.sr)


def model_of(network: Ready) -> told.Model:
    """Facts on a given network; of a function, its name."""
    if isinstance(network, Called):
        return told.Model(network.given.name, None, None)
    size = sum(one.stat().st_size for one in files_of(network.file))
    return told.Model(network.given.name, file_digest(network.file), size, network.runtime)


def _audit(subject: Subject) -> told.Audit | None:
    """The audit of a .tflite file, which is written beside it; ``None`` of others."""
    given = subject.compressed
    if isinstance(given, Called) or runtime_of(given.path) != "litert":
        return None
    from quantrift.core.networks.operation_audit import audit, not_int8

    report = audit(given.path)
    write_json(subject.audit, report)
    return told.Audit(report["int8_mac_share"], not_int8(report), report["weight_bits"])


def _layers(subject: Subject, layers: Layers, files: Sequence[Path | None]) -> list[told.Layer]:
    """Layers on the inputs, and on the findings of the last natural tool that has any."""
    suspected = layers.suspected(subject)
    sides: dict[str, list[LayerError]] = {}
    for file in files:
        if file is not None and (of_both := read_json(file))["dii"]:
            sides = {side: [of_entry(one) for one in of_both[side]] for side in of_both}
    at = {side: {one.layer: one.sqnr_db for one in of_side} for side, of_side in sides.items()}
    if (broken := next((one for one in sides.get("dii", ()) if one.not_finite), None)) is not None:
        # Inputs as given may show nothing of it.
        why = f"gives NaN or infinity on {broken.not_finite} of {broken.inputs} difference-inducing inputs"
        suspected = {broken.layer: why} | suspected
    return [
        told.Layer(
            layer=one.layer,
            type=one.type,
            sqnr_db=one.sqnr_db,
            added_sqnr_db=one.added_sqnr_db,
            cosine=one.cosine,
            sqnr_db_seeds=at.get("seed_inputs", {}).get(one.layer),
            sqnr_db_dii=at.get("dii", {}).get(one.layer),
            suspect=suspected.get(one.layer),
        )
        for one in layers.of[subject.name]
    ]


def _unseen(original: str, compressed: str) -> str:
    """Line on files, by their endings, whose layers cannot be compared."""
    seen = " or ".join(module(name).SUFFIXES[0] for name in SHOWN)
    if original == compressed:
        return f"layers of {original} files cannot be seen; give {seen} files"
    return f"layers cannot be matched between {original} and {compressed} files; give two {seen} files"


def _note(subject: Subject, errors: Sequence[LayerError]) -> str | None:
    """Reason why layers cannot be seen or compared."""
    functions = [one.given.name for one in (subject.original, subject.compressed) if isinstance(one, Called)]
    if functions:
        return unknown(functions)
    if subject.agreement is not None:
        return "layers are compared of classifiers alone"
    if subject.original.inputs:
        return "layers are compared of networks of one input alone"
    if not (subject.original.own_runtime and subject.compressed.own_runtime):
        return "layers are compared of files that are run as usual; name them without @"
    if not subject.shows_layers:
        return _unseen(subject.original.path.suffix, subject.compressed.path.suffix)
    alone = [one.layer for one in errors] == [OUTPUT]
    return "no layer but the output has the same name in both files" if alone else None
