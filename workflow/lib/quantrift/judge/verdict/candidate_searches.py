"""Searches of one compressed network, run through the workflow in a results folder of its own."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import replacing, write_file
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.networks import layer_comparison, layer_errors
from quantrift.core.networks.batches import runs
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.foreign.requirements import check_logits
from quantrift.core.networks.foreign.worker import AS_GIVEN
from quantrift.core.networks.layer_comparison import SHOWN
from quantrift.core.networks.layer_errors import LayerError
from quantrift.core.networks.runtime import beside, module, runtime_of
from quantrift.core.pairs import seed_inputs
from quantrift.core.pairs.pair import Loaded
from quantrift.core.pairs.task_pair import FILE as TASK
from quantrift.core.pairs.task_pair import Agreement, ComparedNetwork
from quantrift.core.search import calibrated, strength_search
from quantrift.core.search.record_columns import searches_path
from quantrift.core.search.records import layers_on_dii
from quantrift.core.search.records.shrinking import shrink
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Files, Job, run
from quantrift.core.statistics import run_seeds
from quantrift.core.statistics.distortion_counts import read as read_minimal
from quantrift.judge.intake.given_functions import Called
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.profiles import Plan, Planned, Size
from quantrift.judge.verdict.record_summary import Files as Found

DATASET, MODEL = "given", "original"
"""Ids under which the inputs and the original lie in results folders."""
RECORDS = "records"
"""Results folder of a candidate, within its own."""
RUN_SEEDS = range(1)
BLOCK = Block(RUN_SEEDS)
EXHAUSTIVE = 11
"""Largest number of active distortions of which all subsets are tried."""
ROWS = 256
MEMORY_MB = 300


@dataclass(frozen=True, eq=False)
class Subject:
    """A candidate and its results folder."""

    name: str
    paths: Paths
    original: Ready
    compressed: Ready
    outputs: dict[int, np.ndarray] | None = None
    """The original's outputs on candidates drawn at random, which are the same for every compressed network."""

    @property
    def shows_layers(self) -> bool:
        """Whether both have one input and one output, in files of one kind that are run as usual and show layers."""
        is_plain = not self.has_more_outputs and not self.original.chosen.inputs
        return is_plain and self.original.runtime == self.compressed.runtime in SHOWN

    @property
    def has_more_outputs(self) -> bool:
        """Whether several outputs are compared."""
        return self.agreement is not None and len(self.agreement.names) > 1

    @property
    def agreement(self) -> Agreement | None:
        """What agreement of the two means, where that is not the same label."""
        network = self.compressed.network
        return network.agreement if isinstance(network, ComparedNetwork) else None

    @property
    def layer_files(self) -> tuple[Path, Path]:
        """Both files whose layers are compared; for an original from Keras, the network as given."""
        path = self.original.path
        as_given = path.with_name(AS_GIVEN)
        return as_given if path != self.original.file and as_given.is_file() else path, self.compressed.path

    def files(self, tool: Planned) -> Files:
        """Files and functions that searches of a tool need."""
        first, second = self.original, self.compressed
        found = files_in(
            self.paths,
            names_of(self.name, tool.protocol),
            tool.settings,
            "litert" if isinstance(first, Called) else first.runtime,
            # Functions are called instead of loading a file.
            Loaded(*(one.values if isinstance(one, Called) else None for one in (first, second))),
            None if isinstance(second, Called) or second.own_runtime else second.runtime,
        )
        return replace(found, outputs=self.outputs if tool.samples else None)


def names_of(candidate: str, protocol: str) -> dict[str, str]:
    """Names of a candidate in records."""
    return {"dataset": DATASET, "model": MODEL, "compression": candidate, "protocol": protocol}


def prepare(paths: Paths, inputs: Inputs, original: Ready, plan: Plan) -> int:
    """Write what all candidates share into a results folder: what ``prepare_inputs`` does, and the original.

    Returns:
        Seed inputs of a search; 0 if there are none.
    """
    count = prepare_inputs(paths, inputs, original, plan)
    if count and not isinstance(original, Called):
        _copy(original, paths.model(DATASET, MODEL) / module(original.runtime).ORIGINAL)
    return count


def prepare_inputs(paths: Paths, inputs: Inputs, original: Ready, plan: Plan) -> int:
    """Write inputs, seed inputs and strengths of distortions into a results folder.

    The seed inputs of tools with fewer are the first of those with more.

    Returns:
        Seed inputs of a search; 0 if there are none.
    """
    candidates = seed_inputs.pool(inputs, original.network)
    if not len(candidates):
        return 0
    for protocol, most in {tool.protocol: tool.seeds for tool in plan.tools}.items():
        drawn = seed_inputs.draw(candidates, DATASET, MODEL, len(RUN_SEEDS), min(most, len(candidates)), overlap=False)
        seed_inputs.write(paths.seeds(DATASET, MODEL, protocol), drawn, inputs)
    inputs.save(paths.inputs(DATASET, MODEL))
    # Tools share strengths of one name, which are found once.
    for name, settings in {tool.settings["calibration"]: tool.calibration for tool in plan.tools}.items():
        if settings is not None:
            calibrated.write(
                strength_search.of_settings(settings.model_dump(mode="json", exclude={"title"}), inputs),
                paths.calibration(DATASET, MODEL, name),
            )
    return min(plan.size.seeds, len(candidates))


def place(subject: Subject) -> None:
    """Put the compressed network and a task where the workflow has them."""
    compressed = subject.compressed
    folder = subject.paths.compressed(DATASET, MODEL, subject.name)
    if not isinstance(compressed, Called):
        _copy(compressed, folder / str(module(runtime_of(compressed.path)).COMPRESSED))
    place_task(folder, subject.agreement)


def place_task(folder: Path, agreement: Agreement | None) -> None:
    """Put a task beside the compressed network; nothing where labels are compared."""
    if agreement is not None:
        write_file(folder / TASK, agreement.dumped())


def _copy(network: Ready, target: Path) -> None:
    """Copy a network's file under another name, with the files beside it that hold its weights."""
    for file, place in {network.path: target, **beside(network.path, target)}.items():
        with replacing(place) as temporary:
            shutil.copyfile(file, temporary)


def share(source: Paths, target: Paths) -> None:
    """Share what ``prepare`` wrote to one results folder with another, without using more disk space."""
    folders = [source.root / name for name in ("data", "models", "calibration", "subjects")]
    for file in (file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()):
        place = target.root / file.relative_to(source.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            place.hardlink_to(file)
        except OSError:
            # Some file systems know no such thing.
            shutil.copyfile(file, place)


def search(subject: Subject, tool: Planned) -> Found:
    """Run the searches of a tool, with progress on standard error, and what the workflow makes of their records."""
    _, records = place_of(subject.paths, subject.name, tool)
    names, title = names_of(subject.name, tool.protocol), f"{subject.name}: {tool.title}"
    run(
        Job(names, tool.id, tool.settings, tool.budget, tool.vectors, ROWS, MEMORY_MB, title),
        subject.files(tool),
        BLOCK,
        records,
    )
    return measured(subject.paths, subject.name, tool)


def explained(subject: Subject, tool: Planned, found: Found, size: Size, diagnoses: Diagnoses) -> Found:
    """Result files of a tool of natural changes with what explains its disagreements, which decides nothing."""
    of, (key, records) = f"{subject.name}, {tool.title}", place_of(subject.paths, subject.name, tool)
    file, side_file = subject.paths.shrunk(*key).with_suffix(".npz"), subject.paths.dii_layers(*key)
    return replace(
        found,
        shrunk=diagnoses(f"{of}: changes that suffice", None, _shrunk, subject, tool, records, size.shrunk, file),
        layers=diagnoses(
            f"{of}: layers on disagreements", None, _dii_layers, subject, records, size.layer_inputs, side_file
        ),
    )


def place_of(paths: Paths, name: str, tool: Planned) -> tuple[tuple[str, str, str, str, str], Path]:
    """What searches of a tool on a candidate are stored under in a results folder, and their candidates table."""
    key = DATASET, MODEL, name, tool.id, tool.protocol
    return key, paths.searches(*key) / f"{BLOCK.name}.npz"


def measured(paths: Paths, name: str, tool: Planned) -> Found:
    """Result files of a tool's searches, with the metrics of their records, which are written here."""
    key, records = place_of(paths, name, tool)
    run_seeds.write([searches_path(records)], names_of(name, tool.protocol) | {"tool": tool.id}, paths.metrics(*key))
    return Found(records, paths.metrics(*key))


def _shrunk(subject: Subject, tool: Planned, records: Path, most: int, out: Path) -> Path | None:
    """Reduce disagreements to the distortions that they need; ``None`` where there are none."""
    title = f"{subject.name}: changes that suffice, {tool.title}"
    shrink([records], subject.files(tool), out, per_run_seed=most, exhaustive=EXHAUSTIVE, rows=ROWS, title=title)
    return out if len(read_minimal(out)) else None


def _dii_layers(subject: Subject, records: Path, most: int, out: Path) -> Path | None:
    """Compare layers on disagreements; ``None`` where layers cannot be seen."""
    if not subject.shows_layers:
        return None
    found = layers_on_dii.compare([records], *subject.layer_files, most, 0, subject.agreement is not None)
    layer_errors.write_sides(found, out)
    return out


def check_outputs(subject: Subject, both: Comparison, inputs: Inputs) -> None:
    """Make sure that both networks, whose outputs on all inputs are ``both``, give logits.

    Raises:
        QuantriftError: one does not; where it gives NaN or infinity, with the first layer that does, if it can be seen.
    """
    for network, values, count in (
        (subject.original, both.of_original, "not_finite_original"),
        (subject.compressed, both.of_compressed, "not_finite"),
    ):
        try:
            check_logits(network.given, values)
        except QuantriftError as error:
            rows = np.flatnonzero(~np.isfinite(values).all(axis=1))[: layer_comparison.BATCH]
            found: list[LayerError] = (
                Diagnoses()(
                    "layers",
                    [],
                    layer_comparison.layer_errors,
                    *subject.layer_files,
                    [inputs.take(inputs.test[rows])],
                )
                if len(rows) and subject.shows_layers
                else []
            )
            first = next((one.layer for one in found if getattr(one, count)), None)
            raise QuantriftError(
                str(error) if first is None else f"{error}; layer {first} is the first that does"
            ) from None


def layers_on(subject: Subject, inputs: Inputs, count: int) -> list[LayerError]:
    """Errors of layers on at most so many of the inputs as given; empty where layers cannot be seen."""
    if not subject.shows_layers:
        return []
    values = subject.agreement is not None
    return layer_comparison.on_test_inputs(*subject.layer_files, inputs, count, seed=0, values=values)


def exchanged(subject: Subject, inputs: Inputs, rows: np.ndarray, names: Sequence[str]) -> tuple[int, dict[str, int]]:
    """``layer_comparison.changed_by_own_error`` on some of the inputs, by their numbers, int64 (n,)."""
    batches = (inputs.take(part) for _, part, _ in runs(rows, layer_comparison.FEW))
    return layer_comparison.changed_by_own_error(*subject.layer_files, batches, names)


def clean_layers(subject: Subject, inputs: Inputs, plan: Plan) -> list[LayerError]:
    """The same, as many as a plan says, also written to the results folder."""
    found = layers_on(subject, inputs, plan.size.layer_inputs)
    if found:
        layer_errors.write(found, subject.paths.compressed(DATASET, MODEL, subject.name))
    return found
