"""What people see of a table of divergence: networks, what tools find in them, and accuracies under attack."""

import pandas as pd

from quantrift.config.divergence_targets import DivergenceTable
from quantrift.config.robustness import ATTACKS
from quantrift.metrics.given import Given
from quantrift.metrics.published import SUBJECT
from quantrift.tables.printed import title
from quantrift.tables.text import estimate, percent, plain, whole
from quantrift.tables.write import View

NETWORK = list(SUBJECT)


def header(target: DivergenceTable, data: pd.DataFrame, attacks: pd.DataFrame, given: Given) -> list[str]:
    """Lines above the cells.

    Args:
        target: its caption.
        data: the CSV.
        attacks: outcomes of all attacks.
        given: scale and names for people.
    """
    sizes = [
        f"{given.titles.get(tool, tool)}: {_several(own['run_seeds'])} run seeds of {_several(own['inputs'])} inputs"
        for tool in filter(None, data["tool"].unique())
        for own in [data[data["tool"] == tool]]
    ]
    attacked = ", ".join(
        f"{given.titles.get(attack, attack)} {_several(attacks.loc[attacks['attack'] == attack, 'inputs'])}"
        for attack in ATTACKS
    )
    lines = [target.caption] if target.caption else []
    return [
        *lines,
        f"Scale: {given.scale}. {'; '.join(sizes)}. Test inputs attacked: {attacked}.",
        "SR and DiR: shares pooled over all seed inputs with 95 % intervals (SR: Wilson, DiR: bootstrap over seed "
        "inputs, on scenes over spatial blocks, none where fewer than three have an event, which stand there in "
        "words); the CSV has medians over run seeds too. Seed inputs on which the two networks disagree as they are "
        "count there, as published; the columns after them are over the others alone. Queries: candidates up to the "
        "first disagreement, a search without any charged in full.",
        "Strengths of attacks are parts of the data's range. Networks are attacked along their own gradients, through "
        "their rounded weights; in brackets the original, attacked along its own. FGSM and PGD follow the "
        "cross-entropy, whose gradient vanishes where the softmax saturates; the margin is the difference between the "
        "largest other logit and the true one, whose gradient does not.",
    ]


def views(data: pd.DataFrame, attacks: pd.DataFrame, given: Given) -> list[View]:
    """The same in three tables.

    Args:
        data: the CSV.
        attacks: outcomes of all attacks.
        given: names for people.
    """
    networks = data.drop_duplicates(NETWORK)
    facts = _subjects(networks, given) | {
        "bits of a weight": [plain(value) for value in networks["mean_bits"]],
        "accuracy of the original %": [percent(value) for value in networks["accuracy_original"]],
        "accuracy %": [percent(value) for value in networks["accuracy"]],
        "flips": [whole(value) for value in networks["flips"]],
        "of test inputs": [whole(value) for value in networks["test_inputs"]],
    }
    shown = [View.of("Networks", facts), _attacks(networks, attacks, given)]
    searched = data[data["tool"] != ""]
    return shown if searched.empty else [shown[0], _searches(searched, given), shown[1]]


def _subjects(rows: pd.DataFrame, given: Given) -> dict[str, list[str]]:
    return {
        "dataset": [title(dataset, given.datasets) for dataset in rows["dataset"]],
        "network": rows["model"].tolist(),
        "compression": [given.titles.get(name, name) for name in rows["compression"]],
    }


def _searches(rows: pd.DataFrame, given: Given) -> View:
    def rate(name: str, rests_on: str) -> list[str]:
        return list(map(estimate, *(rows[f"{name}{limit}"] for limit in ("", "_low", "_high")), rows[rests_on]))

    cells = {
        "tool": [given.titles.get(tool, tool) for tool in rows["tool"]],
        "SR % [95 %]": rate("sr_pooled", "sr_rests_on"),
        "DiR % [95 %]": rate("dir_pooled", "dir_rests_on"),
        "inputs that agree": [whole(value) for value in rows["inputs_net"]],
        "SR of these % [95 %]": rate("sr_net", "sr_net_rests_on"),
        "queries, median": [plain(value, 0) for value in rows["queries_median"]],
    }
    return View.of("Searches", _subjects(rows, given) | cells)


def _attacks(networks: pd.DataFrame, attacks: pd.DataFrame, given: Given) -> View:
    """A row a network and attack, a column a strength."""
    found = {
        (*key, attack, strength): accuracy
        for *key, attack, strength, accuracy in attacks[[*NETWORK, "attack", "strength", "accuracy"]].itertuples(
            index=False, name=None
        )
    }
    rows = networks.loc[networks.index.repeat(len(ATTACKS)), NETWORK]
    kinds = [*ATTACKS] * len(networks)
    cells = _subjects(rows, given) | {"attack": [given.titles.get(kind, kind) for kind in kinds]}
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
