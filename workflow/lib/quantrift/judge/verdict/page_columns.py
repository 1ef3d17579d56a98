"""Columns of the tables in an assessment's report; their rows are in ``quantrift.judge.verdict.page_tables``."""

from dataclasses import replace

from quantrift.core.page.shared_columns import RATES as OF_SEARCHES
from quantrift.core.statistics.column import Column, Columns, with_interval
from quantrift.judge.verdict.assessment import Task


def _named(name: str, label: str, meaning: str = "") -> Column:
    """A key column of text."""
    return Column(name, label, "text", meaning, "key")


def _share(name: str, label: str, meaning: str = "") -> Columns:
    """A share with its interval."""
    return with_interval(Column(name, label, "fraction", meaning))


def _count(name: str, label: str, meaning: str = "") -> Column:
    return Column(name, label, "count", meaning)


CANDIDATE = _named("candidate", "Compressed model")
TOOL = _named("tool", "Tool")
CLASS = _named("class", "Class", "True class of the seed inputs; without labels, what the original says.")
SAYS = (_named("label_original", "Original says"), _named("label_compressed", "Compressed says"))
INPUTS = Column("inputs", "Inputs", "count", group="runs")
SEEDS = _count("seeds", "Seed inputs", "Inputs that searches start from.")
SR = with_interval(OF_SEARCHES["sr"])
N_DII = _count("n_dii", "DIIs", "Difference-inducing inputs among the candidates.")
N_GENERATED = _count("n_generated", "Candidates", "Candidates of all searches.")

JUDGEMENTS = (
    CANDIDATE,
    Column("verdict", "Verdict", "text", "Kept, exceeded or not decided; see above the table."),
    Column("figure", "Figure", "text", "Measured quantity that the limit is for."),
    TOOL,
    *_share("figure_share", "Value"),
    Column("allowed_share", "Limit", "fraction"),
    INPUTS,
    _count("needed_least", "May decide", "About how many inputs decide in one of 40 cases."),
    _count("needed", "Would decide", "About how many decide in 19 of 20 cases; a dash where that cannot be said."),
)
CERTIFIED = (
    CANDIDATE,
    _named("neighbourhood", "Neighbourhood", "Changes of an input, in numbers that quantrift certify takes."),
    _count("members", "Members", "Images of one input's neighbourhood; a dash for boxes, as nobody counts them."),
    *_share("certified_share", "Certified", "Inputs certified by running every member, or proven by bounds."),
    _count("certified", "By enumeration", "Inputs of which both networks give every member the same label."),
    _count("proven", "By bounds", "Inputs of which bounds prove it, for boxes."),
    _count("counterexamples", "Counterexample", "Inputs with a member to which the networks give different labels."),
    _count("unfinished", "Unfinished", "Inputs of which not all members were run."),
    _count("unknown", "Unknown", "Inputs of which bounds neither prove it nor a counterexample was found."),
    INPUTS,
)
CLEAN = (
    CANDIDATE,
    *_share("disagreement_share", "Disagree", "Inputs, as given, to which the models give different labels."),
    _count("disagreeing", "Inputs", "Their number."),
    _count("right_to_wrong", "Right to wrong", "Of these, those that the original alone gets right."),
    _count("wrong_to_right", "Wrong to right", "Those that the compressed model alone gets right."),
    _count("between_wrong", "Wrong in both", "Those that both get wrong, with different labels."),
    Column("accuracy_original", "Accuracy original", "fraction", "Accuracy of the original before compression."),
    Column("compressed_accuracy", "Accuracy compressed", "fraction", "Correctly classified inputs."),
    Column(
        "int8_mac_share",
        "8-bit MACs",
        "fraction",
        "Multiply-accumulates that run in 8 bits, by the audit of the converted file.",
    ),
    Column("size_bytes", "Size", "bytes", "Size of the converted file."),
    Column("size_bytes_original", "Size original", "bytes", "Size of the original's converted file."),
)
OUTPUTS = (
    _named("output", "Output"),
    _count("n_differing", "Differ", "Inputs, or boxes, on which the models do not agree in this output."),
    _count("n_of", "Of", "Inputs, or boxes, in all."),
    Column("mean_difference", "Mean difference", meaning="Mean absolute difference over the inputs."),
    Column("largest_difference", "Largest difference", meaning="Largest absolute difference."),
    Column("unit", "Unit", "text", "Unit of the differences, or what is counted."),
)


def clean(task: Task) -> Columns:
    """Columns of the table on the inputs as given, in the words of a task."""
    if task.labels:
        return CLEAN
    meanings = {
        "disagreement_share": f"Inputs that {task.differs}.",
        "right_to_wrong": f"Inputs for which the original's output alone is {task.right}.",
        "wrong_to_right": f"Inputs for which the compressed model's output alone is {task.right}.",
        "between_wrong": f"Inputs on which the models disagree and neither output is {task.right}.",
        "accuracy_original": f"Of the original: {task.accuracy}.",
        "compressed_accuracy": f"Of the compressed model: {task.accuracy}.",
    }
    return tuple(replace(one, meaning=meanings.get(one.name, one.meaning)) for one in CLEAN)


RATES = (
    CANDIDATE,
    TOOL,
    Column(
        "kind",
        "Changes",
        "text",
        "Natural: changes that cameras, sensors and weather cause too, within a limit. Noise: changed pixels and blurs "
        "without a limit, until the models disagree.",
    ),
    *with_interval(OF_SEARCHES["dir_valid"]),
    Column("limit_dir", "DiR limit", "fraction", "Greatest DiR that passes."),
    *SR,
    Column("limit_sr", "SR limit", "fraction", "Greatest SR that passes."),
    OF_SEARCHES["vr"],
    OF_SEARCHES["dir"],
    N_DII,
    N_GENERATED,
    Column(
        "queries_median",
        "Queries median",
        meaning="Median over seed inputs; a failed search counts with all of its queries.",
    ),
    SEEDS,
)
RANKING = (
    _named("first", "First", "Compressed model that is compared."),
    _named("second", "Second", "Compressed model that it is compared with."),
    _named("metric", "Metric"),
    TOOL,
    Column("first_share", "First rate", "fraction", "Rate of the first model."),
    Column("second_share", "Second rate", "fraction", "Rate of the second model."),
    _count("first_alone", "First alone", "Seed inputs on which only the first model disagrees with the original."),
    _count("second_alone", "Second alone", "Seed inputs on which only the second model disagrees with the original."),
    *with_interval(Column("differ", "Difference", "points", "Typical difference over seed inputs (Hodges-Lehmann).")),
    Column("holm", "p Holm", "p", "p-value after Holm's correction over all comparisons."),
    INPUTS,
)
FLIPPED = (
    CLASS,
    _count("n_original", "Original", "Inputs to which the original gives the class."),
    _count("n_compressed", "Compressed", "Inputs to which the compressed model gives the class."),
    _count("n_flipped", "Lost", "Inputs to which only the original gives the class."),
    Column("flipped_share", "Lost share", "fraction", "Lost inputs as a share of the original's."),
)
ODDS = (
    _named("distortion", "Distortion", "Distortion of the space."),
    TOOL,
    *with_interval(
        Column(
            "odds_ratio",
            "Odds ratio",
            meaning="Odds that the distortion is switched on in difference-inducing inputs, divided by its odds in "
            "other valid candidates.",
        )
    ),
    Column("corrected", "Corrected", "flag", "Whether 1/2 was added to the counts because one of them is 0."),
)
NEEDS = (
    _named("distortions", "Distortions", "A set that suffices."),
    TOOL,
    *_share("need_share", "Suffices", "Shrunk inputs for which the set is a smallest one."),
    _count("n_shrunk", "DIIs shrunk", "Difference-inducing inputs that were shrunk."),
)
CLASSES = (
    CLASS,
    TOOL,
    *SR,
    _count("n_success", "Inputs with a DII", "Seed inputs for which at least one difference-inducing input was found."),
    SEEDS,
    N_DII,
    N_GENERATED,
)
CONFUSIONS = (*SAYS, TOOL, N_DII)
QUANTILES = {"q05": "5 %", "q25": "25 %", "median": "50 %", "q75": "75 %", "q95": "95 %"}
"""Columns of the quantiles of margins."""
MARGINS = (
    _named("network", "Model"),
    Column(
        "on",
        "On",
        "text",
        "Inputs that the quantiles are over: all, or seed inputs with or without a natural disagreement.",
    ),
    INPUTS,
    *(Column(name, label, meaning="Quantile of the margin.") for name, label in QUANTILES.items()),
)
LAYERS = (
    _named("layer", "Layer", "Of the original."),
    Column("type", "Type", "text"),
    Column(
        "sqnr_db",
        "SQNR inputs",
        "decibel",
        "Signal-to-quantization-noise ratio; it includes the errors of the layers before.",
    ),
    Column(
        "added_sqnr_db",
        "SQNR own",
        "decibel",
        "Ratio that the layer's own error leaves, on the inputs that it reads itself.",
    ),
    Column("sqnr_db_seeds", "SQNR seeds", "decibel", "The same on the seed inputs of what was found."),
    Column("sqnr_db_dii", "SQNR DIIs", "decibel", "The same on the difference-inducing inputs of natural changes."),
    Column("cosine", "Cosine", meaning="Of the angle between both outputs of the layer, on the inputs as given."),
    Column("suspect", "Suspected", "flag", "Whether the layer seems to be quantized wrongly; the list above says why."),
)
SHRUNK = (
    _named("seed", "Input", "Number of the seed input among the inputs given."),
    _named("true_label", "True class", "Without labels, what the original says of the seed input."),
    *SAYS,
    Column("smallest", "Needed", "text", "Smallest sets of its distortions with which the models still disagree."),
    Column("exact", "Exact", "flag", "Whether all subsets of its distortions were tried in order of size."),
    Column("before", "Switched on", "text", "Distortions of the input as it was found."),
    TOOL,
)
