"""Kind ``bit_distributions``: distributions of bits, and what was drawn from them, against the budget.

As in the thesis's Tables 3.2 and 3.3, which print the shares alone.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.bit_targets import DistributionTable
from quantrift.config.datasets import Dataset
from quantrift.metrics import bit_studies
from quantrift.metrics.bit_distributions import Distribution, distribution
from quantrift.metrics.given import Given
from quantrift.tables import printed
from quantrift.tables.bit_rows import KEYS
from quantrift.tables.text import percent, plain, whole
from quantrift.tables.write import Table, View, write


def make(target: DistributionTable, given: Given, out_stem: Path) -> None:
    """Write the table: a row for each dataset, network and setting; each repetition in ``<stem>.drawn.csv``.

    CSV columns: ``dataset``, ``model``, ``study``, ``setting``, ``mean_bits``, ``variance_bits``, ``budget_bits`` (a
    weight), ``bits_<n>_share`` (of the weights, as stated), ``weights``, ``repetitions``, ``expected_total``,
    ``budget_total``, ``drawn_total_least`` and ``drawn_total_most`` (bits of all weights, of any repetition),
    ``drawn_<n>_share`` (mean over repetitions), ``deviation_share`` (the largest of drawn from stated shares, of any
    repetition), ``spent_share`` (of the budget, at most), ``scale``. Columns of ``drawn``: keys, ``repetition``,
    ``bits``, ``weights``, ``share``.

    Args:
        target: title and caption.
        given: how many weights of which network have how many bits, and settings of the compressions.
        out_stem: path without suffix.
    """
    bits = {name: distribution(settings) for name, settings in given.compressions.items()}
    drawn = _drawn(given)
    rows = [_row(dict(zip(KEYS, key, strict=True)), own, bits) for key, own in drawn.groupby(list(KEYS), sort=False)]
    data = pd.DataFrame(rows).assign(scale=given.scale)
    lines = [target.caption] if target.caption else []
    lines.append(
        f"Scale: {given.scale}. Bits are drawn anew for each setting, dataset, network and repetition. The budget is "
        "what Algorithm 1 allows the bits of all weights to add up to."
    )
    views = [_stated(study, given.studies[study].settings, bits) for study in target.studies]
    if len(data):
        views.append(_networks(data, given.datasets))
    files = given.named_files(bit_studies.PARTS)
    write(Table(target.title, lines, data, views, details={"drawn": drawn}, files=files), out_stem, given.provenance)


def _drawn(given: Given) -> pd.DataFrame:
    columns = [*KEYS, "repetition", "bits", "weights"]
    found = bit_studies.read(given.files)[columns] if given.files else pd.DataFrame(columns=columns)
    return found.assign(share=found["weights"] / found.groupby([*KEYS, "repetition"])["weights"].transform("sum"))


def _row(row: dict[str, Any], drawn: pd.DataFrame, bits: Mapping[str, Distribution]) -> dict[str, Any]:
    stated = bits[str(row["setting"])]
    totals = (drawn["bits"] * drawn["weights"]).groupby(drawn["repetition"]).sum()
    weights = int(drawn.groupby("repetition")["weights"].sum().max())
    shares = drawn.pivot_table("share", "repetition", "bits", fill_value=0.0)
    budget = None if stated.budget is None else int(stated.budget * weights)
    away = [abs(shares.get(width, 0.0) - share) for width, share in stated.shares.items()]
    row |= {"mean_bits": stated.mean, "variance_bits": stated.variance, "budget_bits": stated.budget}
    row |= {f"bits_{width}_share": share for width, share in stated.shares.items()}
    row |= {
        "weights": weights,
        "repetitions": len(totals),
        "expected_total": stated.mean * weights,
        "budget_total": budget,
        "drawn_total_least": int(totals.min()),
        "drawn_total_most": int(totals.max()),
    }
    row |= {f"drawn_{width}_share": float(pd.Series(shares.get(width, 0.0)).mean()) for width in stated.shares}
    row["deviation_share"] = max(float(pd.Series(one).max()) for one in away)
    row["spent_share"] = None if budget is None else int(totals.max()) / budget
    return row


def _stated(study: str, settings: list[str], bits: Mapping[str, Distribution]) -> View:
    short = bit_studies.short_names(settings)
    widths = sorted({width for name in settings for width in bits[name].shares})
    headings = {width: "1 bit %" if width == 1 else f"{width} bits %" for width in widths}
    rows = []
    for name in settings:
        one = bits[name]
        row = {"distribution": short[name]}
        row |= {heading: plain(100 * one.shares.get(width, 0), 0) for width, heading in headings.items()}
        row |= {"mean": plain(one.mean), "variance": plain(one.variance, 4), "budget": plain(one.budget, 0)}
        rows.append(row)
    return View(f"Distributions of {study}, bits a weight", pd.DataFrame(rows))


def _networks(data: pd.DataFrame, datasets: Mapping[str, Dataset]) -> View:
    totals = zip(data["drawn_total_least"], data["drawn_total_most"], strict=True)
    return View.of(
        "Bits of all weights",
        {
            "dataset": [printed.title(dataset, datasets) for dataset in data["dataset"]],
            "network": data["model"],
            "weights": data["setting"],
            "number of weights": map(whole, data["weights"]),
            "repetitions": map(whole, data["repetitions"]),
            "expected": map(whole, data["expected_total"].round()),
            "drawn": [whole(low) if low == high else f"{whole(low)} to {whole(high)}" for low, high in totals],
            "budget": map(whole, data["budget_total"]),
            "budget spent, at most %": map(percent, data["spent_share"]),
            "share drawn off the stated one, at most, points": [plain(100 * one, 3) for one in data["deviation_share"]],
        },
    )
