"""What people see of a table of divergence: networks, what tools find in them, and accuracies under attack."""

from collections.abc import Sequence

import pandas as pd

from quantrift.config.divergence_targets import DivergenceTable
from quantrift.metrics.bit_studies import ATTACKS
from quantrift.metrics.given import Given
from quantrift.tables.printed import title
from quantrift.tables.text import percent, plain, span, whole
from quantrift.tables.write import View


def header(
    target: DivergenceTable, data: pd.DataFrame, tools: Sequence[str], attacks: pd.DataFrame, given: Given
) -> list[str]:
    """Lines above the cells.

    Args:
        target: its caption.
        data: the CSV.
        tools: in the order of their columns.
        attacks: outcomes of all attacks.
        given: scale and names for people.
    """
    sizes = [
        f"{given.titles.get(tool, tool)}: {_several(data[f'{tool}_run_seeds'])} run seeds of "
        f"{_several(data[f'{tool}_inputs'])} inputs"
        for tool in tools
    ]
    attacked = ", ".join(
        f"{name} {_several(attacks.loc[attacks['attack'] == attack, 'inputs'])}" for attack, name in ATTACKS.items()
    )
    lines = [target.caption] if target.caption else []
    return [
        *lines,
        f"Scale: {given.scale}. {'; '.join(sizes)}. Test inputs attacked: {attacked}.",
        "SR and DiR: means over run seeds with 95 % intervals (SR: Wilson, DiR: bootstrap over inputs within run "
        "seeds); the CSV has medians too. Seed inputs on which the two networks disagree as they are "
        "count there, as published; the columns after them are over the others alone. Queries: candidates up to the "
        "first disagreement, a search without any charged in full.",
        "Strengths of attacks are parts of the data's range. Networks are attacked along their own gradients, through "
        "their rounded weights; in brackets the original, attacked along its own. FGSM and PGD follow the "
        "cross-entropy, whose gradient vanishes where the softmax saturates; the margin is the difference between the "
        "largest other logit and the true one, whose gradient does not.",
    ]


def views(data: pd.DataFrame, tools: Sequence[str], attacks: pd.DataFrame, given: Given) -> list[View]:
    """The same in three tables.

    Args:
        data: the CSV.
        tools: in the order of their columns.
        attacks: outcomes of all attacks.
        given: names for people.
    """
    networks = _subjects(data, given) | {
        "bits of a weight": [plain(value) for value in data["mean_bits"]],
        "accuracy of the original %": [percent(value) for value in data["accuracy_original"]],
        "accuracy %": [percent(value) for value in data["accuracy"]],
        "flips": [whole(value) for value in data["flips"]],
        "of test inputs": [whole(value) for value in data["test_inputs"]],
    }
    shown = [View.of("Networks", networks)]
    searched = [_searches(data, tool, given) for tool in tools]
    if searched:
        rows = pd.concat(searched).sort_index(kind="stable")
        shown.append(View.of("Searches", {str(name): cells.tolist() for name, cells in rows.items()}))
    return [*shown, _attacks(data, attacks, given)]


def _subjects(rows: pd.DataFrame, given: Given) -> dict[str, list[str]]:
    return {
        "dataset": [title(dataset, given.datasets) for dataset in rows["dataset"]],
        "network": rows["model"].tolist(),
        "compression": [given.titles.get(name, name) for name in rows["compression"]],
    }


def _searches(data: pd.DataFrame, tool: str, given: Given) -> pd.DataFrame:
    """Cells of one tool, on the subjects that it searched."""
    rows = data[data[f"{tool}_run_seeds"].notna()]

    def rate(name: str, end: str = "") -> list[str]:
        columns = (rows[f"{tool}_{name}{end}{limit}"] for limit in ("", "_low", "_high"))
        return [percent(value) + span(low, high) for value, low, high in zip(*columns, strict=True)]

    cells = {
        "tool": [given.titles.get(tool, tool)] * len(rows),
        "SR % [95 %]": rate("sr", "_mean"),
        "DiR % [95 %]": rate("dir", "_mean"),
        "inputs that agree": [whole(value) for value in rows[f"{tool}_inputs_net"]],
        "SR of these % [95 %]": rate("sr_net"),
        "queries, median": [plain(value, 0) for value in rows[f"{tool}_queries_median"]],
    }
    return pd.DataFrame(_subjects(rows, given) | cells, index=rows.index)


def _attacks(data: pd.DataFrame, attacks: pd.DataFrame, given: Given) -> View:
    """A row a network and attack, a column a strength."""
    names = ["dataset", "model", "compression"]
    found = {
        (*key, attack, strength): accuracy
        for *key, attack, strength, accuracy in attacks[[*names, "attack", "strength", "accuracy"]].itertuples(
            index=False, name=None
        )
    }
    rows = data.loc[data.index.repeat(len(ATTACKS)), names]
    kinds = [*ATTACKS] * len(data)
    cells = _subjects(rows, given) | {"attack": [ATTACKS[kind] for kind in kinds]}
    for strength in sorted(attacks["strength"].unique()):
        column = []
        for (dataset, model, compression), kind in zip(rows.itertuples(index=False, name=None), kinds, strict=True):
            own = found.get((dataset, model, compression, kind, strength))
            original = found.get((dataset, model, "", kind, strength))
            column.append(percent(own) + (f" ({percent(original)})" if original is not None else ""))
        cells[f"accuracy at {strength:g} %"] = column
    return View.of("Accuracy under attack", cells)


def _several(values: pd.Series) -> str:
    return " or ".join(map(whole, sorted(set(values.dropna())))) or "no"
