"""The thesis's Table 5.1 at its own size: collected network by network, and compared with as many as there are."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tools.documents import thesis as page

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.table_parquet import write_rows
from quantrift.study.compression.bits.bit_study import ACCURACIES, HISTORY

Train = Callable[[str, str, int, int], None]


@pytest.fixture
def train(tmp_path: Path) -> Train:
    def write(scale: str, setting: str, repetition: int, correct: int) -> None:
        folder = tmp_path.joinpath("results", scale, "bits", *page.SUBJECT, f"networks_{setting}_{repetition}")
        folder.mkdir(parents=True)
        row = {"setting": setting, "repetition": repetition, "correct": correct, "inputs": 10_000}
        write_rows(folder / "accuracies.parquet", ACCURACIES, [row | {"attack": "none", "strength": 0.0}])

    return write


def _cells(text: str, label: str) -> list[str]:
    [line] = [line for line in text.splitlines() if line.startswith(f"| {label} |")]
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_a_column_has_the_mean_of_the_networks_that_are_trained(tmp_path: Path, train: Train) -> None:
    train("thesis_table5_1", "homogeneous_2", 0, 9700)
    train("thesis_table5_1", "homogeneous_2", 1, 9720)
    train("thesis_table5_1", "homogeneous_1", 0, 9500)
    text = page.table_of_perceptrons(page.trained(tmp_path))
    assert _cells(text, "bits") == ["1", "2"]
    assert _cells(text, "networks") == ["1", "2"]
    # Student's t at one degree of freedom is 12.706; of two values, half their distance is the mean's standard error.
    assert _cells(text, "accuracy %, here") == ["95.00, no interval", "97.10 [95.83, 98.37]"]
    assert _cells(text, "published in Table 5.1") == ["94.9", "96.9"]
    assert _cells(text, "here less published, points") == ["+0.10", "+0.20"]
    assert "batches of 256" not in text


@pytest.mark.parametrize("scale", page.OTHERS)
def test_a_larger_batch_and_a_device_stand_beside(tmp_path: Path, train: Train, scale: str) -> None:
    train("thesis_table5_1", "homogeneous_1", 0, 9500)
    for repetition, (own, other) in enumerate([(9700, 9690), (9720, 9710)]):
        train("thesis_table5_1", "homogeneous_2", repetition, own)
        train(scale, "homogeneous_2", repetition, other)
    text, title = page.table_of_perceptrons(page.trained(tmp_path)), page.OTHERS[scale]
    assert _cells(text, f"{title}, networks") == ["", "2"]
    assert _cells(text, f"{title}, accuracy %") == ["", "97.00 [95.73, 98.27]"]
    # Welch's t of groups of equal spread has two degrees of freedom, 4.303; the standard error is 0.1414 points.
    assert _cells(text, f"{title}, difference, points") == ["", "\u22120.10 [\u22120.71, +0.51]"]


def test_networks_join_those_that_are_kept(tmp_path: Path, train: Train) -> None:
    with pytest.raises(QuantriftError, match=r"train the networks of docs/measured/thesis_table5_1\.yaml"):
        page.trained(tmp_path)
    train("thesis_table5_1", "homogeneous_2", 0, 9700)
    (tmp_path / page.KEPT).parent.mkdir(parents=True)
    page.trained(tmp_path).assign(correct=9600).to_csv(tmp_path / page.KEPT, index=False)
    train("thesis_table5_1", "homogeneous_1", 0, 9500)
    (tmp_path / "results" / "thesis_table5_1").rename(tmp_path / "elsewhere")
    assert page.trained(tmp_path)["correct"].tolist() == [9600]
    (tmp_path / "elsewhere").rename(tmp_path / "results" / "thesis_table5_1")
    # A network that was trained again replaces the kept one.
    assert page.trained(tmp_path)["correct"].tolist() == [9500, 9700]


def test_vgg16_stands_with_its_first_epoch(tmp_path: Path) -> None:
    for scale, setting, loss, correct in (
        ("thesis_vgg16", "homogeneous_2", 3.9e13, 9219),
        ("thesis_vgg16_start", "homogeneous_1", float("nan"), 980),
    ):
        folder = tmp_path.joinpath("results", scale, "bits", *page.VGG16, "networks_000-000")
        folder.mkdir(parents=True)
        row = {"setting": setting, "repetition": 0}
        counted = {"attack": "none", "strength": 0.0, "correct": correct, "inputs": 10_000}
        write_rows(folder / "accuracies.parquet", ACCURACIES, [row | counted])
        write_rows(folder / "history.parquet", HISTORY, [row | {"epoch": 1, "loss": loss, "accuracy": 0.8}])
    lines = page.table_of_vgg16(page.first_epochs(tmp_path)).splitlines()
    assert lines[2:] == ["| 1 | 6,400 | NaN | 9.80 | 10.2 |", "| 2 | 60,000 | 3.9e+13 | 92.19 | 9.0 |"]
