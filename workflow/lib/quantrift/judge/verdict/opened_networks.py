"""Networks and inputs as given, opened, made to fit each other, and run on the inputs once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from quantrift.core.base.files import sha256
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.evaluate import logits
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.foreign.requirements import check_independence
from quantrift.core.networks.ways import asked, in_words
from quantrift.core.pairs.given_pair import Remembered
from quantrift.judge.intake import given_inputs
from quantrift.judge.intake.fitted_inputs import fitted
from quantrift.judge.intake.fitting_networks import check_fit, check_not_swapped
from quantrift.judge.intake.given_functions import Called, Function, called
from quantrift.judge.intake.given_networks import Ready, compressed, original
from quantrift.judge.intake.input_form import InputForm
from quantrift.judge.intake.scaling import Said
from quantrift.judge.verdict.candidate_searches import Subject, check_outputs
from quantrift.judge.verdict.profiles import Settings
from quantrift.judge.verdict.under_task import OnTask, on_labels, under_task


@dataclass(frozen=True, eq=False)
class Opened:
    """An original and compressed versions of it, with what both say of the inputs as given."""

    first: Ready
    """The original."""
    networks: Mapping[str, Ready]
    """Name -> compressed network."""
    said: Said
    """The inputs, and the facts found on them."""
    labelled: bool
    """Whether true labels, or true outputs, were given."""
    found: Mapping[str, OnTask]
    """Name -> both under the task."""
    both: Mapping[str, Comparison]
    """Name -> logits of both, or what stands for them under a task."""
    assumed: Sequence[str]
    """Assumptions on the files, one line each."""
    of_task: Sequence[str]
    """Those on the task."""

    @property
    def inputs(self) -> Inputs:
        """The inputs as the networks take them."""
        return self.said.inputs


def form_of(settings: Settings) -> InputForm:
    """How inputs are meant, as far as the settings say so."""
    return replace(settings.form, space=settings.space, values=settings.task is not None)


def arrays_of(file: Path, settings: Settings) -> given_inputs.Arrays:
    """Inputs and labels from a file, as the settings name them; raises as ``given_inputs.read`` does."""
    form = form_of(settings)
    return given_inputs.read(file, settings.array, settings.labels, form.values, form.change)


def opened(
    original_path: Path | Function,
    compressed_paths: Sequence[Path | Function],
    arrays: given_inputs.Arrays,
    inputs_path: Path,
    settings: Settings,
    given: GivenFiles,
    files: ForeignFiles,
) -> Opened:
    """Open networks, and run them on inputs.

    Args:
        original_path: file or function.
        compressed_paths: likewise; at least one.
        arrays: content of ``inputs_path``.
        inputs_path: for messages.
        settings: form of the inputs, and the task.
        given: copies of the files.
        files: in whose process files of other formats run.

    Raises:
        QuantriftError: files or inputs do not fit each other.
    """
    form, task = replace(form_of(settings), shape=arrays.values.shape[1:]), settings.task
    first = (
        original(original_path, given.folder(), files, form)
        if isinstance(original_path, Path)
        else called(original_path, arrays.values, form)
    )
    ready = [
        compressed(one, files, form, first.chosen)
        if isinstance(one, Path)
        else called(one, arrays.values, form, like=first.chosen.inputs)
        for one in compressed_paths
    ]
    networks = dict(zip(named(compressed_paths), ready, strict=True))
    assumed = _of_networks(first, ready)
    # What the original says of the inputs is asked for twice; a function is checked as it is.
    asked_once = (
        first if isinstance(first, Called) else replace(first, network=cast(Any, Remembered(first.network, {})))
    )
    said = fitted(arrays, inputs_path, asked_once, ready, form)
    labelled, of_task, found = arrays.labels is not None or arrays.truth is not None, list[str](), dict[str, OnTask]()
    if task is not None:
        first, networks, found, of_task = under_task(task, first, networks, said.inputs, arrays.truth, inputs_path)
    both = _compared(asked_once if task is None else first, networks, said.inputs, found)
    if task is None:
        found = {
            name: on_labels(both[name], labelled, (first, one), said.inputs.class_names)
            for name, one in networks.items()
        }
    return Opened(first, networks, said, labelled, found, both, assumed, of_task)


def named(paths: Sequence[Path | Function]) -> list[str]:
    """A name for each compressed network, from that of its file or function: lower case, unique, fit for folders."""
    names: list[str] = []
    for path in paths:
        own = (
            path.title
            if isinstance(path, Function)
            else "_".join(filter(None, (asked(path).file.stem, asked(path).way)))
        )
        name = re.sub(r"[^a-z0-9]+", "_", own.lower()).strip("_") or "model"
        name = name if name[0].isalpha() else f"model_{name}"
        if name in names:
            name = next(f"{name}_{number}" for number in range(2, len(paths) + 2) if f"{name}_{number}" not in names)
        names.append(name)
    return names


def _of_networks(first: Ready, others: Sequence[Ready]) -> list[str]:
    """Assumptions on the files, one line each; networks that do not fit each other are refused."""
    assumed = [line for one in (first, *others) for line in one.assumed]
    for one in others:
        check_fit(first, one)
        if isinstance(first, Called) or isinstance(one, Called):
            continue
        files = first.file, one.file
        if first.runtime != one.runtime and all(map(Path.is_file, files)) and len({*map(sha256, files)}) == 1:
            assumed.append(
                f"{one.given.name}: the same file as {first.given.name}, run by {in_words(one.runtime)} instead of "
                f"{in_words(first.runtime)}: they differ by kernels and their rounding, not by compression"
            )
        elif line := check_not_swapped(first, one):
            assumed.append(line)
    return list(dict.fromkeys(assumed))


def _compared(
    first: Ready, others: Mapping[str, Ready], inputs: Inputs, found: Mapping[str, OnTask]
) -> dict[str, Comparison]:
    """Name -> outputs of both networks on all inputs; a network that fails on them is refused.

    Under a task, both were run on all inputs before, and their values were checked; ``found`` has these.
    """
    for one in (first, *others.values()):
        if isinstance(one, Called):
            one.check(inputs)
        else:
            check_independence(one.given, one.network, inputs)
    values = {name: one.pseudo(one.outputs) for name, one in found.items() if one.outputs is not None}
    if values:
        return {
            name: Comparison(inputs.labels[inputs.test], one.original, one.compressed) for name, one in values.items()
        }
    before = logits(first.network, inputs, inputs.test)
    both = {
        name: Comparison(inputs.labels[inputs.test], before, logits(one.network, inputs, inputs.test))
        for name, one in others.items()
    }
    for name, one in others.items():
        check_outputs(Subject(name, Paths(Path()), first, one), both[name], inputs)
    return both
