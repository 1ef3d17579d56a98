"""An original whose outputs searches share."""

import numpy as np
import pytest

from quantrift.core.pairs import given_pair
from quantrift.core.pairs.given_pair import Remembered


class Doubling:
    """A network that counts its runs."""

    classes = 3
    runs = 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self.runs += 1
        return 2 * x


def test_a_batch_is_run_once_and_another_one_anew() -> None:
    network, known = Doubling(), dict[int, np.ndarray]()
    first, again = Remembered(network, known), Remembered(network, known)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for batch in (x, x[::-1], x[:1]):
        for one in (first, again):
            np.testing.assert_array_equal(one(batch), 2 * batch)
    assert (network.runs, again.classes) == (3, 3)


def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_pair, "KEPT", 2 * 24)
    known = dict[int, np.ndarray]()
    network = Remembered(Doubling(), known)
    for value in range(5):
        np.testing.assert_array_equal(network(np.full((2, 3), value, np.float32)), np.full((2, 3), 2 * value))
    assert len(known) == 2
