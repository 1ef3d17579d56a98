"""Columns of a table are observed as numpy sees them, and come back from plain values."""

from dataclasses import asdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quantrift.core.base.observed_columns import TableColumns

ROWS = arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.sampled_from([-3, 0, 0.5, 1, 2]))


@given(ROWS)
def test_columns_are_observed(rows: np.ndarray) -> None:
    found = TableColumns.of(rows, [])
    assert len(found.columns) == rows.shape[1]
    assert found.numbers == tuple(range(rows.shape[1]))
    for column, values in zip(found.columns, rows.T, strict=True):
        assert (column.low, column.high) == (values.min(), values.max())
        assert column.typical == np.median(values)
        np.testing.assert_allclose(column.spread, values.astype(np.float64).std())
        assert column.whole == all(value == int(value) for value in values.tolist())


@given(ROWS)
def test_columns_come_back_from_plain_values(rows: np.ndarray) -> None:
    found = TableColumns.of(rows, [[0]])
    assert found.numbers == tuple(range(1, rows.shape[1]))
    assert TableColumns.stated(asdict(found)) == found
