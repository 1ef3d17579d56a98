"""The figure of PSNR over strength."""

import math
from pathlib import Path

import pytest
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.calibrated import Calibrated, Point, write


def curve(*medians: float) -> list[Point]:
    """Points from full strength down, by their medians."""
    return [
        Point(1 - step / len(medians), median, 0.5, 0.1, reached=median >= 20) for step, median in enumerate(medians)
    ]


def draw(networks: dict[str, dict[str, list[Point]]], folder: Path, min_db: float | None = 20) -> list[str]:
    """Texts of the figure of a calibration on the inputs of some networks."""
    files = {}
    for network, curves in networks.items():
        settings = {"constraint": {"params": {"min_db": min_db} if min_db else {}}, "draws": 10}
        chosen = {name: next((one for one in points if one.reached), points[-1]) for name, points in curves.items()}
        file = folder / f"{network}.json"
        write(Calibrated(settings, 100, curves, chosen, 0.05, 0.2), file)
        files["digits", network, "psnr"] = file
    given = targets.given({"calibrations": files}, {"digits": datasets.digits()}, titles={"psnr": "Median PSNR"})
    stated = {"title": "PSNR over strength", "calibrations": ["psnr"]}
    return targets.texts(targets.figure(folder, given, kind="psnr_curves", **stated))


def test_panels_lines_and_the_threshold_are_named(tmp_path: Path) -> None:
    curves = {"zoom": curve(14.0, 17.0, 21.0), "salt_and_pepper": curve(24.0, 30.0, math.inf)}
    found = draw({"lenet5": curves, "mlp": {"zoom": curve(25.0)}}, tmp_path)
    for words in ("lenet5 \u00b7 Median PSNR", "mlp \u00b7 Median PSNR", "zoom", "salt and pepper", "median PSNR (dB)",
                  "smallest valid PSNR", "strength chosen", "scale: demo"):  # fmt: skip
        assert any(words in text for text in found), words
    assert not any("constraint not met" in text for text in found)
    assert (tmp_path / "figures" / "psnr_curves.png").stat().st_size > 0


def test_strengths_that_are_not_enough_are_told_apart(tmp_path: Path) -> None:
    found = draw({"lenet5": {"zoom": curve(14.0, 17.0)}}, tmp_path, min_db=None)
    assert "strength chosen, constraint not met" in found
    assert "strength chosen" not in found
    assert "smallest valid PSNR" not in found


def test_equal_calibrations_give_equal_files(tmp_path: Path) -> None:
    given = {"lenet5": {f"distortion{number}": curve(14.0 + number, math.inf) for number in range(11)}}
    draw(given, tmp_path)
    before = [(tmp_path / "figures" / f"psnr_curves{suffix}").read_bytes() for suffix in (".svg", ".png")]
    draw(given, tmp_path)
    assert [(tmp_path / "figures" / f"psnr_curves{suffix}").read_bytes() for suffix in (".svg", ".png")] == before


def test_nothing_to_draw_or_too_much_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="name others in `subjects`"):
        draw({}, tmp_path)
    with pytest.raises(QuantriftError, match="19 distortions are too many"):
        draw({"lenet5": {f"distortion{number}": curve(14.0) for number in range(19)}}, tmp_path)
