"""Differences that `make same` finds between two runs, and what it leaves out."""

import json
from pathlib import Path

import keras
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import same


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of equal results, but for what no comparison can ask for."""
    for name, seconds in (("before", 1.0), ("now", 2.0)):
        folder = tmp_path / name
        for inner in ("logs/search", "tables", "models"):
            (folder / inner).mkdir(parents=True)
        (folder / "logs/search/a.log").write_text(f"{seconds}")
        (folder / "tables/t.timing.csv").write_text(f"seconds\n{seconds}\n")
        (folder / "tables/t.provenance.json").write_text(json.dumps({"commit": name}))
        (folder / "tables/t.csv").write_text(f"dataset,rate,seconds\nmnist,0.25,{seconds}\n")
        (folder / "tables/t.md").write_text("| rate |\n")
        (folder / "models/m.json").write_text(json.dumps({"accuracy": 0.5, "settings": {"code": name, "epochs": 1}}))
        np.savez(folder / "models/a.npz", labels=np.arange(3))
        table = pa.table({"label": [1, 2], "seconds": [seconds, seconds]})
        about = {b"quantrift": json.dumps({"tool": "pso", "versions": name}).encode()}
        pq.write_table(table.replace_schema_metadata(about), folder / "models/s.parquet")
    return tmp_path / "before", tmp_path / "now"


def found(runs: tuple[Path, Path]) -> list[str]:
    return list(same.differences(*runs))


def test_times_code_and_provenance_are_no_differences(runs: tuple[Path, Path]) -> None:
    assert found(runs) == []


def test_a_file_that_only_one_run_has_is_named(runs: tuple[Path, Path]) -> None:
    (runs[0] / "tables/t.md").unlink()
    (runs[1] / "models/a.npz").unlink()
    assert found(runs) == ["models/a.npz: is gone", "tables/t.md: is new"]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("tables/t.csv", "dataset,rate,seconds\nmnist,0.5,2.0\n", "rate: 1: 0.25 -> 0.5"),
        ("tables/t.csv", "dataset\nmnist\n", "rate: is gone"),
        ("tables/t.csv", "dataset,rate\nmnist,0.25\nmnist,0.25\n", "dataset: 1 entries -> 2 entries"),
        ("tables/t.md", "| rates |\n", "1: | rate | -> | rates |"),
        ("models/m.json", '{"accuracy": 0.5, "settings": {"epochs": 2}}', "settings: epochs: 1 -> 2"),
        ("models/m.json", '{"accuracy": 0.5, "settings": {"epochs": 1}, "flips": 0}', "flips: is added"),
        ("models/new.keras", "", "is new"),
    ],
)
def test_the_first_difference_of_a_file_is_said(runs: tuple[Path, Path], name: str, content: str, line: str) -> None:
    (runs[1] / name).write_text(content)
    assert found(runs) == [f"{name}: {line}"]


def test_of_a_figure_in_two_forms_its_lines_are_compared(runs: tuple[Path, Path]) -> None:
    for folder in runs:
        (folder / "tables/f.svg").write_text("<svg/>")
        (folder / "tables/f.png").write_bytes(folder.name.encode())
        (folder / "tables/alone.png").write_bytes(folder.name.encode())
    assert [line.partition(":")[0] for line in found(runs)] == ["tables/alone.png"]


def test_what_is_added_is_told_and_hides_no_difference(runs: tuple[Path, Path]) -> None:
    file = "models/m.json"
    (runs[1] / file).write_text('{"accuracy": 0.6, "flips": 0, "settings": {"epochs": 2, "threads": 1}}')
    added = [f"{file}: settings: threads{same.ADDED}", f"{file}: flips{same.ADDED}"]
    assert sorted(found(runs)) == sorted([f"{file}: accuracy: 0.5 -> 0.6", *added])


def test_digests_in_text_are_no_differences(runs: tuple[Path, Path]) -> None:
    for folder, digit in zip(runs, "ab", strict=True):
        (folder / "tables/t.md").write_text(f"| rate |\n{64 * digit}\n")
    assert found(runs) == []


def test_columns_and_settings_of_parquet_are_compared(runs: tuple[Path, Path]) -> None:
    stored = pq.read_table(runs[1] / "models/s.parquet")
    pq.write_table(stored.set_column(0, "label", [[1, 3]]), runs[1] / "models/s.parquet")
    assert found(runs) == ["models/s.parquet: label: [1, 2] -> [1, 3]"]
    about = {b"quantrift": json.dumps({"tool": "ga"}).encode()}
    pq.write_table(stored.replace_schema_metadata(about), runs[1] / "models/s.parquet")
    assert found(runs) == ["models/s.parquet: about: quantrift: tool: pso -> ga"]


def test_arrays_differ_in_values_and_in_types(runs: tuple[Path, Path]) -> None:
    np.savez(runs[1] / "models/a.npz", labels=np.array([0, 1, 3]))
    assert [line.partition(": ")[0] for line in found(runs)] == ["models/a.npz"]
    np.savez(runs[1] / "models/a.npz", labels=np.arange(3, dtype=np.float32))
    assert [line.partition(": ")[0] for line in found(runs)] == ["models/a.npz"]


def test_a_network_saved_twice_is_the_same(runs: tuple[Path, Path]) -> None:
    network = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, name="one")], name="net")
    for folder in runs:
        network.save(folder / "models/m.keras")
    assert found(runs) == []
    network.set_weights([one + 1 for one in network.get_weights()])
    network.save(runs[1] / "models/m.keras")
    assert [line.partition(": ")[2].partition(":")[0] for line in found(runs)] == ["model.weights.h5"]
