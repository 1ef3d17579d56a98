"""Accuracy and loss after each epoch."""

import json
from pathlib import Path

import pytest
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError

DATASETS = {"sim_pavia": datasets.scene(), "digits": datasets.digits()}
PLAIN = "epoch,loss,accuracy\n1,2.0,0.4\n2,0.9,0.8\n3,0.4,0.9\n"
VALIDATED = "epoch,loss,accuracy,validation_accuracy\n1,1.5,0.5,0.45\n2,0.5,0.85,0.8\n"


def history(folder: Path, dataset: str, model: str, rows: str = PLAIN) -> Path:
    """A network's training and what it is worth after it."""
    path = folder / dataset / model / "history.csv"
    path.parent.mkdir(parents=True)
    path.write_text(rows)
    path.with_name("model.json").write_text(json.dumps({"accuracy": 0.875}))
    return path


def draw(folder: Path, files: list[Path]) -> Path:
    """The figure of some trainings; its path without suffix."""
    histories = {(file.parts[-3], file.parts[-2]): file for file in files}
    given = targets.given({"histories": histories}, DATASETS)
    return targets.figure(folder, given, kind="learning_curves", title="Training")


def test_each_network_has_a_panel_that_says_what_is_simulated(tmp_path: Path) -> None:
    files = [history(tmp_path, "sim_pavia", "hybridsn"), history(tmp_path, "digits", "lenet5")]
    text = targets.texts(draw(tmp_path, files))
    for words in (
        "City (simulated)",
        "hybridsn",
        "Digits",
        "lenet5",
        "Training",
        "scale: demo",
        "accuracy (%)",
        "loss",
    ):
        assert words in text
    assert text.count("epoch") == 2
    assert (tmp_path / "figures" / "learning_curves.png").stat().st_size > 0


def test_validation_is_in_the_legend_only_where_a_network_has_it(tmp_path: Path) -> None:
    plain = history(tmp_path, "digits", "lenet5")
    assert "validation" not in targets.texts(draw(tmp_path, [plain]))
    assert "validation" in targets.texts(draw(tmp_path, [plain, history(tmp_path, "sim_pavia", "ssrn", VALIDATED)]))


def test_many_networks_stand_in_rows_of_three_without_empty_panels(tmp_path: Path) -> None:
    files = [history(tmp_path, "digits", f"net{number}") for number in range(7)]
    root = targets.drawn(draw(tmp_path, files))
    panels = [element for element in root.iter(f"{targets.SVG}g") if element.get("id", "").startswith("axes_")]
    assert len(panels) == 2 * len(files)
    width, height = (float(root.get(name, "").removesuffix("pt")) for name in ("width", "height"))
    assert width < 700 < height


def test_a_single_epoch_is_a_point_above_its_number(tmp_path: Path) -> None:
    text = targets.texts(draw(tmp_path, [history(tmp_path, "digits", "lenet5", "epoch,loss,accuracy\n1,2.0,0.4\n")]))
    assert "1" in text
    assert not [one for one in text if one.startswith("0.9")]


def test_equal_histories_give_equal_files(tmp_path: Path) -> None:
    files = [history(tmp_path, "digits", "lenet5")]
    draw(tmp_path, files)
    before = [(tmp_path / "figures" / f"learning_curves{end}").read_bytes() for end in (".svg", ".png")]
    draw(tmp_path, files)
    assert before == [(tmp_path / "figures" / f"learning_curves{end}").read_bytes() for end in (".svg", ".png")]


def test_no_trained_network_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="none of its networks is trained here; name others in `subjects`"):
        draw(tmp_path, [])
