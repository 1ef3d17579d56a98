"""Tests between settings of a tool: first disagreement and their number, as in DiffChaser's Figure 2."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pandas as pd

from quantrift.core.page.number_format import number
from quantrift.core.page.shared_columns import INPUTS, SEARCHED, searched
from quantrift.core.statistics import first_and_total
from quantrift.core.statistics.column import SCALE, Column, Columns, end, frame, key
from quantrift.core.statistics.disagreement_tests import friedman
from quantrift.core.statistics.first_and_total import MEASURES, Subject
from quantrift.core.statistics.statistics import COLUMNS as STATISTICS
from quantrift.core.statistics.statistics import columns, compare, holm
from quantrift.study.results.tables.answer_words import Cells, Words, of_each, significant
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_seconds import needs
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.target import SecondsTarget, UncertaintyTarget

__all__ = ["COLUMNS", "DETAILS", "Settings", "answer", "make", "mistakes", "needs"]


class Settings(UncertaintyTarget, SecondsTarget):
    """Quartiles of first and total disagreements, and tests over seed inputs."""

    kind: Literal["uncertainty_tests"]


def mistakes(settings: Settings, whole: Whole) -> Iterator[str]:
    """Those of protocols for all disagreements, and for seconds."""
    yield from protocol_checks.of_uncertainty(settings, whole)
    yield from protocol_checks.of_seconds(settings, whole)


QUARTILES = {"q1": 0.25, "median": 0.5, "q3": 0.75}
EFFECTS = ("a12", "rank_biserial", "shift", "shift_low", "shift_high")
FRIEDMAN = (
    Column(
        "friedman",
        "Friedman",
        meaning="Friedman's statistic over all settings, seed inputs being blocks, beside the first.",
    ),
    Column("friedman_p", "p Friedman", "p", "p-value of Friedman's test, before correction."),
    Column("friedman_p_holm", "p Friedman Holm", "p", "The same after Holm's correction over the whole table."),
)
TESTS = (*FRIEDMAN, *(column for column in STATISTICS if column.name in ("p", "p_holm", *EFFECTS)))


def _of_measure(name: str, meaning: str) -> Columns:
    """Quartiles and tests of one measure."""
    label = name.upper()
    median = Column(
        f"{name}_median",
        f"{label} median",
        meaning=f"{meaning} Median over seed inputs, with the quartiles.",
        low=f"{name}_q1",
        high=f"{name}_q3",
    )
    quartiles = (end(median.low, median), median, end(median.high, median))
    return (*quartiles, *columns(label, f"{name}_", shift="number", of=TESTS))


DETAILS = ("timing",)
COLUMNS = (
    *SEARCHED,
    key("against", "Against", "Tool of the first setting, with which the others are compared."),
    INPUTS,
    Column("n_success", "Successes", "count", "Seed inputs with a disagreement."),
    *_of_measure("fdi", "Candidates up to the first disagreement; a search without any is charged in full."),
    *_of_measure("tdi", "Distinct disagreements of a search."),
    SCALE,
)
TIMES = ("seconds", "fdi_seconds_median")
ISOLATED = ("isolated_inputs", "isolated_fdi_seconds_median")
"""Of searches by themselves."""


def make(settings: Settings, given: Given) -> Table:
    """A row for each setting on each subject; Friedman's test stands in the row of the first.

    Shifts are own minus first, in candidates or inputs. Seconds are in the timing file, those up to the first
    disagreement as a median over seed inputs; a search without any is charged in full.

    Raises:
        QuantriftError: there is no search, or settings of a subject started from different inputs.
    """
    rows: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    alone = _alone(settings, given)
    for subject, found in first_and_total.settings(given.files["searches"], settings.settings):
        for name, cells in _rows(found).items():
            keys = searched((*subject, settings.settings[name]))
            against = settings.settings[cells["against"]] if cells["against"] else None
            rows.append(keys | cells | {"against": against, "scale": given.scale})
            whole = {"seconds": found.seconds[name].sum(), "fdi_seconds_median": _to_first(found, name)}
            times.append(keys | whole | alone.get((subject, name), {}))
    _adjust(rows)
    data = frame(rows, COLUMNS)
    shown = (*TIMES, *(ISOLATED if settings.isolated else ()))
    return Table(
        data,
        COLUMNS,
        _notes(settings, data, given.scale),
        timing=pd.DataFrame(times, columns=[*(column.name for column in SEARCHED), *shown]),
        names={tool: name for name, tool in settings.settings.items()},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> list[str]:
    """The median of each setting, and which differ from the first."""
    found = of_each(words, rows, "fdi_median", "first disagreement after {} candidates (median and quartiles)")
    tested, later, sooner = significant(rows, "fdi_p_holm", lambda row: number(row["fdi_shift"]))
    if tested:
        first = words.name(next(iter(settings.settings.values())))
        found.append(
            f"Against {first}: significantly later in {later} and sooner in {sooner} of {tested} tests after Holm's "
            "correction."
        )
    return found


def _to_first(found: first_and_total.Settings, name: str) -> float:
    """Seconds of a setting up to the first disagreement, median over seed inputs."""
    # Of a search that continues after its first disagreement only the whole time is known.
    share = found.values["fdi"][name] / found.generated[name]
    return float((found.seconds[name] * share).median())


def _alone(settings: Settings, given: Given) -> dict[tuple[Subject, str], dict[str, float]]:
    """(subject, setting) -> cells of its searches by themselves; empty where the target shows none."""
    if not settings.isolated:
        return {}
    return {
        (subject, str(name)): {"isolated_inputs": len(own), "isolated_fdi_seconds_median": _to_first(found, str(name))}
        for subject, found in first_and_total.settings(given.files["isolated"], settings.settings)
        for name, own in found.success.items()
    }


def _rows(found: first_and_total.Settings) -> dict[str, dict[str, Any]]:
    """Setting -> its cells on one subject; ``against`` is the first setting."""
    names = [str(name) for name in found.success]
    rows: dict[str, dict[str, Any]] = {}
    for name in names:
        success = found.success[name]
        rows[name] = {"inputs": len(success), "n_success": int(success.sum()), "against": None}
        for measure, values in found.values.items():
            rows[name] |= {f"{measure}_{at}": float(values[name].quantile(q)) for at, q in QUARTILES.items()}
            if name == names[0]:
                tested = friedman(values.to_numpy())
                if tested:
                    rows[name] |= {f"{measure}_friedman": tested[0], f"{measure}_friedman_p": tested[1]}
                continue
            rows[name]["against"] = names[0]
            compared = compare(values[name].to_numpy(), values[names[0]].to_numpy())
            rows[name] |= {f"{measure}_{what}": getattr(compared, what) for what in ("p", *EFFECTS)}
    return rows


def _adjust(rows: Sequence[dict[str, Any]]) -> None:
    """Add Holm's adjustment, over all tests of the table."""
    tests = [
        (row, name)
        for row in rows
        for measure in MEASURES
        for name in (f"{measure}_friedman_p", f"{measure}_p")
        if row.get(name) is not None
    ]
    for (row, name), p in zip(tests, holm([row[name] for row, name in tests]), strict=True):
        row[f"{name}_holm"] = p


def _notes(settings: Settings, data: pd.DataFrame, scale: str) -> list[str]:
    inputs = ", ".join(map(str, sorted(data["inputs"].unique()))) or "none"
    tests = int(data[[column.name for column in COLUMNS if column.name.endswith("_p")]].notna().sum().sum())
    first = next(iter(settings.settings))
    return [
        f"Scale: {scale}. Seed inputs of each setting: {inputs}, the same for all.",
        "FDI: candidates evaluated up to the end of the generation of the first disagreement; a search without any is "
        "charged in full. TDI: distinct disagreements of a search. The goal of the protocol says what counts as one.",
        f"Friedman's test with seed inputs as blocks, then each setting against {first}: two-sided signed-rank test "
        f"(Pratt), with the Hodges-Lehmann shift, the setting minus {first}, and its 95 % interval. Holm over the "
        f"{tests} tests of this table.",
    ]
