"""Content of ``mend.json``: all results of a mending. Fractions are 0 to 1, ``None`` stands for what does not exist."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from quantrift.core.base.files import write_json
from quantrift.core.statistics.column import Column, key, with_interval
from quantrift.core.statistics.mended_networks import COUNTED, SIZE
from quantrift.judge.intake.dataclass_file import read_dataclass
from quantrift.judge.mend.settings import Rest
from quantrift.judge.verdict.assessment import Limits, Model, Verdict
from quantrift.judge.verdict.tool_result import Rate

FILE = "mend.json"
KEPT, BYTES, SHARE = SIZE
EVENTS, CASES, RATE = COUNTED[0], COUNTED[1], COUNTED[2:]

State = Literal["mended", "quantized anew", "kept its limits already", "not mended"]
"""Layers were left in float; quantizing the original anew, with the best calibration, was enough; there was nothing to
mend; nothing helped."""


@dataclass(frozen=True)
class Split:
    """Numbers of inputs of each part."""

    seed: int
    calibration: int
    selection: int
    fresh: int


@dataclass(frozen=True)
class Calibration:
    """A choice of calibration, with everything in 8 bits, on the selection inputs and their changes."""

    method: Annotated[str, key("method", "Ranges", "Method that turns values of activations into ranges.", "text")]
    inputs: Annotated[
        str, key("inputs", "Measured on", "Inputs for calibration, as given or with natural changes.", "text")
    ]
    """``given``, or ``given and changed``."""
    events: Annotated[int, EVENTS]
    """Disagreements."""
    cases: Annotated[int, CASES]
    rate: Annotated[Rate, RATE]
    passes: Annotated[bool, Column("passes", "Keeps the limits", "flag", "On the selection inputs and their changes.")]
    """Whether every limit is shown to be kept there."""
    chosen: Annotated[bool, Column("chosen", "Chosen", "flag")]


@dataclass(frozen=True)
class Sensitivity:
    """Cost of quantizing one unit."""

    unit: Annotated[str, key("unit", "Unit", "A layer, with what only moves its values.", "text")]
    kind: Annotated[str, Column("kind", "Operation", "text")]
    """Its operation that computes, like ``CONV_2D``."""
    macs: Annotated[int, Column("macs", "MACs", "count", "Multiply-accumulates for one input.")]
    alone: Annotated[
        int, Column("alone", "In 8 bits alone", "count", "Disagreements where this unit alone is in 8 bits.")
    ]
    """Disagreements on the selection inputs and their changes where it alone is in 8 bits."""
    alone_rate: Annotated[
        Rate,
        with_interval(Column("alone_rate", "Share, alone", "fraction", "Disagreements in 8 bits alone, as a share.")),
    ]
    restored: Annotated[
        int, Column("restored", "Restored alone", "count", "Disagreements where this unit alone is not in 8 bits.")
    ]
    """Disagreements where it alone is in float."""
    restored_rate: Annotated[
        Rate,
        with_interval(
            Column("restored_rate", "Share, restored", "fraction", "Disagreements restored alone, as a share.")
        ),
    ]
    gain: Annotated[int, Column("gain", "Gain", "count", "Disagreements that restoring this unit takes away.")]
    """Disagreements that restoring it to float takes away; negative where there are more."""
    sqnr_db: Annotated[
        float | None,
        Column("sqnr_db", "SQNR", "decibel", "Of the output of the unit, errors of the units before included."),
    ]
    """SQNR of its output with everything in 8 bits, errors of the units before included; ``None`` where its output is
    not found in both files, or equal in both."""
    added_sqnr_db: Annotated[
        float | None, Column("added_sqnr_db", "Own SQNR", "decibel", "Of the error that the unit adds itself.")
    ]
    """SQNR of the error that the unit adds itself; likewise."""
    foretold: Annotated[
        float | None,
        Column(
            "foretold", "Foretold, alone", "fraction", "Share in 8 bits alone, by the margin law (docs/metrics.md)."
        ),
    ]
    """Share of the selection inputs with another label where this unit alone is in 8 bits, by the margin law; ``None``
    where it does not hold."""
    note: str | None
    """Why there is no SQNR."""


@dataclass(frozen=True)
class Correlation:
    """Rank correlation, over units, of a cost by disagreements with another figure of the unit."""

    cost: Annotated[str, key("cost", "Cost", "Disagreements in 8 bits alone, or gain of restoring.", "text")]
    """``alone`` or ``gain``."""
    ratio: Annotated[str, key("ratio", "Beside", "SQNR with errors of the units before, or own; margin law.", "text")]
    """``sqnr_db``, ``added_sqnr_db`` or ``foretold``."""
    units: Annotated[int, Column("units", "Units", "count")]
    """Units that have both."""
    spearman: Annotated[
        float | None,
        Column("spearman", "Spearman", "number", "Rank correlation of the cost with the other: 1 is the same order."),
    ]
    """1 where the order by low SQNR, or by the margin law, is that by disagreements; ``None`` below three units, and
    where one of them is the same for all."""
    kendall: Annotated[float | None, Column("kendall", "Kendall", "number", "Kendall's tau-b of the same.")]
    """Kendall's tau-b; likewise."""


@dataclass(frozen=True)
class Point:
    """A network with the first units of an order in float, on the selection inputs and their changes."""

    order: Annotated[str, key("order", "Order", "Order in which units go back to float.", "text")]
    """``disagreement``, ``SQNR``, ``margin law`` or ``random 1`` and so on; ``mended`` for the network that was
    written."""
    kept: Annotated[int, KEPT]
    """Units in float."""
    size: Annotated[int, BYTES]
    """Bytes of the file."""
    int8_mac_share: Annotated[float, SHARE]
    events: Annotated[int, EVENTS]
    cases: Annotated[int, CASES]
    rate: Annotated[Rate, RATE]


@dataclass(frozen=True)
class OnFresh:
    """A network on inputs that nothing was chosen by, and natural changes of them."""

    network: Annotated[str, key("network", "Network", kind="text")]
    kept: Annotated[int | None, KEPT]
    """Units in float; ``None`` for the file as given."""
    size: Annotated[int, BYTES]
    int8_mac_share: Annotated[float | None, SHARE]
    """``None`` where the file as given does not tell."""
    events: Annotated[int, EVENTS]
    cases: Annotated[int, CASES]
    rate: Annotated[Rate, RATE]


@dataclass(frozen=True)
class Mending:
    """All results of a mending."""

    command: str
    versions: dict[str, str]
    original: Model
    compressed: Model
    inputs: str
    """Name of their file."""
    inputs_sha256: str
    split: Split
    limits: Limits
    margin: float
    """Share by which each limit was tighter while layers were chosen."""
    notes: list[str]
    fresh: list[OnFresh]
    mended: Model | None
    """The file that was written, if one was."""
    verdict: Verdict
    """On fresh inputs, by the assessment of them; ``fail`` where nothing helped."""
    verdict_text: str
    assumed: list[str] = field(default_factory=list)
    state: State = "kept its limits already"
    weights: str | None = None
    """``channel`` or ``tensor``: what a scale of the weights holds for; like all that follows, empty where there was
    nothing to mend."""
    rest: Rest = "float"
    """Numbers of the units in ``kept``."""
    quantizer: str | None = None
    """Distribution that quantized."""
    calibrations: list[Calibration] = field(default_factory=list)
    sensitivities: list[Sensitivity] = field(default_factory=list)
    """In the order of computation."""
    correlations: list[Correlation] = field(default_factory=list)
    units: int | None = None
    """Units that can be in 8 bits."""
    kept: list[str] = field(default_factory=list)
    """Units in float, or as ``rest`` says, in the order of computation."""
    floats: list[str] = field(default_factory=list)
    """Operations that stay in float whatever is asked for, one line each."""
    tried: int = 0
    """Networks that were built and run on the selection inputs."""
    curve: list[Point] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Diagnoses that failed, and why, one line each; the mended file and the verdict stand without them."""


def write(found: Mending, folder: Path) -> None:
    """Write ``mend.json`` to ``folder``."""
    write_json(folder / FILE, asdict(found))


def read(folder: Path) -> Mending:
    """Read the results that ``write`` wrote to ``folder``.

    Raises:
        QuantriftError: if there are none, or they are damaged.
    """
    return read_dataclass(folder / FILE, Mending, "a mending", "quantrift mend")
