"""Content of ``assessment.json``: all results of an assessment.

Fractions are 0 to 1, ``None`` stands for what is not defined or was not looked at, and files are named relative to the
folder that holds ``assessment.json``.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from typing import Annotated, Literal

from quantrift.core.base.files import write_file
from quantrift.core.networks.graphs.input_sides import Kind
from quantrift.core.page.shared_columns import INPUTS
from quantrift.core.pairs.task import CLASSIFY, Part
from quantrift.core.pairs.task import Task as Definition
from quantrift.core.statistics.column import Column, key, with_interval
from quantrift.judge.intake.dataclass_file import read_dataclass
from quantrift.judge.verdict.suspects import POOR
from quantrift.judge.verdict.tool_result import CLASS, TOOL, Counted, Rate, ToolResult

FILE = "assessment.json"
REPORT = "report.html"
CANDIDATE = key("candidate", "Compressed model", kind="text")
SAYS = key("label_original", "Original says", kind="text"), key("label_compressed", "Compressed says", kind="text")
SHIFT = with_interval(Column("differ", "Difference", "points", "Typical difference over seed inputs (Hodges-Lehmann)."))
QUANTILES = "q05", "q25", "median", "q75", "q95"
"""Fields of the quantiles of margins."""

Verdict = Literal["pass", "inconclusive", "fail"]
"""Verdict on a limit: shown to be kept, not decided by the data, or shown to be exceeded."""


@dataclass(frozen=True)
class Task:
    """Definition of agreement, and the words for it."""

    name: str = "classify"
    definition: str = "both networks give the same label"
    differs: str = "get another label"
    """Predicate of inputs on which the networks do not agree."""
    accuracy: str = "accuracy"
    """Name of the share of the inputs on which a network is right."""
    right: str = "the true label"
    """Meaning of right."""
    outputs: list[str] = field(default_factory=list)
    """Names of the original's outputs that were compared, where they were chosen among several; not in the file of
    others."""

    @staticmethod
    def of(task: Definition) -> "Task":
        """Facts on a task with all its numbers."""
        return Task(task.name, task.definition, task.DIFFERS, task.ACCURACY, task.RIGHT)

    @property
    def labels(self) -> bool:
        """Whether the networks are classifiers, whose labels are compared."""
        return self.name == CLASSIFY


@dataclass(frozen=True)
class Inputs:
    """Inputs that searches start from."""

    file: str
    sha256: str
    number: int
    shape: tuple[int, int, int]
    """Rows, columns and channels of one input, as the networks see it."""
    range: tuple[float, float]
    """Least and greatest value that inputs may take, before and after distortions."""
    classes: list[str]
    """Names of the classes; none under another task than classification."""
    labelled: bool
    """Whether true labels were given; otherwise the original's labels stand for them."""
    kind: Kind = "image"
    """Signals have a shape of (1, steps, channels), rows of a table one of (1, 1, features)."""
    changed: str | None = None
    """Name of the input that searches changed, of networks with several; ``None``, and not in the file, of others."""
    carried: list[str] = field(default_factory=list)
    """Names of the other inputs, whose values went along unchanged; likewise."""


@dataclass(frozen=True)
class Model:
    """A given network: a file, or a function called from Python, of which digest and size are unknown (``None``)."""

    file: str
    """Name of the file, with the way of running behind an ``@`` where one was named; or of the function."""
    sha256: str | None
    bytes: int | None
    runtime: str | None = None
    """Name of the runtime that ran it (``core.networks.runtime``), of the file or of what it was converted to;
    ``None`` where it is unknown."""


@dataclass(frozen=True)
class Limits:
    """Limits that a candidate must keep to pass, as fractions; ``None`` is no limit."""

    max_disagreement: float | None = None
    """Share of the inputs as given with another label than the original's."""
    max_accuracy_drop: float | None = None
    """Accuracy of the original minus that of the candidate; judged where labels are given."""
    max_dir: float | None = None
    """Share of the valid natural changes on which the networks disagree."""
    max_sr: float | None = None
    """Share of the seed inputs from which a search reached a disagreement."""


LIMITS = Limits(max_disagreement=0.05, max_accuracy_drop=0.03, max_dir=0.05)
"""Default limits.

There is no limit on SR: the longer a search is, the more inputs it leads to a disagreement, so that one network would
pass under one profile and fail under another.
"""


@dataclass(frozen=True)
class Judgement:
    """Judgement on one limit: it is held against one figure of a candidate."""

    limit: Literal[
        "max_disagreement", "max_accuracy_drop", "max_dir", "max_sr", "lost_class", "dead_output", "float16_range"
    ]
    """The last three are no options. A class that the candidate hardly gives any more fails it. So does an output with
    a channel that the candidate never moves and the original does (``rate``: the share of the inputs on which it does).
    Values that a candidate in float16 cannot hold keep it from a pass."""
    figure: Annotated[str, Column("figure", "Figure", "text", "Measured quantity that the limit is for.")]
    """Name of the measured figure, in words."""
    tool: Annotated[str | None, TOOL]
    """Title of the tool behind the figure; ``None`` on the inputs as given."""
    rate: Annotated[Rate, with_interval(Column("figure_share", "Value", "fraction"))]
    allowed: Annotated[float, Column("allowed_share", "Limit", "fraction")]
    verdict: Annotated[
        Verdict, Column("verdict", "Verdict", "text", "Kept, exceeded or not decided; see above the table.")
    ]
    count: Annotated[int, INPUTS]
    """Number of inputs, or seed inputs, behind the figure."""
    needed: Annotated[
        int | None,
        Column(
            "needed",
            "Would decide",
            "count",
            "About how many decide in 19 of 20 cases; a dash where that cannot be said.",
        ),
    ]
    """About how many inputs, these among them, decide in 19 of 20 cases (``more_inputs``); ``None`` where it is decided
    or cannot be said. In files of earlier versions: if the figure stays."""
    seeds: int | None
    """The ``--seeds`` with which an assessment looks at so many; ``None`` for the inputs as given."""
    text: str
    """The judgement on one line."""
    needed_least: Annotated[
        int | None, Column("needed_least", "May decide", "count", "About how many inputs decide in one of 40 cases.")
    ] = None
    """About how many inputs decide in one of 40 cases; ``None`` as for ``needed``, and in files of earlier versions."""


@dataclass(frozen=True)
class Margins:
    """Margins of a network: probability of its likeliest class minus that of the next, quantiles over inputs."""

    network: Annotated[Literal["original", "compressed"], key("network", "Model", kind="text")]
    on: Annotated[
        Literal["inputs", "searched with disagreement", "searched without disagreement"],
        Column(
            "on",
            "On",
            "text",
            "Inputs that the quantiles are over: all, or seed inputs with or without a natural disagreement.",
        ),
    ]
    """Inputs in question: all, or the seed inputs from which a natural tool did or did not reach a disagreement."""
    inputs: Annotated[int, INPUTS]
    q05: Annotated[float, Column("q05", "5 %", meaning="Quantile of the margin.")]
    q25: Annotated[float, Column("q25", "25 %", meaning="Quantile of the margin.")]
    median: Annotated[float, Column("median", "50 %", meaning="Quantile of the margin.")]
    q75: Annotated[float, Column("q75", "75 %", meaning="Quantile of the margin.")]
    q95: Annotated[float, Column("q95", "95 %", meaning="Quantile of the margin.")]


@dataclass(frozen=True)
class ClassFlips:
    """Labels by the candidate of the inputs to which the original gives one class."""

    name: Annotated[str, CLASS]
    original: Annotated[int, Column("n_original", "Original", "count", "Inputs to which the original gives the class.")]
    """Inputs to which the original gives the class."""
    compressed: Annotated[
        int, Column("n_compressed", "Compressed", "count", "Inputs to which the compressed model gives the class.")
    ]
    """Inputs to which the candidate gives the class."""
    flipped: Annotated[int, Column("n_flipped", "Lost", "count", "Inputs to which only the original gives the class.")]
    """Inputs of the original's class to which the candidate gives another one."""


@dataclass(frozen=True)
class Clean:
    """Both networks on the inputs as they were given."""

    agreement: Rate
    """Share of the inputs with the same label from both, Clopper and Pearson."""
    disagreement: Annotated[
        Rate,
        with_interval(
            Column(
                "disagreement_share",
                "Disagree",
                "fraction",
                "Inputs, as given, to which the models give different labels.",
            )
        ),
    ]
    """Share of the inputs with different labels."""
    disagreeing: Annotated[int, Column("disagreeing", "Inputs", "count", "Their number.")]
    """Number of the inputs with different labels."""
    right_to_wrong: Annotated[
        int | None,
        Column("right_to_wrong", "Right to wrong", "count", "Of these, those that the original alone gets right."),
    ]
    """Disagreements in which only the original is right; ``None`` without labels."""
    wrong_to_right: Annotated[
        int | None,
        Column("wrong_to_right", "Wrong to right", "count", "Those that the compressed model alone gets right."),
    ]
    between_wrong: Annotated[
        int | None,
        Column("between_wrong", "Wrong in both", "count", "Those that both get wrong, with different labels."),
    ]
    drop: Rate | None
    """Accuracy of the original minus that of the candidate, Bonett and Price; ``None`` without labels."""
    classes: list[ClassFlips]
    accuracy_original: Annotated[
        float | None,
        Column("accuracy_original", "Accuracy original", "fraction", "Accuracy of the original before compression."),
    ]
    accuracy_compressed: Annotated[
        float | None, Column("compressed_accuracy", "Accuracy compressed", "fraction", "Correctly classified inputs.")
    ]
    margins: list[Margins]
    parts: list[Part] = field(default_factory=list)
    """Differences of each output, under another task than classification."""
    foretold: Annotated[
        Rate,
        with_interval(
            Column(
                "foretold_share",
                "Foretold",
                "fraction",
                "Inputs of this kind on which the models would disagree, by the margin law: from both models' logits "
                "near the boundary, also where no disagreement is seen. No limit depends on it.",
            )
        ),
    ] = field(default_factory=lambda: Rate(None, None, None))
    """Share of such inputs with a disagreement by the margin law (``quantrift.core.statistics.margin_law``); without a
    value where that does not hold or logits are unknown, and in files of earlier versions."""
    foretold_note: str | None = None
    """Why there is none, or what speaks against it."""


@dataclass(frozen=True)
class Shrunk:
    """A difference-inducing input and the smallest sets of its distortions that still make the networks disagree."""

    tool: Annotated[str, TOOL]
    seed: Annotated[int, key("seed", "Input", "Number of the seed input among the inputs given.", "text")]
    """Number of its seed input among the inputs."""
    evaluation: int
    """Number of the candidate in its search."""
    true_label: Annotated[
        str, key("true_label", "True class", "Without labels, what the original says of the seed input.", "text")
    ]
    label_original: Annotated[str, SAYS[0]]
    label_compressed: Annotated[str, SAYS[1]]
    distortions: Annotated[
        list[str], Column("before", "Switched on", "text", "Distortions of the input as it was found.")
    ]
    smallest: Annotated[
        list[list[str]],
        Column("smallest", "Needed", "text", "Smallest sets of its distortions with which the models still disagree."),
    ]
    exact: Annotated[
        bool, Column("exact", "Exact", "flag", "Whether all subsets of its distortions were tried in order of size.")
    ]
    """Whether there is no smaller set; otherwise distortions were switched off one by one."""
    dii: int | None
    """Its row in ``dii_file``, where it is stored there."""


@dataclass(frozen=True)
class Need:
    """A set of distortions that is the smallest for some shrunk inputs of a tool."""

    tool: Annotated[str, TOOL]
    distortions: Annotated[list[str], key("distortions", "Distortions", "A set that suffices.", "text")]
    share: Annotated[
        Rate,
        with_interval(
            Column("need_share", "Suffices", "fraction", "Shrunk inputs for which the set is a smallest one.")
        ),
    ]
    """Share of the shrunk inputs."""
    inputs: Annotated[int, Column("n_shrunk", "DIIs shrunk", "count", "Difference-inducing inputs that were shrunk.")]
    """Shrunk inputs, of seed inputs on which the networks agree."""


@dataclass(frozen=True)
class Layer:
    """Error of a layer of the compressed network against the original's, errors of the layers before included."""

    layer: Annotated[str, key("layer", "Layer", "Of the original.", "text")]
    type: Annotated[str, Column("type", "Type", "text")]
    sqnr_db: Annotated[
        float | None,
        Column(
            "sqnr_db",
            "SQNR inputs",
            "decibel",
            "Signal-to-quantization-noise ratio; it includes the errors of the layers before.",
        ),
    ]
    """SQNR on the inputs as given; ``None`` where both layers are equal throughout."""
    cosine: Annotated[
        float | None,
        Column("cosine", "Cosine", meaning="Of the angle between both outputs of the layer, on the inputs as given."),
    ]
    sqnr_db_seeds: Annotated[
        float | None, Column("sqnr_db_seeds", "SQNR seeds", "decibel", "The same on the seed inputs of what was found.")
    ]
    """SQNR on the seed inputs of the difference-inducing inputs."""
    sqnr_db_dii: Annotated[
        float | None,
        Column("sqnr_db_dii", "SQNR DIIs", "decibel", "The same on the difference-inducing inputs of natural changes."),
    ]
    """SQNR on the difference-inducing inputs of the natural tools."""
    suspect: Annotated[
        str | None,
        Column(
            "suspect", "Suspected", "flag", "Whether the layer seems to be quantized wrongly; the list above says why."
        ),
    ]
    """Why the layer is suspected of being quantized wrongly, one line (``quantrift.judge.verdict.suspects``)."""
    added_sqnr_db: Annotated[
        float | None,
        Column(
            "added_sqnr_db",
            "SQNR own",
            "decibel",
            "Ratio that the layer's own error leaves, on the inputs that it reads itself.",
        ),
    ] = None
    """On the inputs as given, of the error that the layer itself adds (``networks.layer_comparison``); ``None``
    where it adds none, and where the original is not in float."""
    changed: Annotated[
        int | None,
        Column("changed", "Labels changed", "count", "By the error of a suspected layer alone, put into the original."),
    ] = None
    """Inputs, of a few, that change their label so; ``None`` of layers that are not suspected, and where none can run
    alone."""


@dataclass(frozen=True)
class Audit:
    """Audit of the types in which a .tflite file computes."""

    int8_mac_share: Annotated[
        float,
        Column(
            "int8_mac_share",
            "8-bit MACs",
            "fraction",
            "Multiply-accumulates that run in 8 bits, by the audit of the converted file.",
        ),
    ]
    not_int8: str
    """Operations that multiply in other types than int8, as display names."""
    weight_bits: int


@dataclass(frozen=True)
class Candidate:
    """One compressed network."""

    name: str
    model: Model
    audit: Audit | None
    """``None`` for .onnx files."""
    clean: Clean
    tools: list[ToolResult]
    shrunk: list[Shrunk]
    needs: list[Need]
    """Needed sets of distortions, most frequent first."""
    layers: list[Layer]
    """In the order of computation; empty where layers cannot be seen or share no names."""
    layers_note: str | None
    """Why ``layers`` is empty, where that is no failure."""
    dii_file: str
    """.npz: inputs on which the networks disagree, and what the verdict counts (``judge.verdict.dii_file``)."""
    records: str
    """Results folder of its searches."""
    verdict: Verdict
    judgements: list[Judgement]
    """Judgements that decide, in order: inputs as given first."""
    findings: list[str] = field(default_factory=list)
    """Other faults, like an input that cuts values off, one line each."""
    certified: list[Counted] = field(default_factory=list)
    """Neighbourhoods in which inputs were certified; none where that was not asked for. They decide no limit."""

    @property
    def reasons(self) -> list[str]:
        """One line for each limit: figure, interval, limit and what follows."""
        return [one.text for one in self.judgements]

    @property
    def titles(self) -> dict[str, str]:
        """Id of each tool -> display name."""
        return {tool.tool: tool.title for tool in self.tools}

    @property
    def suspects(self) -> list[Layer]:
        """Layers that seem to be quantized wrongly (``suspected``)."""
        return suspected(self.layers)


def suspected(layers: Sequence[Layer]) -> list[Layer]:
    """The suspected ones, the largest error of their own first; those that give NaN or infinity before all others.

    A layer that merely stands out in its network, and whose error is shown to change no label, is left out.
    """

    def ratio(layer: Layer) -> float:
        return -inf if layer.added_sqnr_db is None else layer.added_sqnr_db

    found = [layer for layer in layers if layer.suspect and (layer.changed != 0 or ratio(layer) < POOR)]
    return sorted(found, key=ratio)


def blamed(layers: Sequence[Layer]) -> list[str]:
    """The suspected ones (``suspected``), one clause each."""
    return [f"layer {one.layer} seems to be quantized wrongly: {one.suspect}" for one in suspected(layers)]


@dataclass(frozen=True)
class Comparison:
    """Two candidates under one tool on the same seed inputs."""

    tool: Annotated[str, TOOL]
    metric: Annotated[Literal["sr", "dir"], key("metric", "Metric", kind="text")]
    first: Annotated[str, key("first", "First", "Compressed model that is compared.", "text")]
    second: Annotated[str, key("second", "Second", "Compressed model that it is compared with.", "text")]
    first_value: Annotated[float | None, Column("first_share", "First rate", "fraction", "Rate of the first model.")]
    second_value: Annotated[
        float | None, Column("second_share", "Second rate", "fraction", "Rate of the second model.")
    ]
    inputs: Annotated[int, INPUTS]
    first_alone: Annotated[
        int | None,
        Column(
            "first_alone",
            "First alone",
            "count",
            "Seed inputs on which only the first model disagrees with the original.",
        ),
    ]
    """SR: seed inputs on which the first alone disagrees with the original; ``None`` for DiR."""
    second_alone: Annotated[
        int | None,
        Column(
            "second_alone",
            "Second alone",
            "count",
            "Seed inputs on which only the second model disagrees with the original.",
        ),
    ]
    shift: Annotated[float | None, SHIFT[0]]
    """DiR: Hodges-Lehmann shift of first minus second over seed inputs, with its interval; ``None`` for SR."""
    shift_low: Annotated[float | None, SHIFT[1]]
    shift_high: Annotated[float | None, SHIFT[2]]
    p: float | None
    """SR: McNemar, exact. DiR: sign flips of Pratt's signed ranks over seed inputs; ``None`` below 6 inputs."""
    p_holm: Annotated[
        float | None, Column("holm", "p Holm", "p", "p-value after Holm's correction over all comparisons.")
    ]
    """Holm over all comparisons of the assessment."""


@dataclass(frozen=True)
class Ranking:
    """Several candidates, fewest disagreements first."""

    by: str
    """Tool whose DiR decides on the order; SR, then names, on ties."""
    order: list[str]
    comparisons: list[Comparison]
    text: str
    """One line: who ranks first, and whether a difference is significant at 5 % after Holm."""


@dataclass(frozen=True)
class Assessment:
    """All results of an assessment."""

    command: str
    """Command that repeats the assessment."""
    profile: str
    space: str
    """Space of the distortions of natural tools."""
    versions: dict[str, str]
    original: Model
    inputs: Inputs
    assumed: list[str]
    """Assumptions on files and inputs, one line each."""
    seeds: int
    """Seed inputs that each search started from; ``ToolResult.searches`` has those of random sampling."""
    limits: Limits
    verdict: Verdict
    """Worst verdict of the candidates."""
    verdict_text: str
    """The verdict in one sentence."""
    candidates: list[Candidate]
    ranking: Ranking | None = None
    """``None`` for a single candidate, and where it failed."""
    notes: list[str] = field(default_factory=list)
    """Notes on what was left out, and why."""
    task: Task = field(default_factory=Task)
    failed: list[str] = field(default_factory=list)
    """Diagnoses that failed, and why, one line each; the verdict stands without them."""


def write(assessment: Assessment, folder: Path) -> None:
    """Write ``assessment.json`` to ``folder``."""
    # Names of files may hold bytes that are no text; what the locale could not read as UTF-8 is read as such here.
    whole = asdict(assessment)
    if not assessment.inputs.carried:
        # What does not apply is left out, so that other assessments are the files that they were.
        del whole["inputs"]["changed"], whole["inputs"]["carried"]
    if not assessment.task.outputs:
        del whole["task"]["outputs"]
    content = json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False).encode("utf-8", "surrogateescape")
    write_file(folder / FILE, content.decode("utf-8", "replace") + "\n")


def read(folder: Path) -> Assessment:
    """Read the assessment that ``write`` wrote to ``folder``.

    Raises:
        QuantriftError: if there is none, or it is damaged.
    """
    return read_dataclass(folder / FILE, Assessment, "an assessment", "quantrift assess")
