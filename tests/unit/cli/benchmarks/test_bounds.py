"""The benchmark of bounds on two inputs of the example pair."""

import pytest

from quantrift.base.errors import QuantriftError
from quantrift.certify.bounds.bounded_network import Margins
from quantrift.cli.benchmarks import bounds
from quantrift.cli.benchmarks.bounds import Bounds


def test_each_input_has_one_outcome_and_a_search_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "GENERATIONS", 2)
    found = Bounds(radii=(1, 64), number=2, points=1000, most=1).measure()
    for radius in (1, 64):
        shares = [found.details[f"linf_{radius}_{one}"] for one in ("proven", "counterexample", "unknown")]
        assert sum(shares) == 1
        assert found.details[f"linf_{radius}_open"] <= shares[2]
    assert found.value == found.details["linf_1_proven"] == 1
    assert found.details["linf_64_proven"] == 0
    assert found.details["points"] == 1000


def test_images_of_boxes_that_were_called_proven_wrongly_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "GENERATIONS", 1)
    monkeypatch.setattr(Margins, "holds", True)
    with pytest.raises(QuantriftError, match="a bound is wrong"):
        Bounds(radii=(200,), number=1, points=1000, most=1).measure()
