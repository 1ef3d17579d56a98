"""Run of an assessment: from files and inputs to a verdict."""

import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.files import sha256
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.batches import runs
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.evaluate import flips, logits
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.judge.intake.chosen_ends import carried_along, compared
from quantrift.judge.intake.given_functions import Called, Function, unknown
from quantrift.judge.intake.given_inputs import told_names
from quantrift.judge.intake.given_networks import Ready, versions_of
from quantrift.judge.verdict import assessment as told
from quantrift.judge.verdict import assessment_page, ranking, verdict
from quantrift.judge.verdict.assessment import Assessment
from quantrift.judge.verdict.candidate import candidate, decided, model_of
from quantrift.judge.verdict.candidate_searches import (
    RECORDS,
    Subject,
    clean_layers,
    explained,
    place,
    prepare,
    search,
    share,
)
from quantrift.judge.verdict.causes import causes
from quantrift.judge.verdict.clean_inputs import open_on_given, open_on_seeds
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.dii_file import Judged
from quantrift.judge.verdict.float16_range import BATCH, of_range
from quantrift.judge.verdict.folder import appearing
from quantrift.judge.verdict.opened_networks import arrays_of, opened
from quantrift.judge.verdict.profiles import Plan, Planned, Settings, paced, plan
from quantrift.judge.verdict.record_summary import Files, result
from quantrift.judge.verdict.tool_result import CERTIFICATES, Certifier, Counted


def assess(
    original_path: Path | Function,
    compressed_paths: Sequence[Path | Function],
    inputs_path: Path,
    out: Path,
    settings: Settings | None = None,
    certifier: Certifier | None = None,
) -> Assessment:
    """Search for disagreements between a network and its compressed versions, and judge them.

    Writes the folder ``out``: ``assessment.json`` and ``report.html``; for each candidate ``<name>/dii.npz`` and
    ``<name>/records``, a results folder that ``quantrift replay`` reads. It appears whole, or not at all. The same
    files give the same results, times aside, on one type of processor.

    Args:
        original_path: .keras, .h5, a SavedModel, .tflite or .onnx; or a function, which is called in this process.
        compressed_paths: .tflite, .onnx or functions; at least one.
        inputs_path: .npz with inputs, and labels if there are any.
        out: folder; files of an earlier assessment there are replaced, others stay as they are.
        settings: profile, limits, names of arrays; quick, 5 % of DiR and 20 % of SR unless given.
        certifier: certifies each compressed network too, in ``<name>/certificates``; that decides no limit.

    Raises:
        QuantriftError: one line, if anything keeps it from running: files that are missing, damaged, exchanged or do
            not fit each other, or inputs that the networks were not made for.
    """
    with GivenFiles() as given:
        networks = [
            one if isinstance(one, Function) else given.network(one) for one in (*compressed_paths, original_path)
        ]
        return _assess(
            networks[-1], networks[:-1], given.file(inputs_path), out, settings or Settings(), certifier, given
        )


def _assess(
    original_path: Path | Function,
    compressed_paths: Sequence[Path | Function],
    inputs_path: Path,
    out: Path,
    settings: Settings,
    certifier: Certifier | None,
    given: GivenFiles,
) -> Assessment:
    """The same of copies of the files."""
    began = time.monotonic()
    if certifier is not None:
        _check_certifiable(settings, (original_path, *compressed_paths))
    refuse((not compressed_paths, "no compressed network was given; name one with --compressed"))
    arrays = arrays_of(inputs_path, settings)
    with (
        appearing(out, given.sources) as root,
        ForeignFiles() as files,
    ):
        pair = opened(original_path, compressed_paths, arrays, inputs_path, settings, given, files)
        first, networks, inputs, found, both_of = pair.first, pair.networks, pair.inputs, pair.found, pair.both
        said, assumed, labelled = pair.said, [*pair.assumed], pair.labelled
        if certifier is not None:
            certifier.check(inputs)
        diagnoses = Diagnoses(given.told)
        beyond, lines = of_range(
            first,
            networks,
            lambda _: (inputs.take(part) for _, part, _ in runs(inputs.test, BATCH)),
            len(inputs),
            diagnoses,
        )
        assumed += lines
        known = open_on_given(both_of, found, inputs.class_names, settings.limits)
        certified = {name: list[Counted]() for name in networks}
        if certifier is not None:
            # Before the searches, as what cannot be certified is told then.
            for name, one in networks.items():
                lines, folder = [*assumed, *said.assumed], root / name / CERTIFICATES
                certified[name] = diagnoses(
                    f"{name}: certificates", [], _certified, certifier, first, one, inputs, inputs_path, lines, folder
                )
        if settings.time_budget is not None:
            settings = paced(
                settings, began, lambda small: _tried(first, networks, inputs, plan(small, inputs), inputs_path)
            )
            assumed.append(
                f"time budget of {settings.time_budget:g} s: repeat it exactly with --seeds {settings.seeds} "
                f"--generations {settings.generations} in its place"
            )
        planned = plan(settings, inputs)
        of_first = next(iter(both_of.values()))
        known += open_on_seeds(of_first, planned, settings.limits)
        assumed += [*said.assumed, *pair.of_task]
        task = replace(told.Task.of(next(iter(found.values())).task), outputs=first.chosen.outputs.titles)
        assumed += _of_original(first, of_first, inputs, labelled, task.right)
        shown = {
            name: diagnoses(f"{name}: causes", [], causes, one, both_of[name], inputs, found[name])
            for name, one in networks.items()
        }
        # Searches load both networks anew, so what these hold would only stand beside it.
        files.close()
        shared: dict[int, np.ndarray] | None = {} if len(networks) > 1 else None
        subjects = [Subject(name, Paths(root / name / RECORDS), first, one, shared) for name, one in networks.items()]
        count = _prepare(subjects, inputs, planned, inputs_path)
        for one in (first, *networks.values()):
            one.release()
        layers = {
            one.name: diagnoses(f"{one.name}: layers", [], clean_layers, one, inputs, planned) for one in subjects
        }
        judged = {
            one.name: Judged(
                both_of[one.name],
                inputs,
                settings.limits,
                [tool for tool in planned.tools if tool.judged],
                found[one.name],
                (first.values, one.compressed.values),
                first.chosen,
            )
            for one in subjects
        }
        searched = {one.name: _searched(one, judged[one.name], root, beyond.get(one.name, ())) for one in subjects}
        candidates = [
            replace(
                candidate(
                    one,
                    planned,
                    searched[one.name],
                    layers,
                    judged[one.name],
                    root,
                    diagnoses,
                    [finding.text for finding in said.findings if finding.expected.name == one.compressed.given.name],
                    beyond.get(one.name, ()),
                    shown.get(one.name, ()),
                ),
                certified=certified[one.name],
            )
            for one in subjects
        ]
        functions = [one.given.name for one in (first, *networks.values()) if isinstance(one, Called)]
        said_of_functions = [unknown(functions)] if functions else []
        return assessment_page.written(
            Assessment(
                command=settings.command,
                profile=settings.profile,
                space=planned.space,
                versions=versions_of([first, *networks.values()]),
                original=model_of(first),
                inputs=told.Inputs(
                    file=inputs_path.name,
                    sha256=sha256(inputs_path),
                    number=len(inputs),
                    shape=inputs.searched.shape,
                    range=inputs.data_range,
                    classes=inputs.class_names if settings.task is None else [],
                    labelled=labelled,
                    kind=first.network.signature.kind,
                    **told_names(inputs),
                ),
                assumed=assumed,
                seeds=count,
                limits=settings.limits,
                verdict=verdict.worst(one.verdict for one in candidates),
                verdict_text="; ".join(
                    [
                        *(verdict.sentence(one.name, one.judgements) for one in candidates),
                        *(f"{one.name}: {counted.text}" for one in candidates for counted in one.certified),
                        *([carried_along(first.network.signature)] if first.chosen.inputs else []),
                        *compared(first.chosen.outputs),
                        *said_of_functions,
                    ]
                ),
                candidates=candidates,
                ranking=diagnoses("ranking", None, ranking.rank, candidates, root) if len(candidates) > 1 else None,
                notes=[*known, *planned.notes, *said_of_functions],
                task=task,
                failed=diagnoses.failed,
            ),
            root,
        )


def _searched(subject: Subject, judged: Judged, root: Path, more: Sequence[told.Judgement]) -> dict[Planned, Files]:
    """Result files of each tool that is judged; the verdict that follows is printed before causes are looked for."""
    found = {tool: search(subject, tool) for tool in judged.tools}
    tools = [result(tool, files, judged.inputs.class_names, root) for tool, files in found.items()]
    sys.stderr.write(f"{verdict.sentence(subject.name, [*more, *decided(tools, judged)])}\n")
    return found


def _check_certifiable(settings: Settings, paths: Sequence[Path | Function]) -> None:
    """Refuse to certify what is no classifier of one input in a file."""
    refuse(
        (
            settings.task is not None,
            "--certify: compares labels, and --task names another agreement; leave one of them out",
        ),
        (
            settings.form.change is not None or settings.form.outputs,
            "--certify: certifies networks of one input and one output; leave it out, or --change and --output",
        ),
        (
            any(isinstance(one, Function) for one in paths),
            "--certify: certifies networks in files, and one of these is a function; leave it out",
        ),
    )


def _certified(
    certifier: Certifier, first: Ready, one: Ready, inputs: Inputs, file: Path, assumed: Sequence[str], out: Path
) -> list[Counted]:
    """Certificates in ``out``, all or none."""
    try:
        return certifier(first, one, inputs, file, assumed, out)
    except Exception:
        shutil.rmtree(out, ignore_errors=True)
        raise


def _tried(
    first: Ready, networks: Mapping[str, Ready], inputs: Inputs, planned: Plan, file: Path
) -> tuple[float, float]:
    """Times of a small trial assessment, in which diagnoses may fail as they will in the whole one."""
    diagnoses = Diagnoses()
    with temporary_folder() as folder:
        began = time.monotonic()
        subjects = [Subject(name, Paths(Path(folder) / name), first, one) for name, one in networks.items()]
        _prepare(subjects, inputs, planned, file)
        prepared = time.monotonic()
        for one in subjects:
            diagnoses("layers", [], clean_layers, one, inputs, planned)
            for tool in planned.tools:
                files = search(one, tool)
                if tool.judged:
                    explained(one, tool, files, planned.size, diagnoses)
        return prepared - began, time.monotonic() - prepared


def _of_original(first: Ready, both: Comparison, inputs: Inputs, labelled: bool, right: str) -> Iterator[str]:
    """Lines on the original on the inputs, so that mistakes in either are seen."""
    if first.source is not None:
        changed = flips(logits(first.source, inputs, inputs.test), both.of_original)
        yield f"converted, the original gives {changed} of {len(inputs)} inputs another label than before"
    if labelled:
        meaning = "" if first.network is first.values else f" ({right})"
        yield f"the original is right{meaning} on {100 * both.before:.2f} % of {len(inputs)} inputs"


def _prepare(subjects: Sequence[Subject], inputs: Inputs, planned: Plan, file: Path) -> int:
    """Fill the results folders of all candidates; returns their common number of seed inputs."""
    source = subjects[0].paths
    count = prepare(source, inputs, subjects[0].original, planned)
    refuse(
        (
            not count,
            f"{file}: the original is right on none of the inputs, so that there is none to search from; "
            "look at the labels, and at how inputs are scaled",
        )
    )
    for other in subjects[1:]:
        share(source, other.paths)
    for subject in subjects:
        place(subject)
    return count
