"""A board judges each of its pairs once, says why what is unknown is unknown, and gives the same files each time."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.factories.places import ROOT

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256
from quantrift.judge.intake import example
from quantrift.study.board import files as board_files
from quantrift.study.board import run
from quantrift.study.board.files import Made, files
from quantrift.study.board.pair import Pair, load
from quantrift.study.board.row import NOT_RUN, ROW, read
from quantrift.study.datasets.official import Places

PAIR = example.paths()
QUICK = {"seeds": 20, "generations": 2}


def stated(**others: object) -> dict[str, object]:
    """A pair that the package brings."""
    paths = {"original": str(PAIR.original), "compressed": str(PAIR.dynamic), "inputs": str(PAIR.inputs)}
    return {"title": "LeNet-1 in 8 bits", **paths, **others}


def written(folder: Path, **pairs: object) -> Path:
    """A board's file; JSON is YAML."""
    path = folder / "board.yaml"
    path.write_text(json.dumps({"title": "Two pairs", "pairs": pairs}))
    return path


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"wheel": {"network": "direction", "quantizer": "static"}}, "state one of workflow, wheel, or original"),
        ({"inputs": None}, "state one of workflow, wheel, or original, compressed and inputs"),
        ({"task": {"regress": {}, "detect": {}}}, "state one task"),
        ({"colour": 1}, "pairs.one.colour: unknown key"),
    ],
)
def test_a_pair_that_is_stated_wrongly_is_refused_in_one_line(
    tmp_path: Path, others: dict[str, object], said: str
) -> None:
    with pytest.raises(QuantriftError, match=said) as refused:
        load(written(tmp_path, one=stated(**others)))
    assert "\n" not in str(refused.value)


def test_the_board_of_the_project_states_its_pairs_in_full() -> None:
    board = load(ROOT / "config/board.yaml")
    assert len(board.pairs) >= 14
    for pair in board.pairs.values():
        assert pair.source
        assert pair.title
        assert pair.workflow or pair.licence


def test_a_board_judges_each_pair_once_and_says_why_one_is_not_run(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        fine=stated(**QUICK, certify="brightness=1", certify_number=2),
        bare=stated(inputs=None, without="none at hand"),
        gone=stated(compressed="gone.tflite"),
    )
    told: list[str] = []
    rows = {row.pair: row for row in run.board(path, tmp_path / "out", Places(), told.append)}
    assert [line.partition(":")[0] for line in told] == ["fine", "bare", "gone"]

    fine = rows["fine"]
    assert fine.verdict in ("pass", "inconclusive")
    assert fine.inputs == 128
    assert fine.disagreement.value == 0.0
    assert fine.certified.value == 1.0
    assert fine.size == PAIR.dynamic.stat().st_size
    assert fine.sha256 == {name: sha256(getattr(PAIR, name)) for name in ("original", "inputs")} | {
        "compressed": sha256(PAIR.dynamic)
    }
    assert rows["bare"].verdict == rows["gone"].verdict == NOT_RUN
    assert rows["bare"].reasons["verdict"] == "none at hand"
    assert rows["bare"].int8_mac_share is not None
    assert "gone.tflite: no such file" in rows["gone"].reasons["verdict"]

    assert [one["pair"] for one in json.loads((tmp_path / "out/board.json").read_text())["rows"]] == [*rows]
    page = (tmp_path / "out/board.html").read_text()
    assert "none at hand" in page

    before = {name: (tmp_path / "out" / name).read_bytes() for name in ("board.html", "board.json", "board.csv")}
    times = (tmp_path / "out/fine/row.timing.json").stat().st_mtime_ns
    run.board(path, tmp_path / "out", Places())
    assert (tmp_path / "out/fine/row.timing.json").stat().st_mtime_ns == times
    assert {name: (tmp_path / "out" / name).read_bytes() for name in before} == before


def test_each_empty_cell_of_a_row_has_a_reason(tmp_path: Path) -> None:
    [row] = run.board(written(tmp_path, one=stated(**QUICK)), tmp_path / "out", Places())
    empty = [name for name, value in vars(row).items() if value is None or getattr(value, "value", 0) is None]
    assert {*empty} <= {*row.reasons, *({"sqnr_db"} if "layer" in row.reasons else ()), "mended_rate", "mended_size"}
    assert "mended" in row.reasons
    assert read(tmp_path / "out/one") == row


def test_a_row_says_why_its_network_was_not_mended(tmp_path: Path) -> None:
    strict = stated(**QUICK, limits={"max_disagreement": 0.001}, unmended="its mending takes hours")
    [row] = run.board(written(tmp_path, one=strict), tmp_path / "out", Places())
    assert row.verdict == "inconclusive"
    assert row.reasons["mended"] == "its mending takes hours"


def test_a_row_whose_files_changed_is_judged_again(tmp_path: Path) -> None:
    copy = tmp_path / "net.tflite"
    copy.write_bytes(PAIR.dynamic.read_bytes())
    path = written(tmp_path, one=stated(**QUICK, compressed="net.tflite"))
    [first] = run.board(path, tmp_path / "out", Places())
    copy.write_bytes(PAIR.int8.read_bytes())
    [second] = run.board(path, tmp_path / "out", Places())
    assert second.sha256["compressed"] == sha256(PAIR.int8) != first.sha256["compressed"]


def test_kept_rows_are_shown_by_a_process_that_judged_none_of_them(tmp_path: Path) -> None:
    with np.load(PAIR.inputs) as arrays:
        np.savez(tmp_path / "inputs.npz", inputs=arrays["inputs"])
    of_ours = {"inputs": "inputs.npz", "task": {"function": {"function": "same_marks"}}}
    path = written(tmp_path, marks=stated(**QUICK) | of_ours)
    [row] = run.board(path, tmp_path / "out", Places())
    assert row.verdict != NOT_RUN
    page = tmp_path / "out/board.html"
    before = page.read_bytes()
    page.unlink()
    command = [sys.executable, "-m", "quantrift.cli.main", "board", str(path), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert page.is_file(), done.stderr
    assert page.read_bytes() == before


def test_a_damaged_row_says_how_to_mend_it(tmp_path: Path) -> None:
    (tmp_path / ROW).write_text("{}")
    with pytest.raises(QuantriftError, match="not a row of a board"):
        read(tmp_path)


def test_images_are_the_first_of_each_class_and_may_be_enlarged(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for part in ("train", "test"):
            for number, name in enumerate(("cat", "dog")):
                for image in range(3):
                    file = tmp_path / "one.png"
                    Image.fromarray(np.full((2, 2, 3), 100 * number + image, np.uint8)).save(file)
                    archive.add(file, f"{part}/{name}/{image}.png")
    source = {"path": str(tmp_path / "a.tar"), "sha256": sha256(tmp_path / "a.tar")}
    pair = Pair.model_validate(
        stated(inputs={"images": source, "classes": ["cat", "dog"], "number": 4, "times": 2}, without="")
    )
    found = files(pair, tmp_path, Places(), tmp_path)
    assert found.inputs is not None
    with np.load(found.inputs) as arrays:
        assert arrays["inputs"].shape == (4, 4, 4, 3)
        assert arrays["inputs"][:, 3, 3, 0].tolist() == [0, 1, 100, 101]
        assert arrays["labels"].tolist() == [0, 0, 1, 1]


def test_windows_of_a_recording_start_a_step_apart(tmp_path: Path) -> None:
    np.arange(10, dtype="<f4").tofile(tmp_path / "sound.bin")
    source = {"path": str(tmp_path / "sound.bin"), "sha256": sha256(tmp_path / "sound.bin")}
    pair = Pair.model_validate(stated(inputs={"windows": source, "length": 4, "step": 3}))
    found = files(pair, tmp_path, Places(), tmp_path)
    assert found.inputs is not None
    with np.load(found.inputs) as arrays:
        assert arrays["inputs"].tolist() == [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9]]


def test_files_of_the_workflow_are_asked_for_there(tmp_path: Path) -> None:
    made = {"dataset": "mnist", "model": "lenet1", "compression": "ptq_int8"}
    pair = Pair.model_validate({"title": "LeNet-1", "workflow": made})
    with pytest.raises(QuantriftError, match="snakemake board"):
        files(pair, tmp_path, Places(), tmp_path)
    assert Made(*map(Path, "abc")).inputs == Path("c")


@pytest.mark.parametrize(
    ("wheel", "said"),
    [
        ({"network": "directions", "quantizer": "static"}, "there is no network of a wheel 'directions'"),
        ({"network": "direction", "quantizer": "statik"}, "there is no quantizer 'statik'"),
    ],
)
def test_networks_of_wheels_and_quantizers_are_known_by_name(tmp_path: Path, wheel: dict[str, str], said: str) -> None:
    pair = Pair.model_validate({"title": "Text", "wheel": wheel})
    with pytest.raises(QuantriftError, match=said):
        files(pair, tmp_path, Places(downloads=tmp_path), tmp_path)
    with pytest.raises(QuantriftError, match="forbids downloads"):
        files(pair, tmp_path, Places(), tmp_path)


def test_a_network_of_a_wheel_is_quantized_with_samples_that_are_not_its_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = board_files.public_networks.NETWORKS[0]
    file = tmp_path / "net.onnx"
    file.write_bytes(b"network")
    asked: list[np.ndarray] = []
    monkeypatch.setattr(board_files.public_networks, "file", lambda *_: file)
    monkeypatch.setattr(board_files.public_networks, "prepared", lambda *_: b"prepared")

    def quantized(content: bytes, samples: np.ndarray) -> bytes:
        asked.append(samples)
        return content + b" in 8 bits"

    monkeypatch.setitem(board_files.QUANTIZERS, "static", quantized)
    small = net._replace(inputs=3)
    monkeypatch.setattr(board_files.public_networks, "NETWORKS", (small,))
    pair = Pair.model_validate({"title": "Text", "wheel": {"network": net.name, "quantizer": "static"}})
    found = files(pair, tmp_path, Places(downloads=tmp_path), tmp_path)
    assert found.original.read_bytes() == b"prepared"
    assert found.compressed.read_bytes() == b"prepared in 8 bits"
    assert found.standard == net.standard
    assert found.inputs is not None
    with np.load(found.inputs) as arrays:
        taken = net.taken(arrays["inputs"])
    [samples] = asked
    assert samples.shape == (board_files.SAMPLES, *net.shape)
    assert not any((one == own).all() for one in samples for own in taken)
