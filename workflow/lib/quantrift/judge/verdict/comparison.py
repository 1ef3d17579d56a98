"""Comparison of networks on inputs as given: no search, no space of changes, and no limits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.special import softmax

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.networks.beside_original import Comparison
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.judge.intake.given_functions import Function
from quantrift.judge.verdict import assessment as told
from quantrift.judge.verdict.answer import unchanged
from quantrift.judge.verdict.candidate import broken_original, layers_of, model_of, why_no_layers, with_exchanged
from quantrift.judge.verdict.candidate_searches import Subject, layers_on
from quantrift.judge.verdict.causes import causes
from quantrift.judge.verdict.clean_inputs import compared, foretold
from quantrift.judge.verdict.opened_networks import arrays_of, opened
from quantrift.judge.verdict.profiles import Settings
from quantrift.judge.verdict.under_task import OnTask
from quantrift.judge.verdict.verdict import judged

LAYER_INPUTS, LAYER_NUMBERS = 64, 300_000
"""Inputs on which layers are compared, and the numbers that these inputs may hold; eight inputs may hold more."""
SHOWN = 5
"""Layers, and outputs, that the text shows."""


@dataclass(frozen=True)
class OutputError:
    """Difference of both networks' outputs."""

    of: Literal["logits", "probabilities"]
    """What is compared: probabilities where a network gives them, as the logarithm of a rounded 0 says nothing."""
    sqnr_db: float | None
    """Signal-to-quantization-noise ratio over all outputs, in dB; ``None`` where they are equal."""
    median: float
    """Of the largest difference of each input."""
    largest: float
    range: float
    """Largest less least output of the original."""


@dataclass(frozen=True)
class Compared:
    """One compressed network beside the original."""

    name: str
    model: told.Model
    clean: told.Clean
    """Agreement, and accuracies where labels were given."""
    error: OutputError | None
    """``None`` under another task than classification, where ``clean.parts`` has the differences of each output."""
    causes: list[str]
    """What explains disagreements, one line each, the likeliest first."""
    layers: list[told.Layer]
    """In the order of computation; none where they cannot be seen."""
    layers_note: str | None
    """Why they cannot."""


@dataclass(frozen=True)
class Comparisons:
    """Outcome of a comparison; the content of what ``quantrift compare --json`` prints."""

    original: told.Model
    inputs: int
    """Their number."""
    task: told.Task
    assumed: list[str]
    networks: list[Compared]


def compare(
    original: Path | Function, compressed: Sequence[Path | Function], inputs: Path, settings: Settings | None = None
) -> Comparisons:
    """Run networks on inputs once, and say how far they agree and where they begin to differ.

    Args:
        original: as for ``assess``; likewise the others.
        compressed: at least one.
        inputs: .npz file.
        settings: form of the inputs and task; all else in them counts for nothing.

    Raises:
        QuantriftError: a file cannot be read or run, or files do not fit each other.
    """
    settings = settings or Settings()
    with GivenFiles() as given, ForeignFiles() as files:
        networks = [one if isinstance(one, Function) else given.network(one) for one in (*compressed, original)]
        file = given.file(inputs)
        pair = opened(networks[-1], networks[:-1], arrays_of(file, settings), file, settings, given, files)
        return Comparisons(
            original=model_of(pair.first),
            inputs=len(pair.inputs),
            task=told.Task.of(next(iter(pair.found.values())).task),
            assumed=[*pair.assumed, *pair.said.assumed, *pair.of_task],
            networks=[
                beside(
                    Subject(name, Paths(Path()), pair.first, one),
                    pair.both[name],
                    pair.found[name],
                    pair.inputs,
                    [finding.text for finding in pair.said.findings if finding.expected.name == one.given.name],
                )
                for name, one in pair.networks.items()
            ],
        )


def beside(subject: Subject, both: Comparison, found: OnTask, inputs: Inputs, findings: Sequence[str] = ()) -> Compared:
    """One compressed network beside the original.

    Args:
        subject: both networks.
        both: logits of both on all inputs, or what stands for them under a task.
        found: both under the task.
        inputs: as the networks take them.
        findings: faults that are known already, one line each.
    """
    errors = layers_on(subject, inputs, max(8, min(LAYER_INPUTS, LAYER_NUMBERS // inputs.take([0]).size)))
    shown = causes(subject.compressed, both, inputs, found)
    layers = with_exchanged(subject, inputs, layers_of(errors, {}, explained=bool(shown)))
    clean = compared(both, found, inputs.class_names)
    error = None
    if found.agreement is None:
        error = _error(both, subject.original.probabilities or subject.compressed.probabilities)
        share, note = foretold(both, inputs.clusters(inputs.test))
        clean = replace(clean, foretold=share, foretold_note=note)
    broken = judged(clean, len(inputs), [], told.Limits(), found.task.ACCURACY, found.dead)
    because = [
        *findings,
        *shown,
        *broken_original(errors),
        *told.blamed(layers),
        # Where classes are exchanged, none of them is lost; classes that are lost are no cause, but what came of it.
        *(judgement.text for judgement in broken if judgement.verdict == "fail" and not shown),
    ]
    return Compared(
        subject.name, model_of(subject.compressed), clean, error, because, layers, why_no_layers(subject, errors)
    )


def _error(both: Comparison, probabilities: bool) -> OutputError:
    first, second = both.of_original.astype(np.float64), both.of_compressed.astype(np.float64)
    if probabilities:
        first, second = softmax(first, axis=1), softmax(second, axis=1)
    noise, largest = float(np.square(first - second).sum()), np.abs(first - second).max(axis=1)
    return OutputError(
        of="probabilities" if probabilities else "logits",
        sqnr_db=10 * float(np.log10(np.square(first).sum() / noise)) if noise else None,
        median=float(np.median(largest)),
        largest=float(largest.max()),
        range=float(np.ptp(first)),
    )


def text(found: Comparisons) -> Iterator[str]:
    """The comparison in lines: of each network its agreement, the size of errors, causes, and the worst layers."""
    for one in found.networks:
        yield f"{one.name}: {unchanged(one.clean, found.inputs, found.task)}"
        if one.error is not None:
            yield f"  outputs: {_in_words(one.error)}"
        parts = sorted(one.clean.parts, key=lambda part: part.differing / max(part.of, 1), reverse=True)
        yield from (f"  {part.name}: differs on {part.differing:,} of {part.of:,}" for part in parts[:SHOWN])
        if len(parts) > SHOWN:
            yield f"  and {len(parts) - SHOWN:,} outputs that differ less often; --json has all"
        yield from (f"  cause: {cause}" for cause in one.causes)
        if one.layers_note is not None:
            yield f"  layers: {one.layers_note}"
        known = [layer for layer in one.layers if layer.added_sqnr_db is not None]
        for layer in sorted(known, key=lambda layer: layer.added_sqnr_db or 0.0)[:SHOWN]:
            whole = "" if layer.sqnr_db is None else f", {layer.sqnr_db:.1f} dB with inherited errors"
            yield f"  layer {layer.layer}: {layer.added_sqnr_db:.1f} dB on its own input{whole}"


def _in_words(error: OutputError) -> str:
    if error.sqnr_db is None:
        return "equal in both"
    return (
        f"SQNR {error.sqnr_db:.1f} dB; largest difference {error.largest:.3g}, in half of the inputs below "
        f"{error.median:.3g}, of {error.of} that span {error.range:.3g}"
    )
