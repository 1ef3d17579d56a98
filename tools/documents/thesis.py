"""Networks of the thesis in few bits, for docs/reproduced.md and docs/errata.md, from files in docs/measured.

One file has the perceptron under attack. Others have networks at the thesis's own size: ``keep`` adds what
docs/measured/thesis_table5_1.yaml and the overlays beside it have trained in this checkout, network by network:
perceptrons for all epochs, VGG-16 for the first one. Means are of as many networks as there are, so anyone can go on
where another stopped.
"""

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import pandas as pd

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import replacing
from quantrift.core.page.arrangement import records
from quantrift.core.page.markdown import table
from quantrift.core.page.number_format import shown
from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.bit_tests import welch
from quantrift.core.statistics.column import Kind
from quantrift.core.statistics.published import read_published
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.results.tables.bit_rows import KEYS

MEASURED = Path("docs") / "measured"
PERCEPTRON = ROOT / MEASURED / "heterogeneous_perceptron.csv"
"""Table of the target ``heterogeneous_perceptron``, as docs/measured/README.md says."""
PUBLISHED = ROOT / "workflow" / "published" / "thesis_accuracies.csv"
ALONG_LOSS, ALONG_MARGIN = "fgsm", "fgsm_margin"
Rows = Mapping[tuple[str, float, int], Mapping[str, float]]
"""Attack, strength and bits of the weights -> accuracy and its standard deviation over networks, share of unmoved
inputs, networks (``repetitions``), and inputs of each."""
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


def measured() -> Rows:
    """The rows of FGSM along both gradients; strength 0 is no attack."""
    return {
        (row["attack"], float(row["strength"]), int(row["setting"].removeprefix("homogeneous_"))): {
            name: float(row[name]) for name in ("accuracy", "accuracy_sd", "unmoved_share", "repetitions", "inputs")
        }
        for row in records(PERCEPTRON)
        if row["attack"] in (ALONG_LOSS, ALONG_MARGIN)
    }


def perceptron(rows: Rows) -> str:
    """The table of docs/reproduced.md."""
    settings, strengths = _settings_and_strengths(rows)
    papers = _published(SUBJECT)
    clean = [rows[ALONG_LOSS, 0.0, one] for one in settings]
    at = " / ".join(f"{one:g}" for one in strengths)
    cells = {
        "accuracy %, here": [f"{_percent(one['accuracy'])} ± {_percent(one['accuracy_sd'])}" for one in clean],
        "published in Table 5.1": [
            _percent(papers[name]) if (name := f"homogeneous_{one}") in papers else "" for one in settings
        ],
        f"under FGSM of {at}, here": [" / ".join(_under(rows, ALONG_LOSS, one)) for one in settings],
        f"along the margin of the logits, {at}": [" / ".join(_under(rows, ALONG_MARGIN, one)) for one in settings],
    }
    return table(["bits", *map(str, settings)], ([label, *values] for label, values in cells.items()))


def entry(rows: Rows) -> str:
    """The entry of docs/errata.md.

    Raises:
        QuantriftError: the numbers do not say what the entry says.
    """
    settings, strengths = _settings_and_strengths(rows)
    of_one = [rows[ALONG_LOSS, one, 1] for one in strengths]
    unmoved = {round(one["unmoved_share"] * one["inputs"]) for one in of_one}
    under_loss = {*_under(rows, ALONG_LOSS, 1)}
    by_loss, by_margin = (
        [[rows[attack, strength, bits]["accuracy"] for bits in settings] for strength in strengths]
        for attack in (ALONG_LOSS, ALONG_MARGIN)
    )
    is_extreme = all(one[0] > max(one[1:]) for one in by_loss) and all(one[0] < min(one[1:]) for one in by_margin)
    if not (is_extreme and len(unmoved) == len(under_loss) == 1):
        raise QuantriftError(
            f"{PERCEPTRON}: the numbers no longer say what the entry in docs/errata.md says; rewrite it"
        )
    last = settings[-1]
    [samples], [accuracy] = unmoved, under_loss
    unattacked, networks = _percent(rows[ALONG_LOSS, 0.0, 1]["accuracy"]), of_one[0]["repetitions"]
    words = (
        "**The 1-bit perceptron under FGSM, Figure 4.19.** In Quantrift's measurement on MNIST, the 1-bit perceptron "
        f"is the most robust under FGSM, as published. Its accuracy is {accuracy} % at every strength of FGSM and "
        f"{unattacked} % without attack. The perceptron of {last} bits has an accuracy of "
        f"{_listed(_under(rows, ALONG_LOSS, last))} % at FGSM strengths {_listed([f'{one:g}' for one in strengths])}. "
        f"But {samples} of {of_one[0]['inputs']:,.0f} attacked samples of the 1-bit perceptron (mean of {networks:.0f} "
        "networks) equal their inputs: the softmax of its logits saturates, the gradient of the cross-entropy is 0 in "
        "floats, and FGSM and PGD change nothing. After the same step along the margin of the logits, the 1-bit "
        f"perceptron has an accuracy of {_listed(_under(rows, ALONG_MARGIN, 1))} %, less than any network of more bits "
        f"({_listed(_under(rows, ALONG_MARGIN, last))} % with {last} bits). The published defence of the 1-bit "
        "perceptron is a vanished gradient ([measured](measured/README.md), sample scale)."
    )
    return fill(words, 120, break_long_words=False, break_on_hyphens=False)


def _settings_and_strengths(rows: Rows) -> tuple[list[int], list[float]]:
    """Bits, and strengths without 0, which is no attack."""
    return sorted({bits for _, _, bits in rows}), sorted({strength for _, strength, _ in rows if strength > 0})


def _under(rows: Rows, attack: str, bits: int) -> list[str]:
    """Accuracies by strength, in percent."""
    return [_percent(rows[attack, one, bits]["accuracy"]) for one in _settings_and_strengths(rows)[1]]


def _listed(values: Sequence[str]) -> str:
    return f"{', '.join(values[:-1])} and {values[-1]}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


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
    found = bit_study_accuracy.read({subject: _files(root, scale, subject, "accuracies.parquet")}).assign(scale=scale)
    return found.reindex(columns=["scale", *bit_study_accuracy.REPETITIONS])


def _with_kept(kept: Path, parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Networks of a file and those of several tables, which replace those of the same names."""
    before = [pd.read_csv(kept, keep_default_na=False, na_values={"loss": "nan"})] if kept.is_file() else []
    every = [*before, *(one for one in parts if len(one))]
    if not every:
        raise QuantriftError(f"{kept}: no such file; train the networks of docs/measured/thesis_table5_1.yaml")
    found = pd.concat(every, ignore_index=True).drop_duplicates(NETWORK, keep="last")
    return found.sort_values(NETWORK, ignore_index=True)


def table_of_perceptrons(networks: pd.DataFrame) -> str:
    """A column for each number of bits; mean accuracies in percent, with 95 % intervals by Student's and Welch's t."""
    networks = networks.assign(accuracy=networks["correct"] / networks["inputs"])
    means = bit_study_accuracy.summary(networks, ["scale", "setting"])
    known = {(row["scale"], row["setting"]): row for row in means.to_dict("records")}
    settings = sorted({setting for scale, setting in known if scale == OWN}, key=_bits)
    published = _published(SUBJECT)
    own = [known[OWN, setting] for setting in settings]
    lines = {
        "networks": [_count(row) for row in own],
        "accuracy %, here": [_accuracy(row) for row in own],
        "published in Table 5.1": [_percent(published[setting]) for setting in settings],
        "here less published, points": [shown(row["accuracy"] - published[row["setting"]], "points") for row in own],
    }
    for scale in [one for one in OTHERS if one in set(networks["scale"])]:
        rows, title = [known.get((scale, setting)) for setting in settings], OTHERS[scale]
        lines[f"{title}, networks"] = [_count(row) for row in rows]
        lines[f"{title}, accuracy %"] = [_accuracy(row) for row in rows]
        lines[f"{title}, difference, points"] = [_difference(networks, scale, setting) for setting in settings]
    return table(["bits", *(str(_bits(one)) for one in settings)], ([label, *cells] for label, cells in lines.items()))


def table_of_vgg16(networks: pd.DataFrame) -> str:
    """A row for each network after its first epoch, or the part of it that was trained."""
    published = _published(VGG16)
    rows = (
        [
            _bits(row["setting"]),
            f"{OF_VGG16[row['scale']]:,}",
            "NaN" if pd.isna(row["loss"]) else f"{row['loss']:.2g}",
            shown(row["correct"] / row["inputs"], "fraction"),
            _percent(published[row["setting"]]),
        ]
        for row in sorted(networks.to_dict("records"), key=lambda row: (_bits(row["setting"]), row["scale"]))
    )
    return table(["bits", "images trained on", "mean loss", "test accuracy %", "published, 500 epochs"], rows)


def _published(subject: tuple[str, ...]) -> dict[str, float]:
    """Setting -> the thesis's accuracy, 0..1, where it states one."""
    stated = read_published(PUBLISHED, KEYS)
    return {key[-1]: row["accuracy"] for key, row in stated.items() if key[:-1] == subject and "accuracy" in row}


def _difference(networks: pd.DataFrame, scale: str, setting: str) -> str:
    of_setting = networks[networks["setting"] == setting]
    found = welch(*(of_setting[of_setting["scale"] == one]["accuracy"].to_numpy() for one in (OWN, scale)))
    if (difference := found.get("accuracy_difference")) is None:
        return ""
    return shown(difference, "points") + _ends(found.get("difference_low"), found.get("difference_high"), "points")


def _bits(setting: str) -> int:
    return int(setting.removeprefix("homogeneous_"))


def _count(row: Mapping[Hashable, Any] | None) -> str:
    return str(row["repetitions"]) if row else ""


def _accuracy(row: Mapping[Hashable, Any] | None) -> str:
    return (
        ""
        if row is None
        else shown(row["accuracy"], "fraction") + _ends(row["accuracy_low"], row["accuracy_high"], "fraction")
    )


def _ends(low: float | None, high: float | None, kind: Kind) -> str:
    """An interval, or that one network has none."""
    return (
        ", no interval"
        if low is None or high is None or pd.isna(low)
        else f" [{shown(low, kind)}, {shown(high, kind)}]"
    )


def keep() -> None:
    """Add to the kept files what the overlays have trained in this checkout.

    Raises:
        QuantriftError: if there is neither a kept nor a trained network.
    """
    here = Path.cwd()
    for kept, networks in ((KEPT, trained(here)), (KEPT_VGG16, first_epochs(here))):
        with replacing(kept) as temporary:
            networks.to_csv(temporary, index=False, lineterminator="\n", na_rep="nan")
