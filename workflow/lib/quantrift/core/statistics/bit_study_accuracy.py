"""Accuracy of networks whose weights have a given number of bits, clean and attacked, over repetitions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import scipy

from quantrift.core.settings.compressions import Heterogeneous, Homogeneous
from quantrift.core.statistics.intervals import wilson

CLEAN = "none"
"""Attack in rows on clean inputs."""
SUBJECT = ("dataset", "model", "study")
"""Columns that identify the networks of one job."""
REPETITIONS = ("setting", "repetition", "attack", "strength", "correct", "inputs")
"""Columns of the files."""
UNMOVED = "unmoved"
"""Column of files of attacks alone: inputs that an attack leaves as they are, as its gradient is 0 everywhere."""


def read(files: Mapping[tuple[str, ...], Sequence[Path]]) -> pd.DataFrame:
    """All rows of some files (``load``), with the columns of ``SUBJECT``; no columns without a file."""
    parts = [
        pd.read_parquet(file).assign(**dict(zip(SUBJECT, key, strict=True)))
        for key, own in files.items()
        for file in own
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def load(files: Mapping[tuple[str, ...], Sequence[Path]]) -> pd.DataFrame:
    """Every file's rows, one a (setting, repetition, attack, strength), settings in the order of their study.

    Args:
        files: (dataset, network, study) -> outcomes of rules ``train_bits`` or ``attack_bits``, of each block one.

    Returns:
        Columns ``dataset``, ``model``, ``study``, ``setting``, ``repetition``, ``attack`` ("none" without one),
        ``strength`` (0..1, of images in 0..1), ``correct``, ``inputs`` (test inputs), ``unmoved`` (NaN where the file
        does not say), ``accuracy`` (0..1).
    """
    found = read(files).reindex(columns=[*SUBJECT, *REPETITIONS, UNMOVED])
    return found.assign(accuracy=found["correct"] / found["inputs"])


def clean(found: pd.DataFrame) -> pd.DataFrame:
    """The rows on clean inputs."""
    return found[found["attack"] == CLEAN]


def summary(found: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """One row for each value of the columns ``by``, in the order of the rows.

    Returns:
        Columns ``by``, ``repetitions``, ``inputs``, ``accuracy`` (mean over repetitions), ``accuracy_sd`` (sample
        standard deviation) and the ends of the mean's 95 % interval by Student's t, ``accuracy_low`` and
        ``accuracy_high``, cut at 0 and 1; the last three NaN for a single repetition.
    """
    grouped = found.groupby(list(by), sort=False)
    rows = grouped["accuracy"].agg(repetitions="size", accuracy="mean", accuracy_sd="std").reset_index()
    rows["inputs"] = grouped["inputs"].max().to_numpy()
    several = rows["repetitions"] > 1
    quantiles = scipy.stats.t.ppf(0.975, rows["repetitions"].where(several, 2) - 1)
    reach = np.where(several, quantiles * rows["accuracy_sd"] / np.sqrt(rows["repetitions"]), np.nan)
    rows["accuracy_low"] = (rows["accuracy"] - reach).clip(0, 1)
    rows["accuracy_high"] = (rows["accuracy"] + reach).clip(0, 1)
    return rows[[*by, "repetitions", "inputs", "accuracy", "accuracy_sd", "accuracy_low", "accuracy_high"]]


def values(found: pd.DataFrame, study: str, setting: str) -> np.ndarray:
    """Accuracies (repetitions,) of one setting, in the order of repetitions."""
    own = found[(found["study"] == study) & (found["setting"] == setting)]
    return own.sort_values("repetition")["accuracy"].to_numpy()


def short_names(settings: Sequence[str]) -> dict[str, str]:
    """Setting -> short name in its study: its id without the words that all ids begin with."""
    words = [name.split("_") for name in settings]
    shared = 0
    while len({tuple(own[: shared + 1]) for own in words}) == 1 and all(len(own) > shared + 1 for own in words):
        shared += 1
    return {name: "_".join(own[shared:]) for name, own in zip(settings, words, strict=True)}


SAME = 1e-9
"""Largest difference of means and shares that count as equal."""


@dataclass(frozen=True)
class Distribution:
    """Share of the weights for each number of bits."""

    shares: Mapping[int, float]
    """Bits -> share, 0..1, adding up to 1; in the order of the settings."""
    budget: float | None = None
    """Budget in bits a weight, if there is one."""

    @property
    def mean(self) -> float:
        """Bits a weight."""
        return sum(bits * share for bits, share in self.shares.items())

    @property
    def variance(self) -> float:
        """Of the bits of a weight."""
        return sum(share * (bits - self.mean) ** 2 for bits, share in self.shares.items())


def distribution(settings: Homogeneous | Heterogeneous) -> Distribution:
    """Distribution of a compression."""
    return (
        Distribution({settings.bits: 1.0})
        if isinstance(settings, Homogeneous)
        else Distribution(dict(zip(settings.bits, settings.shares, strict=True)), settings.budget)
    )


def counterpart(own: Distribution, others: Mapping[str, Distribution]) -> str | None:
    """The one of ``others`` with the same shares of other numbers of bits; else the one of the same mean; else None."""
    shares = [*own.shares.values()]
    alike = [
        name
        for name, other in others.items()
        if len(other.shares) == len(shares) and np.all(np.abs(np.subtract([*other.shares.values()], shares)) < SAME)
    ]
    return next(iter(alike + [name for name, other in others.items() if abs(other.mean - own.mean) < SAME]), None)


def read_under_attack(path: Path) -> pd.DataFrame:
    """Read a file of ``training.accuracy_under_attack``: a row for each attack and strength, in its order.

    Its columns, ``accuracy`` (fraction) and the ends of its 95 % interval (Wilson), ``accuracy_low`` and
    ``accuracy_high``.
    """
    found = pd.read_parquet(path)
    ends = [wilson(*counts) for counts in zip(found["correct"], found["inputs"], strict=True)]
    found["accuracy"] = found["correct"] / found["inputs"]
    return found.join(pd.DataFrame(ends, columns=["accuracy_low", "accuracy_high"], index=found.index))
