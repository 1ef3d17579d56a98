"""Kind ``bit_significance``: whether accuracy differs between bits, and whether the thesis says so (Section 4.1)."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.bit_targets import SignificanceTable
from quantrift.metrics import bit_studies
from quantrift.metrics.bit_distributions import Distribution, counterpart, distribution
from quantrift.metrics.bit_tests import Evidence, against_printed, anova, significant, welch
from quantrift.metrics.given import Given
from quantrift.metrics.statistics import holm
from quantrift.tables import bit_rows, bit_significance_views, printed
from quantrift.tables.write import Table, write

KEYS = ("dataset", "model", "study", "against", "distribution")
"""Columns that name a row, in the table and in the file of the thesis's statements; ``against`` is empty within one."""
TEXTS = ("against", "distribution", "setting", "other_setting")
"""Columns that are empty in an analysis of variance."""
COLUMNS = {
    **dict.fromkeys((*KEYS, *TEXTS[2:]), "str"),
    "groups": "Int64",
    "repetitions": "Int64",
    "accuracy": "float64",
    "other_accuracy": "float64",
    "accuracy_difference": "float64",
    "difference_low": "float64",
    "difference_high": "float64",
    "statistic": "float64",
    "freedom": "float64",
    "effect": "float64",
    "p": "float64",
    "p_holm": "float64",
    "kruskal_p": "float64",
    "significant": "str",
    "published_significant": "float64",
    "verdict": "str",
    "published_significant_discussion": "float64",
    "verdict_discussion": "str",
    "scale": "str",
}
"""Columns with their types."""


def make(target: SignificanceTable, given: Given, out_stem: Path) -> None:
    """Write the table: for each dataset and network a row of each study, then of each setting and its counterpart.

    CSV columns: ``dataset``, ``model``, ``study``, ``against`` (study of the counterparts; empty in an analysis of
    variance), ``distribution`` (short name of the setting), ``setting``, ``other_setting``, ``groups``,
    ``repetitions`` (of all groups), ``accuracy`` and ``other_accuracy`` (means, 0..1), ``accuracy_difference``
    (other - own) with its 95 % interval ``difference_low`` and ``difference_high``, ``statistic`` (F; t of Welch's
    test), ``freedom`` (within groups), ``effect`` (eta squared), ``p``, ``p_holm`` (over the table), ``kruskal_p``,
    ``significant`` (yes, no, undecided), ``published_significant`` (1 or 0, chapter 4), ``verdict`` (agrees, differs,
    undecided), ``published_significant_discussion`` and ``verdict_discussion`` (the same of chapter 5), ``scale``.

    Args:
        target: which studies are compared.
        given: accuracies of the studies, settings of their compressions, and the file of the thesis's statements.
        out_stem: path without suffix.
    """
    found = bit_studies.clean(bit_studies.load(given.files))
    bits = {name: distribution(one) for name, one in given.compressions.items()}
    rows = [
        {"dataset": str(dataset), "model": str(model)} | row
        for (dataset, model), own in found.groupby(["dataset", "model"], sort=False)
        for row in _rows(target, own, bits)
    ]
    numbers = printed.read(given.published, KEYS)
    for row, adjusted in zip(rows, holm([row["p"] for row in rows]), strict=True):
        said = printed.beside(numbers, tuple(str(row[name]) for name in KEYS), given.datasets)
        ours = significant(row["p"], adjusted)
        row |= {"p_holm": adjusted, "significant": ours or ""}
        for suffix in ("", "_discussion"):
            theirs = said.get(f"significant{suffix}")
            row |= {f"published_significant{suffix}": theirs, f"verdict{suffix}": against_printed(ours, theirs)}
    data = pd.DataFrame(rows, columns=list(COLUMNS)).assign(scale=given.scale).astype(COLUMNS)
    header = bit_rows.header(target.caption, found, given)
    header += bit_significance_views.explanation(target, data)
    views = bit_significance_views.views(data, given.datasets)
    table = Table(target.title, header, data, views, files=given.named_files(bit_studies.PARTS))
    write(table, out_stem, given.provenance)


def _rows(target: SignificanceTable, found: pd.DataFrame, bits: Mapping[str, Distribution]) -> Iterator[dict[str, Any]]:
    """The comparisons of one dataset and network."""
    settings = {study: list(dict.fromkeys(own["setting"])) for study, own in found.groupby("study", sort=False)}
    for study in target.studies if target.within else ():
        if study in settings:
            groups = [bit_studies.values(found, study, setting) for setting in settings[study]]
            whole = {"study": study, "groups": len(groups), "repetitions": sum(map(len, groups))}
            yield dict.fromkeys(TEXTS, "") | whole | _said(anova(groups))
    for study, other in target.against.items():
        if study not in settings or other not in settings:
            continue
        short = bit_studies.short_names(settings[study])
        candidates = {name: bits[name] for name in settings[other]}
        for setting in settings[study]:
            partner = counterpart(bits[setting], candidates)
            if partner is None:
                continue
            first, second = (bit_studies.values(found, *one) for one in ((study, setting), (other, partner)))
            yield {
                "study": study,
                "against": other,
                "distribution": short[setting],
                "setting": setting,
                "other_setting": partner,
                "groups": 2,
                "repetitions": len(first) + len(second),
                "accuracy": first.mean(),
                "other_accuracy": second.mean(),
            } | _said(welch(first, second))


def _said(evidence: Evidence) -> dict[str, Any]:
    """Evidence under the names of its columns."""
    names = {"difference": "accuracy_difference", "low": "difference_low", "high": "difference_high"}
    return {names.get(name, name): value for name, value in asdict(evidence).items()}
