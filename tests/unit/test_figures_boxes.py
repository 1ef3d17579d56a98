"""Box plots of run seeds."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quantrift.config.datasets import SimulatedScene
from quantrift.config.errors import QuantriftError
from quantrift.config.targets import BoxFigure
from quantrift.figures import boxes
from quantrift.figures.given import Given

Write = Callable[..., Path]

DATASETS = {
    name: SimulatedScene(kind="simulated_scene", title=title, published_as="salinas", class_names=["soil"], bands=16)
    for name, title in (("sim_pavia", "City (simulated)"), ("sim_salinas", "Fields (simulated)"))
}
PUBLISHED = "dataset,model,compression,baseline_dir\nsalinas,hybridsn,ptq_int8,0.0002\n"


def draw(folder: Path, metrics: list[Path], published: Path | None = None) -> str:
    """All text of the figure."""
    target = BoxFigure.model_validate(
        {"kind": "boxes", "title": "DiR by tool", "from": ["rq1"], "published_as": {"random": "baseline"}}
    )
    titles = {"random": "random sampling"}
    given = Given(metrics, DATASETS, "demo", [published] if published else [], titles)
    boxes.make(target, given, folder / "boxes")
    root = ElementTree.parse(folder / "boxes.svg").getroot()
    return "\n".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))


@pytest.fixture
def metrics(write_metrics: Write) -> list[Path]:
    """Two subjects; the second lacks one of the two tools."""
    return [
        write_metrics("random", [0, 1, 2]),
        write_metrics("pso_div", [5, 6, 9]),
        write_metrics("random", [0, 0, 1], dataset="sim_salinas"),
    ]


def test_figure_says_scale_size_units_and_what_is_simulated(tmp_path: Path, metrics: list[Path]) -> None:
    text = draw(tmp_path, metrics)
    for words in ("3 run seeds of 2 inputs; scale: demo", "City (simulated)", "Fields (simulated)", "random sampling"):
        assert words in text
    assert "divergence rate (%)" in text
    assert "published median" not in text


def test_a_tool_without_values_leaves_a_marked_place(tmp_path: Path, metrics: list[Path]) -> None:
    assert draw(tmp_path, metrics).count("no value") == 1


def test_published_medians_are_labelled_so(tmp_path: Path, metrics: list[Path]) -> None:
    file = tmp_path / "printed.csv"
    file.write_text(PUBLISHED)
    assert "published median" in draw(tmp_path, metrics, file)


def test_equal_data_give_equal_files(tmp_path: Path, metrics: list[Path]) -> None:
    draw(tmp_path, metrics)
    before = [(tmp_path / f"boxes{end}").read_bytes() for end in (".svg", ".png")]
    draw(tmp_path, metrics)
    assert before == [(tmp_path / f"boxes{end}").read_bytes() for end in (".svg", ".png")]


def test_no_searches_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="have no searches"):
        draw(tmp_path, [])
