"""The figure of errors of layers on difference-inducing inputs and on their seed inputs."""

from pathlib import Path

import pytest
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.layer_errors import LayerError, write_sides

STATED = {"kind": "layer_errors_dii", "title": "Layers", "from": ["rq1"]}


def draw(of_tools: dict[str, int], folder: Path) -> list[str]:
    """Texts of the figure of tools with so many inputs each, on one network of digits."""
    files = {}
    for tool, inputs in of_tools.items():
        errors = [LayerError(name, "int8", inputs, 4, 30.0, 0.99, 0.1, 0.3) for name in ("conv", "output")]
        file = folder / f"{tool}.json"
        write_sides({"seed_inputs": errors, "dii": errors} if inputs else {"seed_inputs": [], "dii": []}, file)
        files["digits", "lenet5", "ptq_int8", tool, "rq1"] = file
    titles = {"pso_div": "Swarm", "pso_cov": "Swarm"}
    given = targets.given({"layers": files}, {"digits": datasets.digits()}, titles=titles)
    return targets.texts(targets.figure(folder, given, **STATED))


def test_both_sides_of_each_tool_are_named_with_the_number_of_inputs(tmp_path: Path) -> None:
    found = draw({"pso_div": 12, "ga_div": 30}, tmp_path)
    for words in (
        "Digits \u00b7 lenet5 \u00b7 ptq_int8",
        "Swarm: seed inputs",
        "Swarm: difference-inducing inputs",
        "ga_div: seed inputs",
        "12 to 30 inputs a line; scale: demo",
    ):
        assert words in found
    assert found.count("conv") == 1


def test_two_tools_of_one_title_keep_their_lines(tmp_path: Path) -> None:
    found = draw({"pso_div": 12, "pso_cov": 30}, tmp_path)
    assert {"Swarm (pso_div): seed inputs", "Swarm (pso_cov): seed inputs"} <= set(found)


def test_a_tool_that_found_nothing_has_no_line(tmp_path: Path) -> None:
    found = draw({"pso_div": 12, "ga_div": 0}, tmp_path)
    assert "12 inputs a line; scale: demo" in found
    assert not any(text.startswith("ga_div") for text in found)


def test_where_nothing_was_found_the_figure_says_so(tmp_path: Path) -> None:
    assert "no difference-inducing input is stored" in draw({"pso_div": 0}, tmp_path)


def test_more_tools_than_colours_are_refused(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="8 tools are too many"):
        draw({f"tool{number}": 3 for number in range(8)}, tmp_path)
