"""Numbers as people read them."""

import numpy as np
import pytest

from quantrift.core.page.cell_text import percent, plain, span, whole


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.0107, "1.07"),
        (1.0, "100.00"),
        (0.0, "0.00"),
        (0.000031, "0.0031"),
        (0.0000031, "0.00031"),
        (-0.0125, "-1.25"),
        (None, ""),
        (np.nan, ""),
    ],
)
def test_percent_never_shows_something_as_nothing(fraction: float | None, text: str) -> None:
    assert percent(fraction) == text


def test_missing_values_are_empty() -> None:
    assert (span(None, 0.1), plain(np.nan), whole(None)) == ("", "", "")
    assert (span(0.1, 0.2), plain(2.0, 1), whole(12345)) == (" [10.00, 20.00]", "2.0", "12,345")
