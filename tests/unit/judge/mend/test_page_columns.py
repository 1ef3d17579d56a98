"""The tables of a mending show what was found: each declared column has its value in each row."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import onnx
import pytest
from ai_edge_litert import schema_py_generated as schema

from quantrift.core.page.field_columns import cells, columns_of
from quantrift.judge.mend import mixed_onnx, mixed_tflite, page
from quantrift.judge.mend.mending import Calibration, Correlation, OnFresh, Point, Sensitivity
from quantrift.judge.verdict.tool_result import Rate

RATE, OTHER = Rate(0.25, 0.125, 0.5), Rate(0.5, 0.375, 0.75)
FOUND: Any = SimpleNamespace(
    fresh=[OnFresh("mended", 1, 2048, 0.75, 25, 100, RATE)],
    curve=[Point("SQNR", 2, 4096, 0.5, 25, 100, RATE)],
    calibrations=[Calibration("entropy", "given", 25, 100, RATE, False, True)],
    sensitivities=[Sensitivity("conv1", "CONV_2D", 1000, 25, RATE, 50, OTHER, -3, 12.5, 15.5, 0.0625, None)],
    correlations=[Correlation("alone", "added_sqnr_db", 5, 0.5, -0.25)],
)
COUNTED = {"events": 25, "cases": 100, "rate": 0.25, "rate_low": 0.125, "rate_high": 0.5}
SHOWN: dict[str, dict[str, object]] = {
    "fresh": {"network": "mended", "kept": 1, "size": 2048, "int8_mac_share": 0.75, **COUNTED},
    "curve": {"order": "SQNR", "kept": 2, "size": 4096, "int8_mac_share": 0.5, **COUNTED},
    "calibrations": {"method": "entropy", "inputs": "given", **COUNTED, "passes": False, "chosen": True},
    "sensitivities": {
        "unit": "conv1", "kind": "CONV_2D", "macs": 1000,
        "alone": 25, "alone_rate": 0.25, "alone_rate_low": 0.125, "alone_rate_high": 0.5,
        "restored": 50, "restored_rate": 0.5, "restored_rate_low": 0.375, "restored_rate_high": 0.75,
        "gain": -3, "sqnr_db": 12.5, "added_sqnr_db": 15.5, "foretold": 0.0625,
    },
    "correlations": {"cost": "alone", "ratio": "own SQNR", "units": 5, "spearman": 0.5, "kendall": -0.25},
}  # fmt: skip


@pytest.mark.parametrize("table", SHOWN)
def test_every_declared_column_has_the_value_that_was_found(table: str) -> None:
    [one] = getattr(FOUND, table)
    declared = [column.name for column in columns_of(type(one))]
    found = cells(one, **({"ratio": page.RATIOS[one.ratio]} if table == "correlations" else {}))
    assert {name: found[name] for name in declared} == SHOWN[table]


def test_what_failed_stands_on_top_of_the_page_under_its_heading(tmp_path: Path) -> None:
    first = next(page._sections(SimpleNamespace(failed=["gallery: no disk"], split=None), tmp_path))  # type: ignore[arg-type]
    assert (first.title, first.items) == ("What could not be computed", ("gallery: no disk",))


def test_operations_that_only_move_values_are_operations_of_their_formats() -> None:
    assert {name for name in mixed_onnx.MOVES if not onnx.defs.has(name)} == set()
    assert {name for name in mixed_tflite.MOVES if not hasattr(schema.BuiltinOperator, name)} == set()
