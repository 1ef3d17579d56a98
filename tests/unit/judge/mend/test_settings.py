"""Limits by which layers are chosen."""

from hypothesis import given
from hypothesis import strategies as st

from quantrift.judge.mend.settings import Settings
from quantrift.judge.verdict.assessment import Limits


@given(st.floats(0, 0.99), st.floats(0, 1))
def test_a_margin_tightens_every_limit_that_there_is(margin: float, limit: float) -> None:
    found = Settings(limits=Limits(max_dir=limit, max_disagreement=0.05), margin=margin).tightened
    assert found.max_dir == limit * (1 - margin)
    assert found.max_disagreement == 0.05 * (1 - margin)
    assert found.max_sr is None
    assert Settings(limits=Limits(max_dir=limit)).tightened == Limits(max_dir=limit)
