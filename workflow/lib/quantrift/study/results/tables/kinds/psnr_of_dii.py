"""PSNR of difference-inducing inputs against their seed inputs, whatever constraint their tool has."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from quantrift.core.page.shared_columns import INPUTS, RUN_SEEDS, SEARCHED, estimate, searched
from quantrift.core.search.record_columns import searches_path
from quantrift.core.statistics.column import SCALE, Column, frame, with_interval
from quantrift.core.statistics.intervals import of_inputs, pooled, unit_of
from quantrift.core.statistics.search_files import by_tool
from quantrift.study.results.tables.answer_words import of_each
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import ToolTarget


class Settings(ToolTarget):
    """PSNR of the difference-inducing inputs of each tool, and its rates if only those of a high PSNR count."""

    least: Annotated[float, Field(gt=0)]
    """Smallest PSNR, in dB, of the difference-inducing inputs that are counted."""


needs = asks(records=Results.records)
mistakes = protocol_checks.one_search_each


QUANTILES = {"q25": 0.25, "median": 0.5, "q75": 0.75}
COLUMNS = (
    *SEARCHED,
    RUN_SEEDS,
    INPUTS,
    Column("n_generated", "Candidates", "count"),
    Column("vr", "VR", "fraction", "Candidates for which the tool's own constraint holds, over all seed inputs."),
    Column("n_dii", "DIIs", "count", "Valid candidates to which the models give different labels."),
    *(
        Column(
            f"psnr_{name}", f"PSNR {name}", "decibel", "PSNR of difference-inducing inputs against their seed inputs."
        )
        for name in QUANTILES
    ),
    *with_interval(
        Column(
            "dii_kept",
            "DIIs kept",
            "fraction",
            "Share of the difference-inducing inputs with at least the stated PSNR.",
        ),
        rests_on="dii_kept_rests_on",
    ),
    *with_interval(
        Column("dir_kept", "DiR kept", "fraction", "Share of all candidates that are such inputs."),
        rests_on="dir_kept_rests_on",
    ),
    *with_interval(
        Column("sr_kept", "SR kept", "fraction", "Share of the seed inputs with at least one such input."),
        rests_on="sr_kept_rests_on",
    ),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each tool on each subject.

    Raises:
        QuantriftError: a tool searched a subject under two protocols.
    """
    return Table(
        frame(
            (
                searched(about) | _cells(blocks, settings.least) | {"scale": given.scale}
                for about, blocks in by_tool(given.files["records"]).items()
            ),
            COLUMNS,
        ),
        COLUMNS,
        [
            f"Scale: {given.scale}. Kept: difference-inducing inputs of at least {settings.least:g} dB. One that "
            "equals its seed input has an infinite PSNR and is kept. Rates are over all seed inputs, with 95 % "
            "intervals (SR: Wilson; others: bootstrap over seed inputs, on scenes over spatial blocks)."
        ],
    )


answer = partial(of_each, column="dii_kept", template="{} of the DIIs have at least the stated PSNR")
"""The share of difference-inducing inputs that are near enough to their seed inputs."""


def _cells(blocks: Sequence[Path], least: float) -> dict[str, Any]:
    """Cells of one tool on one subject."""
    searches = pd.concat([pd.read_parquet(searches_path(block)) for block in blocks], ignore_index=True)
    columns = ["run_seed", "input", "label_original", "label_compressed", "psnr"]
    rows = pd.concat([pd.read_parquet(block, columns=columns) for block in blocks], ignore_index=True)
    found = rows[rows["label_original"] != rows["label_compressed"]]
    psnr = found["psnr"].to_numpy()
    keys = ["run_seed", "input"]
    kept = found[found["psnr"] >= least].groupby(keys).size().rename("kept").reset_index()
    counts = searches.merge(kept, how="left", on=keys)["kept"].fillna(0).to_numpy(np.int64)
    clusters, generated = searches["cluster"].to_numpy(), searches["generated"].to_numpy(np.int64)
    dii = searches["dii"].to_numpy(np.int64)
    unit = unit_of(searches["input"].to_numpy(), clusters)
    return {
        "run_seeds": searches["run_seed"].nunique(),
        "inputs": len(searches) // searches["run_seed"].nunique(),
        "n_generated": int(generated.sum()),
        "vr": searches["valid"].sum() / generated.sum(),
        "n_dii": int(dii.sum()),
        # One of the values, as between infinite ones there is no number.
        **{
            f"psnr_{name}": float(np.quantile(psnr, share, method="inverted_cdf")) if len(psnr) else np.nan
            for name, share in QUANTILES.items()
        },
        **estimate("dii_kept", pooled(clusters, counts, dii, unit)),
        **estimate("dir_kept", pooled(clusters, counts, generated, unit)),
        **estimate("sr_kept", of_inputs(clusters, counts > 0, unit)),
    }
