"""Run of a mending: from a network and a compressed version of it that fails to one in mixed precision.

Its files: ``mended.tflite`` or ``mended.onnx``; ``recipe.json`` with ``ranges.json`` and ``float.tflite`` or
``float.onnx``, of which the quantizer makes it; ``fresh.npz`` and ``assessment``, inputs that nothing was chosen by and
the verdict on them; ``sensitivity.csv``, ``calibration.csv``, ``curve.csv``, ``fresh.csv``, ``curve.svg``,
``curve.png``; ``mend.json``, ``mend.timing.json`` and ``report.html``.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from quantrift.core.base import extras
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import replacing, sha256, write_json
from quantrift.core.base.paths import Paths
from quantrift.core.networks import runtime
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.foreign.requirements import check_independence
from quantrift.judge.intake import given_inputs
from quantrift.judge.intake.fitted_inputs import fitted
from quantrift.judge.intake.fitting_networks import check_fit, check_not_swapped
from quantrift.judge.intake.given_networks import Ready, compressed, original, versions_of
from quantrift.judge.mend import charts, fresh, latency, page
from quantrift.judge.mend import mending as told
from quantrift.judge.mend.builder import MODULES, Manner, builder, module
from quantrift.judge.mend.mending import Calibration, Mending
from quantrift.judge.mend.mixed_search import Search, searched
from quantrift.judge.mend.sample import PARTS, GivenPair, Sample, split
from quantrift.judge.mend.settings import RESTS, Settings
from quantrift.judge.mend.trials import Trials, correlations
from quantrift.judge.verdict.candidate import model_of
from quantrift.judge.verdict.candidate_searches import Subject
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.folder import appearing
from quantrift.judge.verdict.under_task import under_task
from quantrift.judge.verdict.verdict import too_few

RANGES = "ranges.json"


def mend(
    original_path: Path,
    compressed_path: Path,
    inputs_path: Path,
    out: Path,
    settings: Settings,
    announce: Callable[[str], None] = lambda _: None,
) -> Mending:
    """Find the fewest layers to leave in float so that a compressed network keeps its limits, and judge the result.

    Writes the folder ``out``; it appears whole, or not at all. The same files and
    seed give the same results on one type of processor.

    Args:
        original_path: .keras, .h5, a SavedModel or .tflite beside a compressed .tflite; .onnx beside .onnx.
        compressed_path: .tflite or .onnx.
        inputs_path: .npz with inputs, and labels if there are any.
        out: folder; files of an earlier mending there are replaced.
        settings: limits, seed and what else may be chosen.
        announce: told what comes next, before each part that may take a while.

    Raises:
        QuantriftError: one line, if anything keeps it from running; also where limits are too tight to be shown to be
            kept by the inputs given.
    """
    with GivenFiles() as given:
        first_path, second_path = given.network(original_path), given.network(compressed_path)
        file, form = given.file(inputs_path), replace(settings.form, values=settings.task is not None)
        refuse(
            (settings.changes < 1, f"--changes is {settings.changes}; give at least 1"),
            (not 0 <= settings.margin < 1, f"--margin is {settings.margin:g}; give a share below 1, like 25%"),
            (
                form.change is not None or form.outputs,
                "networks of one input and one output are mended; leave out change and outputs",
            ),
        )
        arrays = given_inputs.read(file, settings.array, settings.labels, form.values)
        form = replace(form, shape=arrays.values.shape[1:])
        with (
            appearing(out, given.sources) as root,
            ForeignFiles() as files,
        ):
            announce("both networks, read and run on all inputs")
            second = compressed(second_path, files, form)
            first = original(first_path, given.folder(), files, form)
            check_fit(first, second)
            both_quantized = check_not_swapped(first, second)
            _check_kinds(first, second)
            said = fitted(arrays, file, first, [second], form)
            for one in (first, second):
                check_independence(one.given, one.network, said.inputs)
            files.close()
            of_task: list[str] = []
            if settings.task is not None:
                first, others, _, of_task = under_task(
                    settings.task, first, {"compressed": second}, said.inputs, arrays.truth, file
                )
                second = others["compressed"]
            pair = GivenPair(
                original=first,
                compressed=second,
                base=Subject("given", Paths(root), first, second).layer_files[0],
                arrays=arrays,
                inputs=said.inputs,
                parts=split(len(said.inputs), settings.seed),
                settings=replace(settings, space=form.space),
            )
            as_given = module(second.runtime).manner(second.path)
            manner = replace(
                as_given,
                per_channel=as_given.per_channel if settings.weights == "as-given" else settings.weights == "channel",
                in_16_bits=settings.rest == "16-bit",
            )
            diagnoses = Diagnoses(given.told)
            announce(f"natural changes of {len(pair.parts['selection'])} inputs for the choice of layers")
            selection = pair.sample("selection", settings.changes)
            _check_decidable(selection, file)
            search = (
                None
                if selection.count(second.network).passes
                else searched(pair, manner, selection, diagnoses, announce)
            )
            notes = [] if search is None else _notes(pair, search)
            if search is not None and not manner.per_channel:
                notes += diagnoses("a scale for each output channel", [], _by_channel, pair, search, manner, selection)
            announce(f"the verdict on {len(pair.parts['fresh'])} fresh inputs")
            judged = fresh.judged(root, (first_path, second_path), pair, search, diagnoses)
            announce("latency on this machine, of one input")
            diagnoses("latency", None, latency.write, pair, root)
            if not as_given.quantized:
                in_float = "multiplies in float; networks mended here multiply in 8 bits with fixed ranges"
                notes.insert(0, f"{second.given.name}: {in_float}")
            assumed = [*first.assumed, *second.assumed, *filter(None, [both_quantized]), *said.assumed, *of_task]
            return _written(
                root, _whole(pair, file, search, notes, judged, assumed, diagnoses), search, pair, diagnoses
            )


def _whole(
    pair: GivenPair,
    inputs: Path,
    search: Search | None,
    notes: Sequence[str],
    judged: Mapping[str, Any],
    assumed: list[str],
    diagnoses: Diagnoses,
) -> Mending:
    """All results, with the list of failed diagnoses, which may still grow."""
    settings, versions = pair.settings, versions_of([pair.original, pair.compressed])
    nothing = Mending(
        command=settings.command,
        versions=versions,
        original=model_of(pair.original),
        compressed=model_of(pair.compressed),
        inputs=inputs.name,
        inputs_sha256=sha256(inputs),
        split=told.Split(settings.seed, *(len(pair.parts[part]) for part in PARTS)),
        limits=settings.limits,
        margin=settings.margin,
        notes=list(notes),
        assumed=assumed,
        failed=diagnoses.failed,
        **judged,
    )
    if search is None:
        return nothing
    built, kept = search.builder, search.kept or ()
    return replace(
        nothing,
        versions=versions | {built.tool: version(built.tool)},
        rest=settings.rest,
        weights="channel" if built.manner.per_channel else "tensor",
        quantizer=built.tool,
        state=search.state,
        calibrations=[
            Calibration(one.method, one.inputs, *one.counted.told, one.counted.passes, one is search.chosen)
            for one in search.choices
        ],
        sensitivities=list(search.found),
        correlations=diagnoses("rank correlations", [], correlations, search.found) if search.found else [],
        units=len(built.units),
        kept=[one.name for one in built.units if one.name in kept],
        floats=built.floats,
        tried=sum(len(one.trials.known) for one in search.choices),
        curve=[*search.curve],
    )


def _check_kinds(first: Ready, second: Ready) -> None:
    """Refuse what cannot be quantized here, before work begins."""
    endings, suffix = " and ".join(runtime.module(one).SUFFIXES[0] for one in MODULES), second.path.suffix
    refuse(
        (
            second.runtime not in MODULES,
            f"{second.given}: what is mended are {endings} files, run as usual; give one of these",
        ),
        (
            first.runtime != second.runtime,
            f"{second.given}: is mended by quantizing the original anew as {suffix}, which {first.given.name} is no "
            f"source of; give the original as {suffix}",
        ),
    )
    extras.check(f"quantrift mend of {suffix} files", module(second.runtime).PACKAGE)


def _check_decidable(selection: Sample, file: Path) -> None:
    """Refuse limits that not even the original itself would be shown to keep."""
    short = "".join(
        [
            too_few(one)
            for one in selection.counted(selection.of_given, selection.of_changed).judgements
            if one.verdict != "pass"
        ][:1]
    )
    refuse((short, f"{file}: for the choice of layers, {short}; give more inputs, more --changes or a larger limit"))


def _notes(pair: GivenPair, search: Search) -> list[str]:
    """Lines on what was left out, and on what else may help."""
    notes = []
    if pair.settings.limits.max_sr is not None:
        notes.append("the limit on SR was held on fresh inputs alone, as each network would have to be searched")
    trials, every = search.chosen.trials, [unit.name for unit in search.builder.units]
    if search.kept and trials(search.kept).size >= (none := trials(every).size):
        notes.append(
            f"the mended file is no smaller than the {none:,} bytes with every unit in {RESTS[pair.settings.rest]}: "
            "nothing is gained by it"
        )
    if missing := [one.unit for one in search.found if one.note]:
        notes.append(
            f"no SQNR of {', '.join(missing)}: outputs were not found in both files; they come last in its order"
        )
    return notes


def _by_channel(pair: GivenPair, search: Search, manner: Manner, selection: Sample) -> list[str]:
    """Line on the network with a scale for each output channel; none of old files, which may have no such form."""
    try:
        found = Trials(
            builder(pair.base, pair.compressed.runtime, replace(manner, per_channel=True)),
            search.chosen.trials.ranges,
            selection,
            pair.compressed.runtime,
        )(()).counted
    except QuantriftError:
        return []
    return [
        f"with a scale for each output channel and nothing in float, {found.events} of {found.cases} selection inputs "
        "and changes disagree: if the device can, say --weights channel"
    ]


def _written(root: Path, found: Mending, search: Search | None, pair: GivenPair, diagnoses: Diagnoses) -> Mending:
    """Write everything but what stands on fresh inputs, which is there already.

    Args:
        root: folder of the results.
        found: all results.
        search: where there was something to mend.
        pair: networks and inputs.
        diagnoses: whose list of failures the results hold; they name the figure or the page, too, if that fails.
    """
    if search is not None and found.mended is not None:
        base = root / f"float{search.builder.base.suffix}"
        with replacing(base) as temporary:
            shutil.copyfile(search.builder.base, temporary)
        write_json(root / RANGES, {name: list(ends) for name, ends in search.chosen.trials.ranges.items()})
        write_json(root / "recipe.json", _recipe(found, search, pair, base))
    if search is not None:
        diagnoses("figure 'curve'", None, charts.curve, found, root / charts.CURVE)
    diagnoses(page.REPORT, None, page.write, found, root)
    told.write(found, root)
    return found


def _recipe(found: Mending, search: Search, pair: GivenPair, base: Path) -> Mapping[str, Any]:
    """Everything that makes the mended file again, with digests and versions."""
    built, kept = search.builder, search.kept or ()
    return {
        "versions": found.versions,
        "original": asdict(found.original),
        "compressed": asdict(found.compressed),
        "mended": None if found.mended is None else asdict(found.mended),
        "inputs": {"file": found.inputs, "sha256": found.inputs_sha256},
        "calibration": {
            "method": search.chosen.method,
            "inputs": search.chosen.inputs,
            "numbers": pair.parts["calibration"].tolist(),
            "ranges": {"file": RANGES, "sha256": sha256(base.with_name(RANGES))},
        },
        "weights": found.weights,
        "in_float": {unit.name: list(unit.operations) for unit in built.units if unit.name in kept},
        "stay_in_float": built.floats,
        "quantizer": built.tool,
        "of": {"file": base.name, "sha256": sha256(base)},
        "recipe": built.recipe(kept),
    }
