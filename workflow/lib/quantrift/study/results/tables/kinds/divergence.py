"""Disagreements that tools find in compressed networks, beside their accuracy, clean and under attack."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from quantrift.core.base.files import read_json
from quantrift.core.page.number_format import whole
from quantrift.core.page.shared_columns import INPUTS, RATES, RUN_SEEDS, SEARCHED, pooled
from quantrift.core.settings.attacks import ATTACKS
from quantrift.core.statistics import bit_study_accuracy, query_counts
from quantrift.core.statistics.column import SCALE, Column, frame, key, remark, with_interval
from quantrift.core.statistics.published import SUBJECT
from quantrift.study.results.tables.answer_words import of_each
from quantrift.study.results.tables.finished_table import Detail, Table
from quantrift.study.results.tables.measured_runs import ENDS, Runs, load
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import ToolTarget


class Settings(ToolTarget):
    """Disagreements that tools find in compressed networks, beside their accuracy, clean and under attack."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Facts on each subject, attacks on it and on its original, metrics and counts of its searches."""
    return {
        "compressed": results.compressed(settings),
        "attacked": results.robustness(settings),
        "metrics": results.metrics(settings, beside=("intervals", "timing")),
        "searches": results.counts(settings),
    }


FGSM = "fgsm"
FACTS = (
    Column("mean_bits", "Bits", "number", "Mean number of bits of a rounded weight; empty for other compressions."),
    Column("test_inputs", "Test inputs", "count"),
    Column("accuracy_original", "Accuracy original", "fraction", "Of the original, on the test inputs."),
    Column("accuracy", "Accuracy", "fraction", "Of the compressed network, on the test inputs."),
    Column("flips", "Flips", "count", "Test inputs that the two networks label differently."),
)
"""They stand under the same names in compression.json."""
SHOWN_RATES = ("sr", "dir")
AGREED = (
    Column(
        "inputs_net", "Inputs that agree", "count", "Seed inputs on which the two networks agree before any search."
    ),
    Column("n_success_net", "Of these with a DII", "count"),
    *with_interval(
        Column(
            "sr_net",
            "SR of these",
            "fraction",
            "Share of the inputs that agree for which a difference-inducing input was found.",
        ),
        rests_on="sr_net_rests_on",
    ),
    Column(
        "queries_median",
        "Queries, median",
        "number",
        "Candidates up to the first difference-inducing input, over the inputs that agree; a failed search counts in "
        "full.",
    ),
    *with_interval(
        Column(
            "queries_average",
            "Queries",
            "number",
            "Candidates up to the first difference-inducing input, mean over the inputs that agree and have one.",
        ),
        rests_on="sr_net_rests_on",
    )[:3],
)
"""Columns over all run seeds together."""
SPREAD = ("inputs", "n_success", "sr", "sr_low", "sr_high", "sr_rests_on", *(column.name for column in AGREED[6:]))
"""Values of ``statistics.query_counts.spread`` in these columns, after the number of inputs."""
DETAILS = ("attacks",)
MORE_IDS = ATTACKS
COLUMNS = (
    *SEARCHED,
    *FACTS,
    RUN_SEEDS,
    replace(INPUTS, meaning="Seed inputs of a run seed."),
    *(
        column
        for rate in SHOWN_RATES
        for own in (with_interval(RATES[rate]), with_interval(pooled(rate), f"{rate}_rests_on")[:3])
        for column in own
    ),
    *(remark(f"{rate}_rests_on") for rate in SHOWN_RATES),
    *AGREED,
    SCALE,
)
"""Before the scale stand the accuracies under FGSM, by strength."""
OUTCOMES = (
    *SEARCHED[:3],
    key("attack", "Attack"),
    key("strength", "Strength", "How far values move, as a share of the data's range.", "number"),
    Column("correct", "Correct", "count"),
    Column("inputs", "Inputs", "count", "Test inputs that are attacked."),
    Column("unmoved", "Unmoved", "count", "Inputs that the attack does not change, as its gradient is 0 there."),
    *with_interval(Column("accuracy", "Accuracy", "fraction", "Under the attack.")),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each compressed network and tool that searched it, one without a tool where none did.

    Every attack on every network, the originals too, is a detail.

    Raises:
        QuantriftError: the experiments have no subject, or a tool searched one under two protocols.
    """
    compressed = given.one("compressed", "its experiments have no subjects; name others in `from`")
    runs = load([*given.one("metrics").values()])
    searches = query_counts.load(given.files["searches"])
    # The originals first.
    attacked = sorted(given.one("attacked").items(), key=lambda one: one[0][2] != "")
    outcomes = {name: bit_study_accuracy.read_under_attack(file) for name, file in attacked}
    rows = []
    for subject, file in compressed.items():
        facts = read_json(file)
        network = {
            **dict(zip(SUBJECT, subject, strict=True)),
            **{column.name: facts.get(column.name) for column in FACTS},
            **_attacked(outcomes[subject], outcomes[*subject[:2], ""]),
            "scale": given.scale,
        }
        own = searches[(searches[list(SUBJECT)] == list(subject)).all(axis=1)]
        found = {
            tool: _rates(of_tool) | _queries(own[own["tool"] == tool])
            for tool, of_tool in runs.get(subject, {}).items()
        }
        rows += [network | {"tool": tool} | cells for tool, cells in (found or {"": {}}).items()]
    attacks = pd.concat(
        [one.assign(**dict(zip(SUBJECT, name, strict=True)), scale=given.scale) for name, one in outcomes.items()]
    )[[column.name for column in OUTCOMES]]
    columns = (*COLUMNS[:-1], *_under_fgsm(attacks), SCALE)
    data = frame(rows, columns)
    return Table(
        data,
        columns,
        _notes(data, attacks, given),
        details={"attacks": Detail("Accuracy under attack", attacks, OUTCOMES)},
    )


answer = partial(of_each, column="sr_pooled", template="disagreements from {} of the seed inputs")
"""The success rate of each tool."""


def _rates(runs: Runs) -> dict[str, Any]:
    return {
        "run_seeds": len(runs.series),
        "inputs": runs.inputs,
        **{name: runs.cells[name] for rate in SHOWN_RATES for name in (rate, *(f"{rate}_{end}" for end in ENDS))},
        **{f"{rate}_rests_on": runs.rests_on[rate] for rate in SHOWN_RATES},
    }


def _queries(searches: pd.DataFrame) -> dict[str, Any]:
    kept = query_counts.seeds(searches)
    found = {"inputs": len(kept), **query_counts.spread(kept)}
    return {column.name: found.get(name) for column, name in zip(AGREED, SPREAD, strict=True)}


def _attacked(outcomes: pd.DataFrame, original: pd.DataFrame) -> dict[str, float]:
    """Accuracies under FGSM."""
    ends = {"accuracy": "", "accuracy_low": "_low", "accuracy_high": "_high"}
    return {
        f"{FGSM}_{row['strength']:g}_accuracy{end}": row[name]
        for of, names in ((outcomes, ends), (original, {"accuracy": "_original"}))
        for row in of[of["attack"] == FGSM].to_dict("records")
        for name, end in names.items()
    }


def _under_fgsm(attacks: pd.DataFrame) -> Iterator[Column]:
    for strength in sorted(attacks.loc[attacks["attack"] == FGSM, "strength"].unique()):
        name, label = f"{FGSM}_{strength:g}_accuracy", f"Accuracy, FGSM {strength:g}"
        yield from with_interval(Column(name, label, "fraction", "Under an attack of this strength."))
        yield Column(f"{name}_original", f"{label}, original", "fraction", "Of the original, likewise.")


def _notes(data: pd.DataFrame, attacks: pd.DataFrame, given: Given) -> list[str]:
    sizes = [
        f"{given.named(str(tool))}: {_several(own['run_seeds'])} run seeds of {_several(own['inputs'])} inputs"
        for tool, own in data[data["tool"] != ""].groupby("tool", sort=False)
    ]
    inputs = ", ".join(
        f"{given.titles.get(attack, attack)} {_several(attacks.loc[attacks['attack'] == attack, 'inputs'])}"
        for attack in ATTACKS
    )
    return [
        f"Scale: {given.scale}. {'; '.join(sizes)}. Test inputs attacked: {inputs}.",
        "SR and DiR pooled: shares over all seed inputs with 95 % intervals (SR: Wilson, DiR: bootstrap over seed "
        "inputs, on scenes over spatial blocks). Where fewer than three have an event, there is no bootstrap, and "
        "words give their number. Beside them stand medians over run seeds. Seed inputs on which the two networks "
        "disagree before any search count in these columns, as published; the columns after them leave such "
        "inputs out. Queries: candidates up to the first disagreement; in the median, a search without any counts "
        "with all of its candidates.",
        "Strengths of attacks are parts of the data's range. Each network is attacked along its own gradients; "
        "those of a rounded network go through its rounded weights. A row without a compression is an original. FGSM "
        "and PGD follow the cross-entropy, whose gradient vanishes where the softmax saturates; the margin is the "
        "difference between the largest other logit and the true one, whose gradient does not.",
    ]


def _several(values: pd.Series) -> str:
    return " or ".join(map(whole, sorted(set(values.dropna())))) or "no"
