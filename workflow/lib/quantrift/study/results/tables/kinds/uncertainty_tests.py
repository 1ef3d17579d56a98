"""Tests between settings of a tool: first disagreement and their number, as in DiffChaser's Figure 2."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from quantrift.core.page.number_format import distinct
from quantrift.core.page.shared_columns import INPUTS, SEARCHED, searched
from quantrift.core.statistics import first_and_total
from quantrift.core.statistics.column import SCALE, Column, Columns, end, frame, key
from quantrift.core.statistics.disagreement_tests import friedman
from quantrift.core.statistics.first_and_total import MEASURES, Subject
from quantrift.core.statistics.statistics import COLUMNS as STATISTICS
from quantrift.core.statistics.statistics import columns, compare
from quantrift.study.results.tables.answer_words import Cells, Words, of_each, significant
from quantrift.study.results.tables.finished_table import Table, adjust
from quantrift.study.results.targets import protocol_checks
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_seconds import needs as needs
from quantrift.study.results.targets.target import SecondsTarget, UncertaintyTarget


class Settings(UncertaintyTarget, SecondsTarget):
    """Quartiles of first and total disagreements, and tests over seed inputs."""


mistakes = protocol_checks.all_of(protocol_checks.of_uncertainty, protocol_checks.of_seconds)


EFFECTS = ("a12", "rank_biserial", "shift", "shift_low", "shift_high")
TESTS = (
    Column(
        "friedman",
        "Friedman",
        meaning="Friedman's statistic over all settings, seed inputs being blocks, beside the first.",
    ),
    Column("friedman_p", "p Friedman", "p", "p-value of Friedman's test, before correction."),
    Column("friedman_p_holm", "p Friedman Holm", "p", "The same after Holm's correction over the whole table."),
    *(column for column in STATISTICS if column.name in ("p", "p_holm", *EFFECTS)),
)


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
    return (
        *(end(median.low, median), median, end(median.high, median)),
        *columns(label, f"{name}_", shift="number", of=TESTS),
    )


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
        for name in map(str, found.success):
            keys = searched((*subject, settings.settings[name]))
            rows.append(keys | _cells(found, name, settings) | {"scale": given.scale})
            times.append(
                keys
                | {"seconds": found.seconds[name].sum(), "fdi_seconds_median": _to_first(found, name)}
                | alone.get((subject, name), {})
            )
    adjust(rows, *(f"{measure}_{p}" for measure in MEASURES for p in ("friedman_p", "p")))
    data = frame(rows, COLUMNS)
    return Table(
        data,
        COLUMNS,
        _notes(settings, data, given.scale),
        timing=pd.DataFrame(
            times,
            columns=[
                *(column.name for column in SEARCHED),
                "seconds",
                "fdi_seconds_median",
                *(("isolated_inputs", "isolated_fdi_seconds_median") if settings.isolated else ()),
            ],
        ),
        names={tool: name for name, tool in settings.settings.items()},
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The median of each setting, and which differ from the first."""
    yield from of_each(
        settings, rows, words, "fdi_median", "first disagreement after {} candidates (median and quartiles)"
    )
    tested, later, sooner = significant(rows, "fdi_")
    if tested:
        yield (
            f"Against {words.name(settings.tools[0])}: significantly later in {later} and sooner in {sooner} of "
            f"{tested} tests after Holm's correction."
        )


def _to_first(found: first_and_total.Settings, name: str) -> float:
    """Seconds of a setting up to the first disagreement, median over seed inputs."""
    # Of a search that continues after its first disagreement only the whole time is known.
    return float((found.seconds[name] * (found.values["fdi"][name] / found.generated[name])).median())


def _alone(settings: Settings, given: Given) -> dict[tuple[Subject, str], dict[str, float]]:
    """(subject, setting) -> cells of its searches by themselves; empty where the target shows none."""
    shown = first_and_total.settings(given.files["isolated"], settings.settings) if settings.isolated else ()
    return {
        (subject, str(name)): {"isolated_inputs": len(own), "isolated_fdi_seconds_median": _to_first(found, str(name))}
        for subject, found in shown
        for name, own in found.success.items()
    }


def _cells(found: first_and_total.Settings, name: str, settings: Settings) -> dict[str, Any]:
    """Cells of a setting on one subject, compared with the first that was run; the first has Friedman's test."""
    first = str(found.success.columns[0])
    cells: dict[str, Any] = {
        "against": None if name == first else settings.settings[first],
        "inputs": len(found.success),
        "n_success": int(found.success[name].sum()),
    }
    for measure, values in found.values.items():
        cells |= {
            f"{measure}_{at}": float(values[name].quantile(q))
            for at, q in {"q1": 0.25, "median": 0.5, "q3": 0.75}.items()
        }
        if name != first:
            compared = compare(values[name].to_numpy(), values[first].to_numpy())
            cells |= {f"{measure}_{what}": compared[what] for what in ("p", *EFFECTS)}
        elif tested := friedman(values.to_numpy()):
            cells |= {f"{measure}_friedman": tested[0], f"{measure}_friedman_p": tested[1]}
    return cells


def _notes(settings: Settings, data: pd.DataFrame, scale: str) -> list[str]:
    tests = int(data[[column.name for column in COLUMNS if column.name.endswith("_p")]].notna().sum().sum())
    first = next(iter(settings.settings))
    return [
        f"Scale: {scale}. Seed inputs of each setting: {distinct(data['inputs']) or 'none'}, the same for all.",
        "FDI: candidates evaluated up to the end of the generation of the first disagreement; a search without any is "
        "charged in full. TDI: distinct disagreements of a search. The goal of the protocol says what counts as one.",
        f"Friedman's test with seed inputs as blocks, then each setting against {first}: two-sided signed-rank test "
        f"(Pratt), with the Hodges-Lehmann shift, the setting minus {first}, and its 95 % interval. Holm over the "
        f"{tests} tests of this table.",
    ]
