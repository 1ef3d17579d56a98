"""Numbers as people read them."""

import numpy as np
import pytest

from quantrift.core.page.number_format import percent, whole


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


def test_whole_numbers_have_thousands_apart_and_missing_ones_are_empty() -> None:
    assert (whole(None), whole(12345)) == ("", "12,345")
