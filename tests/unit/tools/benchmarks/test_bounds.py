"""The benchmark of bounds on two inputs of the example pair."""

from pathlib import Path

import pytest
from tests.factories.places import ROOT
from tools.benchmarks import bounds
from tools.benchmarks.bounds import Bounds

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import read_json, write_json
from quantrift.judge.certify.bounds.bounded_network import Margins


@pytest.mark.slow
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
    lines = bounds.text({"bounds": found.details}).splitlines()
    assert lines[0].startswith("| %: proven, refuted by search, neither | 1/255 | 64/255 |")
    assert lines[2].startswith("| example pair | 100, 0, 0 | 0, ")
    assert "Of 1,000 images of proven boxes" in lines[4]
    assert lines[-1] == "Not run yet: MLP on MNIST, LeNet-1 on MNIST, LeNet-5 on MNIST."


@pytest.mark.slow
def test_images_of_boxes_that_were_called_proven_wrongly_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "GENERATIONS", 1)
    monkeypatch.setattr(Margins, "holds", True)
    with pytest.raises(QuantriftError, match="a bound is wrong"):
        Bounds(radii=(200,), number=1, points=1000, most=1).measure()


def test_a_new_run_joins_those_that_are_kept(tmp_path: Path) -> None:
    kept = read_json(ROOT / bounds.KEPT)
    write_json(tmp_path / bounds.KEPT, kept)
    assert bounds.measured(tmp_path) == kept
    newer = {**kept["bounds_mlp"], "points": 5.0}
    write_json(tmp_path / "results" / "bench" / "bounds_mlp.json", {"details": newer})
    assert bounds.measured(tmp_path) == {**kept, "bounds_mlp": newer}
