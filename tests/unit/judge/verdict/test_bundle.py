"""Bundles for devices: outputs get the verdict that an assessment of the network gets, and others are refused."""

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.new_builds import MOVED, on_given, with_classes
from tests.factories.places import ROOT

from quantrift import api
from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.judge.intake.example import FOLDER, paths
from quantrift.judge.verdict.bundle import Bundle, read
from quantrift.judge.verdict.new_build import still

SEEDS, GENERATIONS = 4, 2
NUMBER = 10 * GENERATIONS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some inputs of the example, a bundle of them, and what the network in 8 bits gives on it."""
    root = tmp_path_factory.mktemp("bundles")
    arrays = read_arrays(paths().inputs)
    write_arrays(root / "some.npz", {name: arrays[name][:40] for name in ("inputs", "labels")})
    words = ["--original", str(paths().dynamic), "--inputs", str(root / "some.npz"), "--out", str(root / "bundle")]
    assert main(["export-inputs", *words, "--seeds", str(SEEDS), "--number", str(NUMBER)]) == 0
    np.save(root / "outputs.npy", LiteRT(paths().int8)(np.load(root / "bundle" / "inputs.npy")))
    return root


@pytest.fixture(scope="module")
def made(folder: Path) -> Bundle:
    """Its manifest."""
    return read(folder / "bundle", GivenFiles())[0]


def judged(folder: Path, outputs: Path, out: Path, *more: str) -> dict[str, Any]:
    assert main(["judge-outputs", str(folder / "bundle"), str(outputs), "--out", str(out), *more]) in (0, 1, 3)
    found: dict[str, Any] = json.loads((out / "assessment.json").read_text(encoding="utf-8"))
    return found


def test_both_files_hold_the_inputs_that_the_manifest_describes(folder: Path, made: Bundle) -> None:
    one, other = np.load(folder / "bundle" / "inputs.npy"), read_arrays(folder / "bundle" / "inputs.npz")["inputs"]
    assert one.tobytes() == other.tobytes()
    assert one.shape == made.shape == (made.given + made.valid + len(made.repeats), 28, 28, 1)
    assert str(one.dtype) == made.dtype
    assert made.range[0] <= one.min() < one.max() <= made.range[1]
    assert made.drawn == made.seeds * NUMBER >= made.valid > 0
    assert all(one[row].tobytes() == one[of].tobytes() for row, of in made.repeats)
    own = np.setdiff1d(np.arange(len(one)), [row for row, _ in made.repeats])
    np.testing.assert_array_equal(one[own[:40]], read_arrays(folder / "some.npz")["inputs"])


@pytest.mark.slow
def test_outputs_get_the_rates_and_verdicts_of_an_assessment(folder: Path, tmp_path: Path) -> None:
    found = judged(folder, folder / "outputs.npy", tmp_path / "out", "--values", "logits")
    whole = api.assess(
        paths().dynamic, paths().int8, folder / "some.npz", tmp_path / "whole", seeds=SEEDS, generations=GENERATIONS
    )
    other = json.loads((tmp_path / "whole" / "assessment.json").read_text(encoding="utf-8"))
    ours, theirs = found["candidates"][0], other["candidates"][0]
    [tool] = ours["tools"]
    same = theirs["tools"][0]
    for name in ("seconds", "records", "shrunk", "layers"):
        del tool[name], same[name]
    assert tool == same
    assert ours["judgements"] == [one for one in theirs["judgements"] if one["tool"] in (None, tool["title"])]
    for name in ("disagreement", "drop", "classes", "accuracy_original", "accuracy_compressed"):
        assert ours["clean"][name] == theirs["clean"][name]
    assert whole.inputs.number == found["inputs"]["number"]


def test_what_was_not_looked_at_is_said(folder: Path, made: Bundle, tmp_path: Path) -> None:
    found = judged(folder, folder / "outputs.npy", tmp_path / "out")
    assert found["assumed"] == [
        *made.assumed,
        f"bundle {made.bundle[:12]}: {made.how}",
        "original: the outputs stored in the bundle",
        "meaning of the outputs: unknown, so that labels count and margins of the compressed network are left out",
    ]
    [note] = found["notes"]
    assert "no search looked for disagreements" in note
    assert "layers, size and digest of the compressed network are unknown" in note
    assert found["verdict_text"].endswith(note)
    assert {one["network"] for one in found["candidates"][0]["clean"]["margins"]} == {"original"}
    assert note in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_network_that_leans_to_a_class_on_changed_inputs_fails_and_its_counterexamples_are_stored(
    folder: Path, tmp_path: Path
) -> None:
    rows = np.load(folder / "bundle" / "inputs.npy")
    as_given = {one.tobytes() for one in read_arrays(folder / "some.npz")["inputs"]}
    changed = np.array([one.tobytes() not in as_given for one in rows])
    leaning = np.load(folder / "outputs.npy")
    leaning[changed] += 100 * np.eye(10, dtype=np.float32)[3]
    np.save(tmp_path / "leaning.npy", leaning)
    words = [str(folder / "bundle"), str(tmp_path / "leaning.npy"), "--out", str(tmp_path / "out")]
    assert main(["judge-outputs", *words]) == 1
    stored = read_arrays(tmp_path / "out" / "leaning" / "dii.npz")
    assert set(stored["tool"]) == {"image_random"}
    assert set(stored["label_compressed"]) == {3}
    network = LiteRT(paths().dynamic)
    np.testing.assert_array_equal(network(stored["inputs"]).argmax(axis=1), stored["label_original"])
    inputs = {one.tobytes() for one in rows[changed]}
    assert all(one.tobytes() in inputs for one in stored["inputs"])


def test_what_a_judgement_of_outputs_stored_fails_a_build_that_gives_other_classes(
    folder: Path, tmp_path: Path
) -> None:
    [one] = judged(folder, folder / "outputs.npy", tmp_path / "out")["candidates"]
    again = still(tmp_path / "out" / one["dii_file"], paths().int8)
    assert on_given(again.judgements) == [row["text"] for row in one["judgements"] if row["tool"] is None]
    broken = still(tmp_path / "out" / one["dii_file"], with_classes(MOVED, tmp_path / "moved.tflite"))
    assert broken.verdict == "fail"
    assert broken.notes[0].startswith("run: 40 of 40 inputs as given")


@pytest.mark.slow
def test_outputs_are_the_same_from_each_kind_of_file(folder: Path, made: Bundle, tmp_path: Path) -> None:
    outputs = np.load(folder / "outputs.npy")
    write_arrays(tmp_path / "outputs.npz", {"outputs": outputs, "bundle": np.array(made.bundle)})
    outputs.astype("<f4").tofile(tmp_path / "outputs.bin")
    files = [folder / "outputs.npy", tmp_path / "outputs.npz", tmp_path / "outputs.bin"]
    found = [judged(folder, file, tmp_path / str(number)) for number, file in enumerate(files)]
    assert (
        found[0]["candidates"][0]["clean"] == found[1]["candidates"][0]["clean"] == found[2]["candidates"][0]["clean"]
    )
    assert len({str(one["candidates"][0]["judgements"]) for one in found}) == 1


def test_outputs_of_the_original_may_come_from_the_device(folder: Path, tmp_path: Path) -> None:
    outputs = folder / "outputs.npy"
    found = judged(folder, outputs, tmp_path / "out", "--original-outputs", str(outputs))
    [one] = found["candidates"]
    assert one["clean"]["disagreeing"] == one["tools"][0]["dii"] == 0


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_outputs_that_do_not_belong_to_the_bundle_are_refused_in_one_line(
    suffix: str, folder: Path, made: Bundle, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = np.load(folder / "outputs.npy")
    order = np.random.default_rng(0).permutation(len(good))
    holed = good.copy()
    holed[5, 2] = np.nan
    for name, outputs, says in (
        ("short", good[:-1], "expected numbers"),
        ("narrow", good[:, :7], "expected numbers"),
        ("holed", holed, "NaN or infinity in 1 of"),
        ("permuted", good[order], "rows are in another order than the inputs, or the device is not deterministic"),
        ("shifted", np.roll(good, 1, axis=0), "rows are in another order than the inputs"),
        ("text", good.astype(str), "expected numbers"),
    ):
        path = tmp_path / f"{name}{suffix}"
        if suffix == ".npy":
            np.save(path, outputs)
        else:
            write_arrays(path, {"outputs": outputs})
        assert main(["judge-outputs", str(folder / "bundle"), str(path), "--out", str(tmp_path / "out")]) == 2
        [line] = capsys.readouterr().err.splitlines()
        assert says in line
    assert not (tmp_path / "out").exists()


def test_outputs_of_another_bundle_and_a_changed_bundle_are_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_arrays(tmp_path / "outputs.npz", {"outputs": np.load(folder / "outputs.npy"), "bundle": np.array("0" * 64)})
    assert main(["judge-outputs", str(folder / "bundle"), str(tmp_path / "outputs.npz")]) == 2
    assert "made of another bundle" in capsys.readouterr().err
    changed = tmp_path / "bundle"
    for file in (path for path in (folder / "bundle").rglob("*") if path.is_file()):
        target = changed / file.relative_to(folder / "bundle")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    (changed / "aside" / "original.npz").write_bytes((folder / "outputs.npy").read_bytes())
    with pytest.raises(QuantriftError, match="is missing or was changed"):
        read(changed, GivenFiles())


def test_last_digits_of_a_device_are_noticed_and_no_reason_to_refuse(
    folder: Path, made: Bundle, tmp_path: Path
) -> None:
    outputs = np.load(folder / "outputs.npy")
    outputs[made.repeats[0][0]] += np.float32(1e-4) * np.ptp(outputs)
    np.save(tmp_path / "near.npy", outputs)
    found = judged(folder, tmp_path / "near.npy", tmp_path / "out")
    assert any("differ in the last digits" in line for line in found["assumed"])


def test_the_commands_of_the_page_run_as_they_stand_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\.venv/bin/quantrift (.+)$", text, re.MULTILINE)
    export, judge = (shlex.split(line.replace("$PAIR", str(FOLDER))) for line in stated)
    # A Keras network takes seconds to convert, which other tests do.
    export[export.index("--original") + 1] = str(paths().dynamic)
    monkeypatch.chdir(tmp_path)
    assert main([*export, "--seeds", "3", "--number", "4"]) == 0
    np.save("outputs.npy", LiteRT(paths().int8)(np.load("bundle/inputs.npy")))
    assert main(judge) in (0, 3)
    assert (tmp_path / "assessment" / "report.html").is_file()


@pytest.mark.parametrize(
    ("name", "array", "change"),
    [
        ("aside/rows.npz", "repeats", lambda one: one[0]),
        ("aside/rows.npz", "seed", lambda one: one[:3]),
        ("aside/rows.npz", "generation", lambda one: one.astype(str)),
        ("aside/original.npz", "outputs", lambda one: one[:-1]),
        ("aside/original.npz", "outputs", lambda one: one.ravel()),
    ],
)
def test_a_damaged_bundle_with_right_digests_is_refused_in_one_line(
    folder: Path,
    name: str,
    array: str,
    change: Callable[[np.ndarray], np.ndarray],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    damaged = Path(shutil.copytree(folder / "bundle", tmp_path / "bundle"))
    arrays = read_arrays(damaged / name)
    write_arrays(damaged / name, arrays | {array: change(arrays[array])})
    manifest = json.loads((damaged / "bundle.json").read_text(encoding="utf-8"))
    manifest["files"][name] = sha256(damaged / name)
    (damaged / "bundle.json").write_text(json.dumps(manifest), encoding="utf-8")
    words = [str(damaged), str(folder / "outputs.npy"), "--out", str(tmp_path / "out")]
    assert main(["judge-outputs", *words]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert f"{damaged}: a damaged bundle (" in line
    assert not (tmp_path / "out").exists()
