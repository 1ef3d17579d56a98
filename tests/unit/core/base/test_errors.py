"""Whatever names a file brings into it, an error stays one line and gives a terminal nothing to obey."""

from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError


@given(st.text(max_size=60))
def test_a_message_is_one_printable_line(text: str) -> None:
    assert str(QuantriftError(text)).isprintable()


def test_what_cannot_be_printed_is_shown_by_its_code() -> None:
    assert str(QuantriftError("did you mean 'y\ntest\x1b[2J'?")) == r"did you mean 'y\ntest\x1b[2J'?"


@given(st.text(st.characters(codec="latin-1", exclude_categories=["C", "Z"])))
def test_what_can_be_printed_stays(text: str) -> None:
    assert str(QuantriftError(text)) == text
