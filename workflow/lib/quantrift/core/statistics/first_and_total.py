"""First and total disagreements of several settings of a tool on the same seed inputs (DiffChaser, Figure 2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.statistics import disagreements
from quantrift.core.statistics.published import SUBJECT

Subject = tuple[str, str, str]
MEASURES = ("fdi", "tdi")
"""Candidates to the first disagreement, and number of distinct ones."""


@dataclass(frozen=True)
class Settings:
    """Results of each setting on one subject; a row per seed input, a column per setting, all with the same rows."""

    values: Mapping[str, pd.DataFrame]
    """Measure -> float64. ``fdi`` of a search that found nothing is the number of all its candidates."""
    success: pd.DataFrame
    """bool: whether the search reached its goal."""
    generated: pd.DataFrame
    """float64: candidates of whole searches."""
    seconds: pd.DataFrame
    """float64: seconds of whole searches."""


def settings(
    files: Mapping[tuple[str, ...], Sequence[Path]], tools: Mapping[str, str]
) -> Iterator[tuple[Subject, Settings]]:
    """Each subject with the settings that were searched, in the order of ``tools``.

    Args:
        files: see ``statistics.disagreements.load``.
        tools: short name of a setting -> its tool.

    Raises:
        QuantriftError: there is no search, or settings of a subject started from different inputs.
    """
    refuse((not files, "the experiments have no searches of these tools; name others in `from`"))
    names = {tool: name for name, tool in tools.items()}
    for (dataset, model, compression), own in disagreements.load(files).groupby([*SUBJECT], sort=False):
        ran = own.assign(setting=own["tool"].map(names), charged=own["fdi"].fillna(own["spent"]))
        wide = {
            what: ran.pivot(index=["run_seed", "input"], columns="setting", values=what)
            for what in ("charged", "tdi", "success", "spent", "seconds")
        }
        if wide["charged"].isna().to_numpy().any():
            raise QuantriftError(
                f"{dataset}/{model}/{compression}: its tools started from different inputs; search them under one "
                "protocol"
            )
        order = [name for name in tools if name in wide["charged"]]
        shown = {what: frame[order].astype("float64") for what, frame in wide.items() if what != "success"}
        yield (
            (str(dataset), str(model), str(compression)),
            Settings(
                {"fdi": shown["charged"], "tdi": shown["tdi"]},
                wide["success"][order].astype(bool),
                shown["spent"],
                shown["seconds"],
            ),
        )
