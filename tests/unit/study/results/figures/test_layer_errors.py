"""The figure of errors of layers."""

from pathlib import Path

import pytest
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.layer_errors import LayerError, write


def errors(**ratios: float | None) -> list[LayerError]:
    return [
        LayerError(layer, "int8", 8, 4, ratio, 0.99, 0.0 if ratio is None else 0.1, 0.3)
        for layer, ratio in ratios.items()
    ]


def draw(networks: dict[str, dict[str, list[LayerError]]], folder: Path) -> Path:
    """The figure of some compressions of some networks, all on digits; its path without suffix."""
    files = {}
    for network, compressions in networks.items():
        for name, found in compressions.items():
            write(found, folder / "of" / network / name)
            files["digits", network, name] = folder / "of" / network / name / "layers.json"
    titles = {"pruned": "cut to half", "thinned": "cut to half"}
    given = targets.given({"layers": files}, {"digits": datasets.digits()}, titles=titles)
    return targets.figure(folder, given, kind="layer_errors", title="Error of each layer")


def test_every_network_layer_and_compression_is_named(tmp_path: Path) -> None:
    lenet5 = {"int8": errors(conv=40.0, output=31.0), "pruned": errors(conv=20.0, dense=15.0, output=9.0)}
    stem = draw({"lenet5": lenet5, "mlp": {"int8": errors(dense=30.0, output=25.0)}}, tmp_path)
    found = targets.texts(stem)
    for words in ("int8", "cut to half", "SQNR (dB)", "Digits \u00b7 lenet5", "Digits \u00b7 mlp", "scale: demo"):
        assert words in found
    assert [text for text in found if text in ("conv", "dense", "output")] == [
        "conv", "dense", "output", "dense", "output"
    ]  # fmt: skip
    assert "equal to the original" not in found
    assert stem.with_suffix(".png").stat().st_size > 0


def test_two_compressions_of_one_title_keep_a_line_each(tmp_path: Path) -> None:
    compressions = {"pruned": errors(conv=40.0, output=31.0), "thinned": errors(conv=20.0, output=9.0)}
    found = targets.texts(draw({"lenet5": compressions}, tmp_path))
    assert {"cut to half (pruned)", "cut to half (thinned)"} <= set(found)


def test_layers_equal_to_the_originals_are_marked(tmp_path: Path) -> None:
    stem = draw({"lenet5": {"dynamic": errors(conv=None, output=31.0)}}, tmp_path)
    assert "equal to the original" in targets.texts(stem)


def test_equal_errors_give_equal_files(tmp_path: Path) -> None:
    given = {f"method{number}": errors(conv=40.0 - number, output=31.0) for number in range(20)}
    stem = draw({"lenet5": given}, tmp_path)
    before = [stem.with_suffix(suffix).read_bytes() for suffix in (".svg", ".png")]
    draw({"lenet5": given}, tmp_path)
    assert [stem.with_suffix(suffix).read_bytes() for suffix in (".svg", ".png")] == before


def test_nothing_to_compare_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="no compressed network has layers to compare; add one"):
        draw({}, tmp_path)
    with pytest.raises(QuantriftError, match="no compressed network has layers to compare; add one"):
        draw({"lenet5": {"int8": []}}, tmp_path)


def test_more_lines_than_can_be_told_apart_are_refused(tmp_path: Path) -> None:
    given = {f"method{number}": errors(output=31.0) for number in range(37)}
    with pytest.raises(QuantriftError, match="37 compressions are too many"):
        draw({"lenet5": given}, tmp_path)
