"""Networks trained at the thesis's own size, for docs/reproduced.md, from files beside it:
``python -m tools.documents.measured_thesis_size``.

It adds what docs/measured/thesis_table5_1.yaml and the overlays beside it have trained in this checkout, network by
network: perceptrons for all epochs, VGG-16 for the first one. Means are of as many networks as there are, so anyone can
go on where another stopped.
"""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from tools.documents.marked_section import Section
from tools.documents.measured_perceptron import PUBLISHED

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import replacing
from quantrift.core.page.number_format import shown
from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.bit_tests import welch
from quantrift.core.statistics.column import Kind
from quantrift.core.statistics.published import read_published
from quantrift.study.results.tables.bit_rows import KEYS

MEASURED = Path("docs") / "measured"
KEPT, KEPT_VGG16 = MEASURED / "thesis_networks.csv", MEASURED / "thesis_vgg16.csv"
"""A row for each network: the ``scale`` that trained it and what ``bit_study_accuracy.REPETITIONS`` names."""
NETWORK = ["scale", "setting", "repetition"]
"""Columns that name a network."""
OWN = "thesis_table5_1"
"""Scale of the overlay with the thesis's settings, on processors."""
OTHERS = {"thesis_large_batch": "batches of 256", "thesis_device": "on a graphics processor"}
"""Scale of another overlay -> its difference from the first, in words."""
SUBJECT, VGG16 = (("mnist", model, "bits_homogeneous") for model in ("mlp", "vgg16"))
OF_VGG16 = {"thesis_vgg16": 60_000, "thesis_vgg16_start": 6400}
"""Scale of an overlay for VGG-16 -> training inputs of its epoch."""
PAGE = Path("docs") / "reproduced.md"
BEGIN = "<!-- measured_thesis_size writes from here -->"
BEGIN_VGG16 = "<!-- measured_thesis_size writes VGG-16 from here -->"


def trained(root: Path) -> pd.DataFrame:
    """The perceptrons that are kept in the checkout ``root``, and those that the overlays have trained there since.

    Raises:
        QuantriftError: if there are neither.
    """
    return _with_kept(root / KEPT, [_of_scale(root, scale, SUBJECT) for scale in (OWN, *OTHERS)])


def first_epochs(root: Path) -> pd.DataFrame:
    """VGG-16 after its first epoch, likewise, with its mean ``loss`` and ``trained_accuracy`` on training inputs.

    Raises:
        QuantriftError: as ``trained`` does.
    """
    parts = []
    for scale in OF_VGG16:
        found = _of_scale(root, scale, VGG16)
        if len(found):
            histories = pd.concat(map(pd.read_parquet, _files(root, scale, VGG16, "history.parquet")))
            own = histories[histories["epoch"] == 1].rename(columns={"accuracy": "trained_accuracy"})
            found = found.merge(own.drop(columns="epoch"), on=NETWORK[1:])
        parts.append(found)
    return _with_kept(root / KEPT_VGG16, parts)


def _files(root: Path, scale: str, subject: tuple[str, ...], name: str) -> list[Path]:
    return sorted(root.joinpath("results", scale, "bits", *subject).glob(f"*/{name}"))


def _of_scale(root: Path, scale: str, subject: tuple[str, ...]) -> pd.DataFrame:
    """Networks that an overlay has trained, a row each."""
    files = _files(root, scale, subject, "accuracies.parquet")
    found = bit_study_accuracy.read({subject: files}).assign(scale=scale)
    return found.reindex(columns=["scale", *bit_study_accuracy.REPETITIONS])


def _with_kept(kept: Path, parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Networks of a file and those of several tables, which replace those of the same names."""
    before = [pd.read_csv(kept, keep_default_na=False, na_values={"loss": "nan"})] if kept.is_file() else []
    every = [*before, *(one for one in parts if len(one))]
    if not every:
        raise QuantriftError(f"{kept}: no such file; train the networks of docs/measured/thesis_table5_1.yaml")
    found = pd.concat(every, ignore_index=True)
    return found.drop_duplicates(NETWORK, keep="last").sort_values(NETWORK, ignore_index=True)


def table(networks: pd.DataFrame) -> str:
    """A column for each number of bits; mean accuracies in percent, with 95 % intervals by Student's and Welch's t."""
    networks = networks.assign(accuracy=networks["correct"] / networks["inputs"])
    means = bit_study_accuracy.summary(networks, ["scale", "setting"])
    known = {(row["scale"], row["setting"]): row for row in means.to_dict("records")}
    settings = sorted({setting for scale, setting in known if scale == OWN}, key=_bits)
    published = _published(SUBJECT)
    own = [known[OWN, setting] for setting in settings]
    lines = {
        "bits": [str(_bits(setting)) for setting in settings],
        "networks": [_count(row) for row in own],
        "accuracy %, here": [_accuracy(row) for row in own],
        "published in Table 5.1": [f"{100 * published[setting]:.1f}" for setting in settings],
        "here less published, points": [shown(row["accuracy"] - published[row["setting"]], "points") for row in own],
    }
    for scale in [one for one in OTHERS if one in set(networks["scale"])]:
        rows, title = [known.get((scale, setting)) for setting in settings], OTHERS[scale]
        lines[f"{title}, networks"] = [_count(row) for row in rows]
        lines[f"{title}, accuracy %"] = [_accuracy(row) for row in rows]
        lines[f"{title}, difference, points"] = [_difference(networks, scale, setting) for setting in settings]
    head, *body = (f"| {label} | {' | '.join(cells)} |" for label, cells in lines.items())
    return "\n".join([head, "|---" * (len(settings) + 1) + "|", *body])


def table_of_vgg16(networks: pd.DataFrame) -> str:
    """A row for each network after its first epoch, or the part of it that was trained."""
    published = _published(VGG16)
    lines = ["| bits | images trained on | mean loss | test accuracy % | published, 500 epochs |", "|---" * 5 + "|"]
    ordered = sorted(networks.to_dict("records"), key=lambda row: (_bits(row["setting"]), row["scale"]))
    for row in ordered:
        loss = "NaN" if pd.isna(row["loss"]) else f"{row['loss']:.2g}"
        accuracy = shown(row["correct"] / row["inputs"], "fraction")
        stated = f"{100 * published[row['setting']]:.1f}"
        lines.append(f"| {_bits(row['setting'])} | {OF_VGG16[row['scale']]:,} | {loss} | {accuracy} | {stated} |")
    return "\n".join(lines)


def _published(subject: tuple[str, ...]) -> dict[str, float]:
    """Setting -> the thesis's accuracy, 0..1, where it states one."""
    stated = read_published(PUBLISHED, KEYS)
    return {key[-1]: row["accuracy"] for key, row in stated.items() if key[:-1] == subject and "accuracy" in row}


def _difference(networks: pd.DataFrame, scale: str, setting: str) -> str:
    of_setting = networks[networks["setting"] == setting]
    found = welch(*(of_setting[of_setting["scale"] == one]["accuracy"].to_numpy() for one in (OWN, scale)))
    if found.accuracy_difference is None:
        return ""
    return shown(found.accuracy_difference, "points") + _ends(found.difference_low, found.difference_high, "points")


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
    for kept, begin, networks, text in (
        (KEPT, BEGIN, trained(Path.cwd()), table),
        (KEPT_VGG16, BEGIN_VGG16, first_epochs(Path.cwd()), table_of_vgg16),
    ):
        with replacing(kept) as temporary:
            networks.to_csv(temporary, index=False, lineterminator="\n", na_rep="nan")
        Section(PAGE, begin).write(text(networks))
