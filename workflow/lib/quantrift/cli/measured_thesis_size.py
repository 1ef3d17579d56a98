"""Perceptrons trained at the thesis's own size, for docs/reproduced.md, from a file beside it:
``python -m quantrift.cli.measured_thesis_size``.

It adds what docs/measured/thesis_table5_1.yaml and thesis_large_batch.yaml have trained in this checkout, network by
network, and compares means of as many networks as there are: anyone can go on where another stopped.
"""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.base.errors import QuantriftError
from quantrift.base.files import replacing
from quantrift.base.marked_section import Section
from quantrift.metrics import bit_study_accuracy
from quantrift.metrics.bit_tests import welch
from quantrift.metrics.column import Kind
from quantrift.metrics.published import read_published
from quantrift.plan.configuration_files import ROOT
from quantrift.tables.number_format import shown

KEPT = Path("docs") / "measured" / "thesis_networks.csv"
"""A row for each network: its ``batch`` and what ``bit_study_accuracy.REPETITIONS`` names."""
NETWORK = ["batch", "setting", "repetition"]
"""Columns that name a network."""
PUBLISHED = ROOT / "workflow" / "published" / "thesis_accuracies.csv"
SCALES = {32: "thesis_table5_1", 256: "thesis_large_batch"}
"""Batch -> scale of the overlay that trains with it."""
SUBJECT = ("mnist", "mlp", "bits_homogeneous")
PAGE = Path("docs") / "reproduced.md"
BEGIN = "<!-- measured_thesis_size writes from here -->"


def trained(root: Path) -> pd.DataFrame:
    """The networks that are kept in the checkout ``root``, and those that the overlays have trained there since.

    Raises:
        QuantriftError: if there are neither.
    """
    parts = [pd.read_csv(root / KEPT, keep_default_na=False)] if (root / KEPT).is_file() else []
    for batch, scale in SCALES.items():
        blocks = root.joinpath("results", scale, "bits", *SUBJECT)
        if files := sorted(blocks.glob("*/accuracies.parquet")):
            parts.append(bit_study_accuracy.read({SUBJECT: files}).assign(batch=batch))
    if not parts:
        raise QuantriftError(f"{root / KEPT}: no such file; train the networks of docs/measured/thesis_table5_1.yaml")
    found = pd.concat(parts, ignore_index=True)[["batch", *bit_study_accuracy.REPETITIONS]]
    return found.drop_duplicates(NETWORK, keep="last").sort_values(NETWORK, ignore_index=True)


def table(networks: pd.DataFrame) -> str:
    """A column for each number of bits; mean accuracies in percent, with 95 % intervals by Student's and Welch's t."""
    networks = networks.assign(accuracy=networks["correct"] / networks["inputs"])
    means = bit_study_accuracy.summary(networks, ["batch", "setting"])
    known = {(row["batch"], row["setting"]): row for row in means.to_dict("records")}
    own, large = SCALES
    settings = sorted({setting for batch, setting in known if batch == own}, key=_bits)
    stated = read_published(PUBLISHED, ("dataset", "model", "study", "setting"))
    published = [stated[(*SUBJECT, setting)]["accuracy"] for setting in settings]
    ours = [known[own, setting] for setting in settings]
    theirs = [known.get((large, setting)) for setting in settings]
    lines = {
        "bits": [str(_bits(setting)) for setting in settings],
        "networks": [_count(row) for row in ours],
        "accuracy %, here": [_accuracy(row) for row in ours],
        "published in Table 5.1": [f"{100 * one:.1f}" for one in published],
        "here less published, points": [
            shown(row["accuracy"] - one, "points") for row, one in zip(ours, published, strict=True)
        ],
        f"batches of {large}, networks": [_count(row) for row in theirs],
        f"batches of {large}, accuracy %": [_accuracy(row) for row in theirs],
        f"batches of {large} less {own}, points": [_difference(networks, setting) for setting in settings],
    }
    head, *body = (f"| {label} | {' | '.join(cells)} |" for label, cells in lines.items())
    return "\n".join([head, "|---" * (len(settings) + 1) + "|", *body])


def _difference(networks: pd.DataFrame, setting: str) -> str:
    groups = [
        networks[(networks["batch"] == batch) & (networks["setting"] == setting)]["accuracy"].to_numpy()
        for batch in SCALES
    ]
    found = welch(*groups)
    if found.difference is None:
        return ""
    return shown(found.difference, "points") + _ends(found.low, found.high, "points")


def _bits(setting: str) -> int:
    return int(setting.removeprefix("homogeneous_"))


def _count(row: Mapping[Hashable, Any] | None) -> str:
    return str(row["repetitions"]) if row else ""


def _accuracy(row: Mapping[Hashable, Any] | None) -> str:
    if row is None:
        return ""
    return shown(row["accuracy"], "fraction") + _ends(row["accuracy_low"], row["accuracy_high"], "fraction")


def _ends(low: float | None, high: float | None, kind: Kind) -> str:
    """An interval, or that one network has none."""
    if low is None or high is None or pd.isna(low):
        return ", no interval"
    return f" [{shown(low, kind)}, {shown(high, kind)}]"


if __name__ == "__main__":
    every = trained(Path.cwd())
    with replacing(KEPT) as temporary:
        every.to_csv(temporary, index=False, lineterminator="\n")
    Section(PAGE, BEGIN).write(table(every))
