"""Assessment of one compressed network: its searches and all results."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from quantrift.core.base import table_files
from quantrift.core.base.files import read_json, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.table_columns import joined
from quantrift.core.networks.layer_comparison import SHOWN
from quantrift.core.networks.layer_errors import LayerError, of_entry
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.networks.runtime import file_digest, files_of, module, runtime_of
from quantrift.core.search.record_columns import searches_path
from quantrift.judge.intake.given_functions import Called, unknown
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict import assessment as told
from quantrift.judge.verdict import dii_file, verdict
from quantrift.judge.verdict.candidate_searches import DATASET, MODEL, RECORDS, Subject, exchanged, explained, search
from quantrift.judge.verdict.clean_inputs import compared, foretold, margins
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.profiles import Plan, Planned
from quantrift.judge.verdict.record_summary import Files, needs, result, shrunk
from quantrift.judge.verdict.suspects import suspects
from quantrift.judge.verdict.tool_result import ToolResult

EXCHANGED, ON, NUMBERS = 3, 64, 1_000_000
"""Suspected layers whose error is put into the original at most, and inputs on which that is done."""


def candidate(
    subject: Subject,
    plan: Plan,
    searched: Mapping[Planned, Files],
    layers: Mapping[str, Sequence[LayerError]],
    judged: dii_file.Judged,
    root: Path,
    diagnoses: Diagnoses,
    findings: Sequence[str] = (),
    more: Sequence[told.Judgement] = (),
    shown: Sequence[str] = (),
) -> told.Candidate:
    """Look for causes in a candidate whose verdict is known, and collect its results.

    Args:
        subject: with its results folder, in which everything that searches need is ready.
        plan: planned searches.
        searched: each tool that is judged -> its result files.
        layers: name of each candidate -> errors of its layers on the inputs as given, in the order of computation; none
            where they cannot be seen.
        judged: facts behind the verdict beside the searches.
        root: folder of the assessment, relative to which files are named.
        diagnoses: computes what decides nothing.
        findings: other faults of the candidate, one line each.
        more: judgements beside those on the limits.
        shown: causes that experiments show; no layer is suspected then.
    """
    name, errors = subject.name, layers[subject.name]
    natural = [*searched]
    found = {tool: explained(subject, tool, files, plan.size, diagnoses) for tool, files in searched.items()}
    found |= {tool: search(subject, tool) for tool in plan.tools if not tool.judged}
    one, rows = results(name, model_of(subject.compressed), found, judged, root, diagnoses, more)
    reduced = {tool.id: path for tool in natural if (path := found[tool].shrunk)}
    of_layers: list[told.Layer] = diagnoses(
        f"{name}: layers",
        [],
        layers_of,
        errors,
        {other: of_other for other, of_other in layers.items() if other != name},
        [found[tool].layers for tool in natural],
        bool(shown),
    )
    return replace(
        one,
        audit=diagnoses(f"{name}: audit of operations", None, _audit, subject),
        shrunk=[
            example
            for tool, path in reduced.items()
            for example in diagnoses(
                f"{name}: shrunk examples", [], shrunk, tool, path, judged.inputs.class_names, rows[tool]
            )
        ],
        needs=[
            need
            for tool, path in reduced.items()
            for need in diagnoses(f"{name}: changes that suffice", [], needs, tool, path)
        ],
        layers=diagnoses(f"{name}: exchanged layers", of_layers, with_exchanged, subject, judged.inputs, of_layers),
        layers_note=why_no_layers(subject, errors),
        findings=[*findings, *shown, *broken_original(errors)],
    )


def results(
    name: str,
    model: told.Model,
    found: Mapping[Planned, Files],
    judged: dii_file.Judged,
    root: Path,
    diagnoses: Diagnoses,
    more: Sequence[told.Judgement] = (),
    margins_of: Sequence[str] = ("original", "compressed"),
) -> tuple[told.Candidate, dict[str, dict[tuple[int, int], int]]]:
    """Results of searches, whose disagreements are written to ``dii.npz``, and of the inputs as given.

    Args:
        name: of the candidate.
        model: its file.
        found: each tool -> its result files.
        judged: as ``candidate`` takes it; likewise the rest.
        root: likewise.
        diagnoses: likewise.
        more: likewise.
        margins_of: networks whose logits are known.

    Returns:
        The candidate without what explains the verdict, and what ``dii_file.write`` returns.
    """
    both, on_task, inputs, file = judged.both, judged.found, judged.inputs, root / name / "dii.npz"
    tools = [result(tool, files, inputs.class_names, root) for tool, files in found.items()]
    rows = dii_file.write({tool.id: files.records for tool, files in found.items()}, file, judged)
    of_clean = compared(both, on_task, inputs.class_names)
    if on_task.agreement is None:
        records = [searches_path(files.records) for tool, files in found.items() if tool.judged]
        searches = joined([table_files.read(path, ["input", "dii"]) for path in records])
        searched, hit = set(searches["input"].tolist()), set(searches["input"][searches["dii"] > 0].tolist())
        of_both = diagnoses(f"{name}: margins", [], margins, both, searched, hit)
        of_clean = replace(of_clean, margins=[one for one in of_both if one.network in margins_of])
        if "compressed" in margins_of:
            clusters = inputs.clusters(inputs.test)
            share, note = diagnoses(f"{name}: margin law", (of_clean.foretold, None), foretold, both, clusters)
            of_clean = replace(of_clean, foretold=share, foretold_note=note)
    judgements = [*more, *decided(tools, judged)]
    return told.Candidate(
        name=name,
        model=model,
        audit=None,
        clean=of_clean,
        tools=tools,
        shrunk=[],
        needs=[],
        layers=[],
        layers_note=None,
        dii_file=file.relative_to(root).as_posix(),
        records=f"{name}/{RECORDS}",
        verdict=verdict.worst(one.verdict for one in judgements),
        judgements=judgements,
    ), rows


def decided(tools: Sequence[ToolResult], judged: dii_file.Judged) -> list[told.Judgement]:
    """Judgements on the limits, by the inputs as given and by the tools that are judged."""
    return verdict.judged(
        compared(judged.both, judged.found, judged.inputs.class_names),
        len(judged.inputs),
        [tool for tool in tools if tool.judged],
        judged.limits,
        judged.found.task.ACCURACY,
        judged.found.dead,
    )


def model_of(network: Ready) -> told.Model:
    """Facts on a given network; of a function, its name."""
    if isinstance(network, Called):
        return told.Model(network.given.name, None, None)
    return told.Model(
        network.given.name,
        file_digest(network.file),
        sum(one.stat().st_size for one in files_of(network.file)),
        network.runtime,
    )


def _audit(subject: Subject) -> told.Audit | None:
    """The audit of a .tflite file, which is written beside it; ``None`` of others."""
    given = subject.compressed
    if isinstance(given, Called) or runtime_of(given.path) != "litert":
        return None
    from quantrift.core.networks.operation_audit import audit, not_int8

    report = audit(given.path)
    write_json(subject.paths.compressed(DATASET, MODEL, subject.name) / "audit.json", report)
    return told.Audit(report["int8_mac_share"], not_int8(report), report["weight_bits"])


def broken_original(errors: Sequence[LayerError]) -> list[str]:
    """The first layer of the original that gives NaN or infinity, one line; none where all are finite."""
    # Of the compressed network, such a layer is suspected.
    return [
        f"layer {one.layer} of the original gives NaN or infinity on {one.not_finite_original} of {one.inputs} inputs, "
        "before any other of its layers"
        for one in errors
        if one.not_finite_original
    ][:1]


def layers_of(
    errors: Sequence[LayerError],
    others: Mapping[str, Sequence[LayerError]],
    files: Sequence[Path | None] = (),
    explained: bool = False,
) -> list[told.Layer]:
    """Layers on the inputs, and on the findings of the last natural tool that has any.

    Args:
        errors: of the layers on the inputs.
        others: name of each other candidate -> likewise.
        files: of each natural tool.
        explained: whether disagreements have another cause, so that no layer is suspected.
    """
    suspected = {} if explained else suspects(errors, others)
    found = [of_both for file in files if file is not None and (of_both := read_json(file))["dii"]]
    sides = {side: [of_entry(one) for one in entries] for side, entries in found[-1].items()} if found else {}
    at = {side: {one.layer: one.sqnr_db for one in of_side} for side, of_side in sides.items()}
    if (broken := next((one for one in sides.get("dii", ()) if one.not_finite), None)) is not None:
        # Inputs as given may show nothing of it.
        suspected = {
            broken.layer: f"gives NaN or infinity on {broken.not_finite} of {broken.inputs} difference-inducing inputs"
        } | suspected
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


def with_exchanged(subject: Subject, inputs: Inputs, layers: list[told.Layer]) -> list[told.Layer]:
    """The layers, where the likeliest of those suspected say how many labels their own error changes."""
    # Under a task no label would change.
    names = [] if subject.agreement else [one.layer for one in told.suspected(layers)[:EXCHANGED]]
    rows = inputs.test[: max(8, min(ON, NUMBERS // inputs.take([0]).size))]
    differ, changed = exchanged(subject, inputs, rows, names) if names else (0, {})
    return [
        replace(
            one,
            changed=changed[one.layer],
            suspect=f"{one.suspect}; put into the original, its error alone changes {changed[one.layer]} of "
            f"{len(rows)} labels, and the compressed network {differ}",
        )
        if one.layer in changed
        else one
        for one in layers
    ]


def why_no_layers(subject: Subject, errors: Sequence[LayerError]) -> str | None:
    """Reason why layers cannot be seen or compared."""
    functions = [one.given.name for one in (subject.original, subject.compressed) if isinstance(one, Called)]
    if functions:
        return unknown(functions)
    reasons = {
        "layers are compared of networks of one output alone": subject.has_more_outputs,
        "layers are compared of networks of one input alone": bool(subject.original.chosen.inputs),
        "layers are compared of files that are run as usual; name them without @": not (
            subject.original.own_runtime and subject.compressed.own_runtime
        ),
        "no layer but the output has the same name in both files": [one.layer for one in errors] == [OUTPUT],
    }
    reason = next((text for text, holds in reasons.items() if holds), None)
    if reason is not None or subject.shows_layers:
        return reason
    original, compressed = subject.original.path.suffix, subject.compressed.path.suffix
    seen = " or ".join(module(name).SUFFIXES[0] for name in SHOWN)
    if original == compressed:
        return f"layers of {original} files cannot be seen; give {seen} files"
    return f"layers cannot be matched between {original} and {compressed} files; give two {seen} files"
