"""Bundle for a device: seed inputs and random natural distortions of them, whose outputs are judged later.

To the device go ``inputs.npz`` (array ``inputs``) and the same as ``inputs.npy``; of networks with several inputs,
arrays by name and the changed one. In ``aside`` stays what judges the outputs: a results folder with seed inputs and
strengths of distortions, ``rows.npz`` and ``original.npz``.
"""

import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import sha256, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.moved_files import files_below
from quantrift.core.base.paths import Paths
from quantrift.core.base.streams import stream
from quantrift.core.networks.batches import runs
from quantrift.core.networks.evaluate import logits
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.foreign.requirements import check_independence, check_logits
from quantrift.core.networks.graphs.ends import ChosenOutputs
from quantrift.core.networks.graphs.input_sides import Kind
from quantrift.core.pairs import seed_inputs
from quantrift.core.search.evaluator import digest
from quantrift.core.search.messages import Problem
from quantrift.core.search.run import calibrated
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.tool import Tool, build
from quantrift.judge.intake import given_inputs
from quantrift.judge.intake.chosen_ends import Chosen
from quantrift.judge.intake.dataclass_file import read_dataclass
from quantrift.judge.intake.fitted_inputs import fitted
from quantrift.judge.intake.given_inputs import told_names
from quantrift.judge.intake.given_networks import original, versions_of
from quantrift.judge.verdict.candidate import model_of
from quantrift.judge.verdict.candidate_searches import BLOCK, DATASET, MODEL, prepare_inputs
from quantrift.judge.verdict.folder import appearing
from quantrift.judge.verdict.profiles import BUNDLED, Planned, Profile, Settings, plan
from quantrift.judge.verdict.under_task import BundledTask, finite, started

FILE, NPZ, NPY = "bundle.json", "inputs.npz", "inputs.npy"
ASIDE, ROWS, ORIGINAL = "aside", "aside/rows.npz", "aside/original.npz"
NAMED = ("changed", "carried", "compared", "outputs")
"""Entries of the manifest on networks of several inputs or outputs."""
REPEATS = 32
"""Rows that repeat another one, so that outputs in another order are noticed."""
BATCH = 256
"""Changes that are run at once."""
MOST = 4e9
"""Most bytes of the inputs of a bundle."""
SIDES: dict[Kind, int] = {"image": 0, "signal": 1, "table": 2}
"""Sides of 1 in front of an input of each kind, which devices do not get."""


@dataclass(frozen=True)
class Bundle:
    """Manifest of a bundle: everything that whoever runs its inputs, or judges the outputs, has to know."""

    version: str
    """Of quantrift."""
    command: str
    bundle: str
    """sha256 of ``inputs.npy``; outputs in a .npz file may hold it as ``bundle``."""
    files: dict[str, str]
    """Name -> sha256."""
    shape: tuple[int, ...]
    """Rows, and height, width and channels of an input: channels stand last. Of signals rows, steps and channels, of
    a table rows and features."""
    dtype: str
    range: tuple[float, float]
    """Least and greatest value that inputs may take: the scale of the original."""
    classes: list[str]
    """Names of the classes, in the order of outputs; of agreement under a task."""
    labelled: bool
    given: int
    """Inputs as they were given; they come first, but for repeats."""
    seeds: int
    """Seed inputs of which changes were drawn."""
    drawn: int
    """Changes drawn of all seed inputs."""
    valid: int
    """Those of them that are valid, which are the inputs of the bundle beside the given ones."""
    repeats: list[tuple[int, int]]
    """Rows that repeat another one, and that one."""
    profile: Profile
    space: str
    tool: str
    """Id of the tool of ``quantrift assess`` that drew the changes."""
    number: int
    """Changes drawn of each seed input."""
    how: str
    original: str
    """Name of its file."""
    original_sha256: str
    original_bytes: int
    inputs: str
    """Name of the file of given inputs."""
    inputs_sha256: str
    assumed: list[str]
    versions: dict[str, str]
    kind: Kind = "image"
    """What an input is."""
    task: BundledTask | None = None
    """Agreement other than the same label, and the outputs that a device gives for it."""
    original_runtime: str | None = None
    """Name of the runtime that ran the original; ``None`` where it is unknown."""
    changed: str | None = None
    """Name of the input that was changed, of networks with several; ``shape`` is its shape. Not in the file of
    others."""
    carried: list[str] = field(default_factory=list)
    """Names of the other inputs, each an array of ``inputs.npz``; likewise."""
    compared: list[str] = field(default_factory=list)
    """Names of the outputs that are compared, where they were chosen among several; likewise."""
    outputs: list[str] = field(default_factory=list)
    """Names of all outputs of the original then; likewise."""

    @property
    def chosen(self) -> Chosen:
        """Outputs of the original that are compared."""
        return Chosen(outputs=ChosenOutputs(tuple(self.compared), tuple(self.outputs)))


def sampler(settings: Settings, inputs: Inputs) -> Planned:
    """The tool of an assessment that draws natural changes at random."""
    return next(tool for tool in plan(settings, inputs).tools if tool.judged and tool.samples)


def export(original_path: Path, inputs_path: Path, out: Path, settings: Settings, number: int = BUNDLED) -> Bundle:
    """Write a bundle; its folder appears whole, or not at all.

    The changes of a seed input are the first that random sampling of ``quantrift assess`` draws of it.

    Args:
        original_path: as ``quantrift assess`` takes it.
        inputs_path: .npz, likewise.
        out: folder.
        settings: those of an assessment; limits are no part of a bundle.
        number: changes drawn of each seed input, valid or not.

    Raises:
        QuantriftError: one line, as ``quantrift assess`` gives it; or the bundle would be too large.
    """
    refuse((number < 1, f"--number is {number}; give at least 1"))
    with GivenFiles() as given:
        return _export(given.network(original_path), given.file(inputs_path), out, settings, number, given)


def _export(
    original_path: Path, inputs_path: Path, out: Path, settings: Settings, number: int, given: GivenFiles
) -> Bundle:
    """The same of copies of the files."""
    form = replace(settings.form, space=settings.space, values=settings.task is not None)
    arrays = given_inputs.read(inputs_path, settings.array, settings.labels, form.values, form.change)
    form = replace(form, shape=arrays.values.shape[1:])
    with (
        appearing(out, given.sources) as root,
        ForeignFiles() as files,
    ):
        first = original(original_path, given.folder(), files, form)
        said = fitted(arrays, inputs_path, first, [], form)
        inputs = said.inputs
        check_independence(first.given, first.network, inputs)
        task = None
        if settings.task is None:
            of_original = logits(first.network, inputs, inputs.test)
            check_logits(first.given, of_original)
        else:
            of_original = finite(first, inputs)
            task, first = started(settings.task, first, of_original, inputs, arrays.truth, inputs_path)
        whole = plan(settings, inputs)
        tool = sampler(settings, inputs)
        most = len(inputs) + min(len(inputs), tool.seeds) * number + REPEATS
        if (size := most * inputs.take([0]).nbytes) > MOST:
            raise QuantriftError(
                f"{inputs_path}: a bundle of {most:,} inputs may take {size / 1e9:.1f} GB, more than {MOST / 1e9:g}; "
                "lower --number or --seeds, or give fewer inputs"
            )
        paths = Paths(root / ASIDE)
        refuse(
            (
                not prepare_inputs(paths, inputs, first, replace(whole, tools=[tool])),
                f"{inputs_path}: the original is right on none of the inputs; look at the labels, and at their scale",
            )
        )
        columns, drawn = draw(tool, paths, inputs, number)
        base = np.concatenate([inputs.take(inputs.test), drawn])
        source, repeats = _order(len(base))
        kind = first.network.signature.kind
        changed, others = inputs.apart(base[source])
        sent = changed.reshape(len(source), *inputs.searched.shape[SIDES[kind] :])
        write_arrays(root / NPZ, {told_names(inputs).get("changed", "inputs"): sent} | others)
        np.save(root / NPY, sent, allow_pickle=False)
        write_arrays(root / ROWS, columns | {"source": source, "repeats": repeats})
        # Logits; values of outputs under a task.
        outputs = np.concatenate([of_original, *(first.values(rows) for _, rows, _ in runs(drawn, BATCH))])[source]
        write_arrays(root / ORIGINAL, {"outputs": outputs} | ({} if arrays.truth is None else {"truth": arrays.truth}))
        seeds, of_file = len(np.unique(columns["seed"])), model_of(first)
        found = Bundle(
            version=versions_of([first])["quantrift"],
            command=settings.command,
            bundle=sha256(root / NPY),
            files={name: sha256(root / name) for name in files_below(root)},
            shape=sent.shape,
            dtype="float32",
            range=inputs.data_range,
            classes=inputs.class_names,
            labelled=arrays.labels is not None or arrays.truth is not None,
            given=len(inputs),
            seeds=seeds,
            drawn=len(columns["seed"]),
            valid=len(drawn),
            repeats=[(int(row), int(of)) for row, of in repeats],
            profile=settings.profile,
            space=whole.space,
            tool=tool.id,
            number=number,
            how=(
                f"{number} changes of each of {seeds} seed inputs, drawn at random as {tool.title} of quantrift assess "
                f"draws them (space {whole.space}, constraint {tool.settings['constraint']['name']}), on the random "
                "streams of run seed 0; those that are valid are here"
            ),
            original=of_file.file,
            original_sha256=str(of_file.sha256),
            original_bytes=of_file.bytes or 0,
            original_runtime=of_file.runtime,
            inputs=inputs_path.name,
            inputs_sha256=sha256(inputs_path),
            assumed=[*first.assumed, *said.assumed],
            versions=versions_of([first]),
            kind=kind,
            task=task,
            compared=list(first.chosen.outputs.names),
            outputs=list(first.chosen.outputs.among),
            **told_names(inputs),
        )
        # What does not apply is left out, so that other bundles are the files that they were.
        write_json(root / FILE, {name: one for name, one in asdict(found).items() if one or name not in NAMED})
    return found


def read(folder: Path, given: GivenFiles) -> tuple[Bundle, Path]:
    """The manifest of a bundle whose files are as they were written, and the folder with copies of all of them.

    Raises:
        QuantriftError: it is no bundle, or one of its files is missing or was changed.
    """
    copy = given.folder()
    found = read_dataclass(given.file(folder / FILE, copy / FILE), Bundle, "a bundle", "quantrift export-inputs")
    for name, expected in found.files.items():
        refuse(
            (
                PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts,
                f"{folder / FILE}: names '{name}', which is not in its folder; write the bundle again",
            )
        )
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        file = given.file(folder / name, copy / name)
        # What went to the device need not have come back.
        may_be_missing = name in (NPZ, NPY) and not file.exists()
        refuse(
            (
                not may_be_missing and (not file.is_file() or sha256(file) != expected),
                f"{file}: is missing or was changed; write the bundle again, and run it again",
            )
        )
    return found, copy


def tool_of(tool: Planned, paths: Paths, inputs: Inputs) -> tuple[Tool, dict[str, Any]]:
    """The tool with the strengths in a results folder, and its settings with them."""
    named = tool.settings.get("calibration")
    stated = calibrated(tool.settings, paths.calibration(DATASET, MODEL, named) if named else None)
    return build(tool.id, stated, Domain.of(inputs)), stated


def draw(tool: Planned, paths: Paths, inputs: Inputs, number: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Draw changes of each seed input in a results folder, and keep the valid ones.

    Returns:
        Columns on the k changes of all seed inputs, in order: ``seed`` int64, ``generation`` int32, ``vector`` float32
        (k, genes), ``valid`` bool, ``psnr`` float64, ``digest`` uint64, ``active`` uint32; and the inputs that are
        valid, float32 (n, H, W, C).
    """
    ready, _ = tool_of(tool, paths, inputs)
    rows: list[dict[str, np.ndarray]] = []
    kept = [np.empty((0, *inputs.shape), np.float32)]
    for run_seed, index in seed_inputs.read(paths.seeds(DATASET, MODEL, tool.protocol), BLOCK):
        problem = Problem(
            DATASET,
            run_seed,
            (index,),
            inputs.take([index]),
            (int(inputs.labels[index]),),
            ready.space,
            generations=number,
        )
        asked: list[np.ndarray] = []
        # It looks at no answer, so none is told; a generation has at least one candidate.
        for ask in ready.start(problem):
            asked.append(ask.candidates)
            if sum(map(len, asked)) >= number:
                break
        vectors = np.ascontiguousarray(np.concatenate(asked)[:number], np.float32)
        generation = np.repeat(np.arange(len(asked), dtype=np.int32), list(map(len, asked)))[:number]
        originals, of = Originals.of(inputs, np.array([index])), np.zeros(number, np.int64)
        decoded = ready.space.decode(vectors, originals, of)
        measured = ready.constraint.measure(decoded, originals, of)
        valid = ready.constraint.violation(measured.judged) == 0
        kept.append(decoded[valid])
        rows.append(
            {
                "seed": np.full(number, index, np.int64),
                "generation": generation,
                "vector": vectors,
                "valid": valid,
                "psnr": measured.psnr,
                "digest": np.array([digest(one) for one in decoded], np.uint64),
                "active": ready.space.active(vectors),
            }
        )
    return {name: np.concatenate([one[name] for one in rows]) for name in rows[0]}, np.concatenate(kept)


def _order(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Base row of each row, int64 (m,), and pairs of a repeated row and the row that it repeats, int64 (r, 2)."""
    rng = stream("bundle", count)
    repeated = rng.integers(count, size=min(REPEATS, math.ceil(count / 2)))
    total = count + len(repeated)
    places = np.sort(rng.permutation(total)[: len(repeated)])
    own = np.setdiff1d(np.arange(total), places)
    source = np.empty(total, np.int64)
    source[own], source[places] = np.arange(count), repeated
    return source, np.stack([places, own[repeated]], axis=1)
