"""Assessment of one compressed network: its searches and all results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quantrift.assess import assessment as told
from quantrift.assess import dii_file, verdict
from quantrift.assess.candidate_searches import Subject, search
from quantrift.assess.clean_inputs import clean
from quantrift.assess.given_functions import Called, unknown
from quantrift.assess.given_networks import Ready
from quantrift.assess.profiles import Plan
from quantrift.assess.record_summary import needs, result, shrunk
from quantrift.assess.suspects import suspects
from quantrift.assess.tool_result import ToolResult
from quantrift.assess.under_task import OnTask
from quantrift.base.files import read_json
from quantrift.compression.beside_original import Comparison
from quantrift.compression.layer_comparison import LayerError, of_entry
from quantrift.data import table_files
from quantrift.data.inputs import Inputs
from quantrift.data.table_columns import joined
from quantrift.models.graphs.layer_tensors import OUTPUT
from quantrift.models.layer_values.layered import SHOWN
from quantrift.models.runtime import beside, file_digest, module
from quantrift.search.record_columns import searches_path
from quantrift.subjects.channels import Dead
from quantrift.subjects.tasks import classify


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
    findings: Sequence[str] = (),
    of_task: OnTask | None = None,
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
        findings: other faults of the candidate, one line each.
        of_task: both networks under another task than classification.
    """
    found = {tool.id: search(subject, tool, plan) for tool in plan.tools}
    tools = [result(tool, found[tool.id], inputs.class_names, root) for tool in plan.tools]
    file = root / subject.name / "dii.npz"
    natural = [tool.id for tool in plan.tools if tool.judged]
    sampling = [tool.id for tool in plan.tools if tool.judged and tool.samples]
    searching = [name for name in natural if name not in sampling]
    titles = {tool.id: tool.title for tool in plan.tools}
    values = subject.original.values, subject.compressed.values
    judged = dii_file.Judged(
        both, inputs, limits, labelled, sampling, searching, titles, of_task, values, subject.original.chosen
    )
    rows = dii_file.write({name: files.records for name, files in found.items()}, file, judged)
    of_clean = clean(both, inputs, labelled, *searched_from(found[name].records for name in natural), of_task)
    dead = (
        dead_logits(subject.original, subject.compressed, both, inputs.class_names) if of_task is None else of_task.dead
    )
    judgements = verdict.judged(
        on_given(of_clean, of_task, len(inputs), dead), [of_tool(tool) for tool in tools if tool.judged], limits
    )
    errors = layers.of[subject.name]
    return told.Candidate(
        name=subject.name,
        model=model_of(subject.compressed),
        audit=_audit(subject.audit),
        clean=of_clean,
        tools=tools,
        shrunk=[
            one
            for name in natural
            if (path := found[name].shrunk)
            for one in shrunk(name, path, inputs.class_names, rows[name])
        ],
        needs=[need for name in natural if (path := found[name].shrunk) for need in needs(name, path)],
        layers=_layers(errors, layers.suspected(subject), [found[name].layers for name in natural]),
        layers_note=_note(subject, errors),
        dii_file=file.relative_to(root).as_posix(),
        records=subject.paths.root.relative_to(root).as_posix(),
        verdict=verdict.worst(one.verdict for one in judgements),
        judgements=judgements,
        findings=list(findings),
    )


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
    """Facts on a given network; of a function, its name; of a SavedModel, on its graph."""
    if isinstance(network, Called):
        return told.Model(network.given.name, None, None)
    file = network.file / "saved_model.pb" if network.file.is_dir() else network.file
    size = sum(one.stat().st_size for one in (file, *beside(file, file)))
    return told.Model(network.given.name, file_digest(file), size, network.runtime)


def _audit(path: Path) -> told.Audit | None:
    if not path.is_file():
        return None
    from quantrift.compression.operation_audit import not_int8

    report = read_json(path)
    return told.Audit(report["int8_mac_share"], not_int8(report), report["weight_bits"])


def _layers(
    errors: Sequence[LayerError], suspected: Mapping[str, str], files: Sequence[Path | None]
) -> list[told.Layer]:
    """Layers on the inputs, and on the findings of the last natural tool that has any."""
    sides: dict[str, list[LayerError]] = {}
    for file in files:
        if file is not None and (of_both := read_json(file))["dii"]:
            sides = {side: [of_entry(one) for one in of_both[side]] for side in of_both}
    at = {side: {one.layer: one.sqnr_db for one in of_side} for side, of_side in sides.items()}
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
        for one in errors
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
