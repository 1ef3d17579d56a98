"""Perceptrons trained at the thesis's own size, for docs/reproduced.md, from a file beside it:
``python -m quantrift.cli.measured_thesis_size``.

It adds what docs/measured/thesis_table5_1.yaml and the overlays beside it have trained in this checkout, network by
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
"""A row for each network: the ``scale`` that trained it and what ``bit_study_accuracy.REPETITIONS`` names."""
NETWORK = ["scale", "setting", "repetition"]
"""Columns that name a network."""
PUBLISHED = ROOT / "workflow" / "published" / "thesis_accuracies.csv"
OWN = "thesis_table5_1"
"""Scale of the overlay with the thesis's settings, on processors."""
OTHERS = {"thesis_large_batch": "batches of 256", "thesis_device": "on a graphics processor"}
"""Scale of another overlay -> its difference from the first, in words."""
SUBJECT = ("mnist", "mlp", "bits_homogeneous")
PAGE = Path("docs") / "reproduced.md"
BEGIN = "<!-- measured_thesis_size writes from here -->"


def trained(root: Path) -> pd.DataFrame:
    """The networks that are kept in the checkout ``root``, and those that the overlays have trained there since.

    Raises:
        QuantriftError: if there are neither.
    """
    parts = [pd.read_csv(root / KEPT, keep_default_na=False)] if (root / KEPT).is_file() else []
    for scale in (OWN, *OTHERS):
        blocks = root.joinpath("results", scale, "bits", *SUBJECT)
        if files := sorted(blocks.glob("*/accuracies.parquet")):
            parts.append(bit_study_accuracy.read({SUBJECT: files}).assign(scale=scale))
    if not parts:
        raise QuantriftError(f"{root / KEPT}: no such file; train the networks of docs/measured/thesis_table5_1.yaml")
    found = pd.concat(parts, ignore_index=True)[["scale", *bit_study_accuracy.REPETITIONS]]
    return found.drop_duplicates(NETWORK, keep="last").sort_values(NETWORK, ignore_index=True)


def table(networks: pd.DataFrame) -> str:
    """A column for each number of bits; mean accuracies in percent, with 95 % intervals by Student's and Welch's t."""
    networks = networks.assign(accuracy=networks["correct"] / networks["inputs"])
    means = bit_study_accuracy.summary(networks, ["scale", "setting"])
    known = {(row["scale"], row["setting"]): row for row in means.to_dict("records")}
    settings = sorted({setting for scale, setting in known if scale == OWN}, key=_bits)
    stated = read_published(PUBLISHED, ("dataset", "model", "study", "setting"))
    published = [stated[(*SUBJECT, setting)]["accuracy"] for setting in settings]
    own = [known[OWN, setting] for setting in settings]
    lines = {
        "bits": [str(_bits(setting)) for setting in settings],
        "networks": [_count(row) for row in own],
        "accuracy %, here": [_accuracy(row) for row in own],
        "published in Table 5.1": [f"{100 * one:.1f}" for one in published],
        "here less published, points": [
            shown(row["accuracy"] - one, "points") for row, one in zip(own, published, strict=True)
        ],
    }
    for scale in [one for one in OTHERS if one in set(networks["scale"])]:
        rows, title = [known.get((scale, setting)) for setting in settings], OTHERS[scale]
        lines[f"{title}, networks"] = [_count(row) for row in rows]
        lines[f"{title}, accuracy %"] = [_accuracy(row) for row in rows]
        lines[f"{title}, difference, points"] = [_difference(networks, scale, setting) for setting in settings]
    head, *body = (f"| {label} | {' | '.join(cells)} |" for label, cells in lines.items())
    return "\n".join([head, "|---" * (len(settings) + 1) + "|", *body])


def _difference(networks: pd.DataFrame, scale: str, setting: str) -> str:
    of_setting = networks[networks["setting"] == setting]
    found = welch(*(of_setting[of_setting["scale"] == one]["accuracy"].to_numpy() for one in (OWN, scale)))
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
