"""Devices are hidden from all jobs of a run; a job that is to train on one sees those that user or cluster named."""

import os

import pytest

from quantrift.core.base import hidden_devices
from quantrift.core.base.hidden_devices import KEPT, VISIBLE, hide, show


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that nobody has changed, and that the test may."""
    for name in (VISIBLE, KEPT):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.mark.parametrize("named", [None, "", "0", "1,2", "-1", "GPU-1f2e"])
@pytest.mark.parametrize("times", [1, 2])
def test_shown_again_they_are_those_that_were_visible(named: str | None, times: int) -> None:
    if named is not None:
        os.environ[VISIBLE] = named
    for _ in range(times):
        hide()
        assert os.environ[VISIBLE] == hidden_devices.NONE
    show()
    assert os.environ.get(VISIBLE) == named
    assert KEPT not in os.environ


def test_on_a_node_they_are_those_that_the_cluster_named_meanwhile() -> None:
    hide()
    os.environ[VISIBLE] = "3"
    hide()
    show()
    assert os.environ[VISIBLE] == "3"


def test_where_nothing_was_hidden_nothing_changes() -> None:
    os.environ[VISIBLE] = "2"
    show()
    assert os.environ[VISIBLE] == "2"
