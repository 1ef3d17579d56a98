"""Kind ``uncertainty_tests``: how settings of a tool differ in first and total disagreements (DiffChaser, Figure 2)."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from quantrift.config.datasets import Dataset
from quantrift.config.diffchaser_targets import UncertaintyTable
from quantrift.metrics.friedman import friedman
from quantrift.metrics.given import Given
from quantrift.metrics.published import SUBJECT
from quantrift.metrics.statistics import compare, holm
from quantrift.metrics.uncertainty import MEASURES, Settings, settings
from quantrift.tables.printed import title
from quantrift.tables.text import p_value, plain, whole
from quantrift.tables.write import Table, View, write

QUARTILES = {"q1": 0.25, "median": 0.5, "q3": 0.75}
EFFECTS = ("a12", "rank_biserial", "shift", "shift_low", "shift_high")
TESTS = ("friedman", "friedman_p", "friedman_p_holm", "p", "p_holm", *EFFECTS)
COUNTS = ("inputs", "n_success")
NUMBERS = [f"{measure}_{name}" for measure in MEASURES for name in (*QUARTILES, *TESTS)]
TIMES = ("seconds", "fdi_seconds_median")
HEADINGS = {"fdi": "FDI", "tdi": "TDI"}


def make(target: UncertaintyTable, given: Given, out_stem: Path) -> None:
    """Write the table: a row for each setting on each subject.

    CSV columns: ``dataset``, ``model``, ``compression``, ``tool`` (which has the setting), ``against`` (the tool of the
    first setting), ``inputs``, ``n_success``, then of both measures ``<measure>_`` ``q1``, ``median``, ``q3``;
    Friedman's statistic ``friedman`` with ``friedman_p`` and ``friedman_p_holm``, over all settings of the subject, in
    the row of the first; against the first setting ``p`` (signed-rank), ``p_holm``, ``a12``, ``rank_biserial`` and
    ``shift`` with its interval (own minus first, candidates or inputs); ``scale``. Seconds are in the timing file.

    Args:
        target: the settings.
        given: files ``.../<dataset>/<model>/<compression>/<tool>/<protocol>/<block>.searches.parquet``.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is no search, or settings of a subject started from different inputs.
    """
    rows: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    for subject, found in settings(given.files, target.settings):
        keys = dict(zip(SUBJECT, subject, strict=True))
        for name, cells in _rows(found).items():
            tool = target.settings[name]
            rows.append(keys | {"tool": tool} | cells)
            rows[-1]["against"] = target.settings[cells["against"]] if cells["against"] else None
            # Of a search that goes on after its first find only the whole time is known.
            share = found.values["fdi"][name] / found.generated[name]
            first = float((found.seconds[name] * share).median())
            times.append(keys | {"tool": tool, "seconds": found.seconds[name].sum(), "fdi_seconds_median": first})
    _adjust(rows)
    data = pd.DataFrame(rows, columns=[*SUBJECT, "tool", "against", *COUNTS, *NUMBERS])
    data = data.astype(dict.fromkeys(COUNTS, "Int64") | dict.fromkeys(NUMBERS, "float64")).assign(scale=given.scale)
    table = Table(
        title=target.title,
        header=_header(target, data, given.scale),
        data=data,
        views=[_view(measure, data, target, given.datasets) for measure in MEASURES],
        timing=pd.DataFrame(times, columns=[*SUBJECT, "tool", *TIMES]),
        files=given.named_files(),
    )
    write(table, out_stem, given.provenance)


def _rows(found: Settings) -> dict[str, dict[str, Any]]:
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


def _header(target: UncertaintyTable, data: pd.DataFrame, scale: str) -> list[str]:
    inputs = ", ".join(map(str, sorted(data["inputs"].unique()))) or "none"
    tests = int(data[[name for name in NUMBERS if name.endswith("_p")]].notna().sum().sum())
    first = next(iter(target.settings))
    return [
        *([target.caption] if target.caption else []),
        f"Scale: {scale}. Seed inputs of each setting: {inputs}, the same for all.",
        "FDI: candidates evaluated up to the end of the generation of the first disagreement; a search without any is "
        "charged in full. TDI: distinct disagreements of a search. The goal of the protocol says what counts as one.",
        f"Friedman's test with seed inputs as blocks, then each setting against {first}: two-sided signed-rank test "
        f"(Pratt), with the Hodges-Lehmann shift, the setting minus {first}, and its 95 % interval. Holm over the "
        f"{tests} tests of this table.",
    ]


def _view(measure: str, data: pd.DataFrame, target: UncertaintyTable, datasets: Mapping[str, Dataset]) -> View:
    names = {tool: name for name, tool in target.settings.items()}
    effect = zip(*(data[f"{measure}_{end}"] for end in ("shift", "shift_low", "shift_high")), strict=True)
    quartiles = zip(*(data[f"{measure}_{at}"] for at in QUARTILES), strict=True)
    cells: dict[str, Iterable[str]] = {
        "dataset": [title(dataset, datasets) for dataset in data["dataset"]],
        "network": data["model"],
        "compression": data["compression"],
        "setting": [names[tool] for tool in data["tool"]],
        "inputs": map(whole, data["inputs"]),
        "successes": map(whole, data["n_success"]),
        f"{HEADINGS[measure]}, median [quartiles]": [
            f"{plain(m, 0)} [{plain(a, 0)}, {plain(b, 0)}]" for a, m, b in quartiles
        ],
        "Friedman": [plain(value) for value in data[f"{measure}_friedman"]],
        "Friedman p, Holm": map(p_value, data[f"{measure}_friedman_p_holm"]),
        "p": map(p_value, data[f"{measure}_p"]),
        "p, Holm": map(p_value, data[f"{measure}_p_holm"]),
        "A12": [plain(value, 3) for value in data[f"{measure}_a12"]],
        "rank-biserial": [plain(value) for value in data[f"{measure}_rank_biserial"]],
        "shift": [f"{plain(a, 1)} [{plain(b, 1)}, {plain(c, 1)}]" if a == a else "" for a, b, c in effect],
    }
    return View.of(HEADINGS[measure], cells)
