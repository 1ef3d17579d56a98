"""From two files and some inputs to a verdict: searches, what came of them, and what was assumed on the way."""

import re
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from quantrift.assess import assessment as told
from quantrift.assess import dii, given, page, ranking, verdict
from quantrift.assess.assessment import Assessment, Candidate
from quantrift.assess.clean import clean
from quantrift.assess.folder import appearing
from quantrift.assess.found import needs, result, shrunk
from quantrift.assess.layout import channels_last
from quantrift.assess.networks import Ready, check_not_swapped, compressed, original
from quantrift.assess.profiles import Plan, Settings, plan
from quantrift.assess.quantized_input import input_range
from quantrift.assess.scaling import scaled
from quantrift.assess.searched import DATASET, MODEL, Subject, clean_layers, prepare, search, share
from quantrift.assess.suspects import suspects
from quantrift.compression.audit import audit, not_int8
from quantrift.compression.comparison import Comparison, compare
from quantrift.compression.layer_errors import LayerError
from quantrift.compression.layer_errors import read as read_layers
from quantrift.config.errors import QuantriftError
from quantrift.config.files import read_json, replacing, sha256, write_json
from quantrift.config.model_files import TFLITE
from quantrift.config.paths import Paths
from quantrift.data.inputs import Inputs
from quantrift.models.checks import check_independence, check_logits
from quantrift.models.evaluate import flips, logits
from quantrift.models.runtimes.layers import OUTPUT
from quantrift.models.runtimes.load import PACKAGES
from quantrift.models.versions import versions
from quantrift.records.writer import searches_path


def assess(
    original_path: Path,
    compressed_paths: Sequence[Path],
    inputs_path: Path,
    out: Path,
    settings: Settings | None = None,
) -> Assessment:
    """Search for disagreements between a network and compressed versions of it, and judge what is found.

    Writes the folder ``out``: ``assessment.json`` and ``report.html``; for each candidate ``<name>/dii.npz`` and
    ``<name>/records``, a results folder that ``quantrift replay`` reads. It appears whole, or not at all. The same
    files give the same results, times aside, on one type of processor.

    Args:
        original_path: .keras, .h5, a SavedModel, .tflite or .onnx.
        compressed_paths: .tflite or .onnx; at least one.
        inputs_path: .npz with inputs, and labels if there are any.
        out: folder; an earlier assessment there is replaced.
        settings: profile, limits, names of arrays; quick, 5 % of DiR and 20 % of SR unless given.

    Raises:
        QuantriftError: one line, if anything keeps it from running: files that are missing, damaged, exchanged or do
            not fit each other, or inputs that the networks were not made for.
    """
    settings = settings or Settings()
    if not compressed_paths:
        raise QuantriftError("no compressed network was given; name one with --compressed")
    arrays = given.read(inputs_path, settings.array, settings.labels)
    names = named(compressed_paths)
    candidates = {name: compressed(path) for name, path in zip(names, compressed_paths, strict=True)}
    with appearing(out) as root, tempfile.TemporaryDirectory() as converted:
        first = original(original_path, Path(converted))
        assumed = [*first.assumed, *(line for one in candidates.values() for line in one.assumed)]
        for one in candidates.values():
            _check_pair(original_path, first, one)
            if (line := check_not_swapped(first.path, one.path)) and line not in assumed:
                assumed.append(line)
        values, line = channels_last(arrays.values, first.network.input_shape, inputs_path.name, original_path.name)
        expected = {
            path.name: found
            for path in dict.fromkeys([first.path, *(one.path for one in candidates.values())])
            if (found := input_range(path))
        }
        class_names = _class_names(arrays.class_names, first.network.classes)
        said = scaled(values, arrays.labels, class_names, first.network, expected, inputs_path)
        assumed += [*arrays.assumed, line, *said.assumed]
        inputs = said.inputs
        planned = plan(settings, inputs)
        for path, one in [(original_path, first), *((one.path, one) for one in candidates.values())]:
            check_independence(path, one.network, inputs)
        clean_of = {name: compare(first.network, one.network, inputs) for name, one in candidates.items()}
        for name, one in candidates.items():
            check_logits(original_path, clean_of[name].of_original)
            check_logits(one.path, clean_of[name].of_compressed)
        if first.source is not None:
            before = logits(first.source, inputs, inputs.test)
            changed = flips(before, clean_of[names[0]].of_original)
            assumed.append(f"converted, the original gives {changed} of {len(inputs)} inputs another label than before")
        if arrays.labels is not None:
            assumed.append(f"the original is right on {clean_of[names[0]].before:.2%} of {len(inputs)} inputs")

        subjects = {name: Subject(name, Paths(root / name / "records"), first, one) for name, one in candidates.items()}
        source = subjects[names[0]].paths
        count = prepare(source, inputs, first, planned)
        if not count:
            raise QuantriftError(
                f"{inputs_path}: the original is right on none of the inputs, so that there is none to search from; "
                "look at the labels, and at how inputs are scaled"
            )
        for subject in subjects.values():
            if subject.paths != source:
                share(source, subject.paths)
            _place(subject)
        results = {
            name: _candidate(subject, inputs, planned, clean_of[name], arrays.labels is not None, settings, root)
            for name, subject in subjects.items()
        }
        judged = _with_suspects(results, subjects)
        whole = Assessment(
            command=settings.command,
            profile=settings.profile,
            space=planned.space,
            versions=_versions([first, *candidates.values()]),
            original=_model(original_path),
            inputs=told.Inputs(
                file=inputs_path.name,
                sha256=sha256(inputs_path),
                number=len(inputs),
                shape=inputs.shape,
                range=inputs.data_range,
                classes=class_names,
                labelled=arrays.labels is not None,
            ),
            assumed=assumed,
            seeds=count,
            limits=settings.limits,
            verdict=verdict.ABOVE if any(one.verdict == verdict.ABOVE for one in judged) else verdict.PASS,
            verdict_text="; ".join(
                verdict.sentence(one.name, one.verdict, one.tools, settings.limits) for one in judged
            ),
            candidates=judged,
            ranking=ranking.rank(judged, root) if len(judged) > 1 else None,
            notes=planned.notes,
        )
        told.write(whole, root)
        page.write(root)
    return whole


def named(paths: Sequence[Path]) -> list[str]:
    """A name for each compressed network, from that of its file: lower case, unique, fit for folders."""
    names: list[str] = []
    for path in paths:
        name = re.sub(r"[^a-z0-9]+", "_", path.stem.lower()).strip("_") or "model"
        name = name if name[0].isalpha() else f"model_{name}"
        if name in names:
            name = next(f"{name}_{number}" for number in range(2, len(paths) + 2) if f"{name}_{number}" not in names)
        names.append(name)
    return names


def _check_pair(path: Path, first: Ready, second: Ready) -> None:
    one, other = first.network, second.network
    if one.classes != other.classes:
        raise QuantriftError(
            f"{second.path}: tells {other.classes} classes, {path.name} tells {one.classes}; "
            "name a compressed version of the same network"
        )
    if one.input_shape != other.input_shape:
        raise QuantriftError(
            f"{second.path}: takes inputs {other.input_shape}, {path.name} takes {one.input_shape}; "
            "name a compressed version of the same network"
        )


def _class_names(names: Sequence[str] | None, classes: int) -> list[str]:
    if names and len(names) == classes:
        return list(names)
    return [str(number) for number in range(classes)]


def _model(path: Path) -> told.Model:
    """A file; of a folder, the graph of a SavedModel."""
    file = path / "saved_model.pb" if path.is_dir() else path
    return told.Model(path.name, sha256(file), file.stat().st_size)


def _place(subject: Subject) -> None:
    """Put the compressed network, and its audit, where the workflow has them."""
    path = subject.compressed.path
    folder = subject.paths.compressed(DATASET, MODEL, subject.name)
    is_tflite = path.suffix in TFLITE
    with replacing(folder / f"model{'.tflite' if is_tflite else path.suffix}") as temporary:
        temporary.write_bytes(path.read_bytes())
    if is_tflite:
        write_json(folder / "audit.json", audit(path))


def _candidate(
    subject: Subject,
    inputs: Inputs,
    planned: Plan,
    both: Comparison,
    labelled: bool,
    settings: Settings,
    root: Path,
) -> Candidate:
    """Everything that is said of one candidate but suspects, for which others are looked at too."""
    found = {tool.id: search(subject, tool, planned) for tool in planned.tools}
    tools = [result(tool, found[tool.id], inputs.class_names, root) for tool in planned.tools]
    file = root / subject.name / "dii.npz"
    rows = dii.write({name: files.records for name, files in found.items()}, file)
    natural = [tool.id for tool in planned.tools if tool.judged]
    searches = pd.concat([pd.read_parquet(searches_path(found[name].records)) for name in natural])
    outcome, reasons = verdict.judged(tools, settings.limits)
    audited = subject.paths.compressed(DATASET, MODEL, subject.name) / "audit.json"
    layers, note = _layers(subject, inputs, planned, [found[name].layers for name in natural])
    return Candidate(
        name=subject.name,
        model=_model(subject.compressed.path),
        audit=_audit(audited) if audited.is_file() else None,
        clean=clean(both, inputs, labelled, set(searches["input"]), set(searches.loc[searches["dii"] > 0, "input"])),
        tools=tools,
        shrunk=[
            one
            for name in natural
            if (path := found[name].shrunk)
            for one in shrunk(name, path, inputs.class_names, rows[name])
        ],
        needs=[need for name in natural if (path := found[name].shrunk) for need in needs(name, path)],
        layers=layers,
        layers_note=note,
        dii_file=file.relative_to(root).as_posix(),
        records=subject.paths.root.relative_to(root).as_posix(),
        verdict=outcome,
        reasons=reasons,
    )


def _audit(path: Path) -> told.Audit:
    report = read_json(path)
    return told.Audit(report["int8_mac_share"], not_int8(report), report["weight_bits"])


def _layers(
    subject: Subject, inputs: Inputs, planned: Plan, files: Sequence[Path | None]
) -> tuple[list[told.Layer], str | None]:
    """Layers on the inputs, and on what the last natural tool found of which anything is known."""
    if not subject.shows_layers:
        return [], "layers are seen in .tflite files alone"
    errors = clean_layers(subject, inputs, planned)
    sides: dict[str, list[LayerError]] = {}
    for file in files:
        if file is not None and (of_both := read_json(file))["dii"]:
            sides = {side: [LayerError(**one) for one in of_both[side]] for side in of_both}
    at = {side: {one.layer: one.sqnr_db for one in of_side} for side, of_side in sides.items()}
    layers = [
        told.Layer(
            layer=one.layer,
            type=one.type,
            sqnr_db=one.sqnr_db,
            cosine=one.cosine,
            sqnr_db_seeds=at.get("seed_inputs", {}).get(one.layer),
            sqnr_db_dii=at.get("dii", {}).get(one.layer),
            suspect=None,
        )
        for one in errors
    ]
    alone = [layer.layer for layer in layers] == [OUTPUT]
    return layers, "no layer but the output has the same name in both files" if alone else None


def _with_suspects(results: dict[str, Candidate], subjects: dict[str, Subject]) -> list[Candidate]:
    """Candidates with the layers marked that seem to be quantized wrongly."""
    errors = {
        name: read_layers(subject.paths.compressed(DATASET, MODEL, name) / "layers.json")
        for name, subject in subjects.items()
        if subject.shows_layers
    }
    marked = []
    for name, candidate in results.items():
        subject = subjects[name]
        skipped = [OUTPUT] if subject.original.probabilities or subject.compressed.probabilities else []
        others = {other: layers for other, layers in errors.items() if other != name}
        found = suspects(errors.get(name, []), others, skipped)
        layers = [told.Layer(**{**vars(one), "suspect": found.get(one.layer)}) for one in candidate.layers]
        marked.append(Candidate(**{**vars(candidate), "layers": layers}))
    return marked


def _versions(networks: Sequence[Ready]) -> dict[str, str]:
    used = dict.fromkeys(name for one in networks for name in PACKAGES[one.runtime])
    return {"quantrift": version("quantrift")} | versions() | {name: version(name) for name in used}
