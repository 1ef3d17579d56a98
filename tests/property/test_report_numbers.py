"""Numbers in the report never mislead."""

import math

from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.page.number_format import number, shown

FRACTIONS = st.floats(0, 1, allow_subnormal=False).filter(lambda value: value == 0 or value >= 1e-8)


def parsed(text: str) -> float:
    return float(text.replace("\u2212", "-").replace("\u202f", ""))


@given(FRACTIONS)
def test_a_rate_above_zero_never_reads_as_zero_and_keeps_two_digits(value: float) -> None:
    read = parsed(shown(value, "fraction")) / 100
    assert (read == 0) == (value == 0)
    assert math.isclose(read, value, rel_tol=0.06, abs_tol=5.1e-5 if value >= 1e-4 else 0)


@given(st.floats(-1e12, 1e12))
def test_plain_numbers_keep_their_sign_and_size(value: float) -> None:
    assert abs(parsed(shown(value, "number")) - value) <= max(0.0006, abs(value) * 0.006)


@given(st.floats(allow_infinity=False, allow_nan=False))
def test_a_number_is_read_back_as_it_was_written(value: float) -> None:
    assert number(repr(value)) == value


@given(st.sampled_from(["", " ", "nan", "NaN", "large", "not run"]))
def test_gaps_and_words_are_no_numbers(text: str) -> None:
    assert number(text) is None


@given(st.floats(1e-300, 1))
def test_small_p_values_never_read_as_zero(value: float) -> None:
    assert parsed(shown(value, "p")) > 0
