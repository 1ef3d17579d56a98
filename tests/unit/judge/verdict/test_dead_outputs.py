"""Outputs that never move, and limits that the inputs as given leave open: what assessments say of them."""

from pathlib import Path

import numpy as np
import pytest
from tests.factories import mixed_outputs

from quantrift import api
from quantrift.cli.main import main
from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.runtime import load_values
from quantrift.core.pairs.task import task_of
from quantrift.core.pairs.tasks import regress
from quantrift.judge.verdict.assessment import Assessment, Limits
from quantrift.judge.verdict.new_build import still
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess
from quantrift.judge.verdict.under_task import BundledTask

TINY = Size(seeds=4, generations=2, queries=20, vectors=3, shrunk=4, layer_inputs=8)
ON_GIVEN = Limits(0.05, None, None)
WIDE = {"tolerance": (300.0,), "share": False}
"""A tolerance in units of the boxes that hides any score."""


def pair(folder: Path, order: mixed_outputs.Order, boxes: int, score: float, count: int = 100) -> list[Path]:
    """Files of the original, a compressed network with another factor of the scores, and inputs."""
    (folder / "original.onnx").write_bytes(mixed_outputs.graph(order, boxes))
    (folder / "compressed.onnx").write_bytes(mixed_outputs.graph(order, boxes, score, noise=0.001))
    write_arrays(folder / "inputs.npz", {"inputs": mixed_outputs.inputs(count)})
    return [folder / name for name in ("original.onnx", "compressed.onnx", "inputs.npz")]


def assessed(files: list[Path], out: Path, settings: dict[str, object], limits: Limits = ON_GIVEN) -> Assessment:
    original, compressed, inputs = files
    asked = Settings(size=TINY, limits=limits, task=task_of("regress", settings))
    return assess(original, [compressed], inputs, out, asked)


@pytest.mark.parametrize(("order", "boxes"), [("last", 4), ("first", 40)])
@pytest.mark.slow
def test_dead_scores_beside_boxes_fail_and_sound_ones_pass(
    order: mixed_outputs.Order, boxes: int, tmp_path: Path
) -> None:
    share: dict[str, object] = {"tolerance": (0.02,)}
    assert assessed(pair(tmp_path, order, boxes, score=1.0), tmp_path / "sound", share).verdict == "pass"
    found = assessed(pair(tmp_path, order, boxes, score=0.0), tmp_path / "dead", share)
    assert {one.limit for one in found.candidates[0].judgements if one.verdict == "fail"} == {
        "max_disagreement",
        "dead_output",
    }


def test_a_dead_score_fails_also_where_the_tolerance_hides_it_and_in_a_replay(tmp_path: Path) -> None:
    files = pair(tmp_path, "last", 4, score=0.0)
    found = assessed(files, tmp_path / "out", WIDE)
    [disagreement, dead] = found.candidates[0].judgements
    assert disagreement.verdict == "pass"
    assert (dead.limit, dead.verdict, dead.count) == ("dead_output", "fail", 100)
    assert dead.text.startswith("output 'out': the compressed network never moves channel 4 on 100 inputs")
    assert "dead" in found.verdict_text
    assert "never move" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.slow
def test_a_new_build_with_dead_scores_fails_on_the_stored_inputs(tmp_path: Path) -> None:
    files = pair(tmp_path, "last", 4, score=0.9)
    found = assessed(files, tmp_path / "out", {"tolerance": (0.02,)})
    [_, dead, _] = pair(tmp_path, "last", 4, score=0.0)
    stored = tmp_path / "out" / found.candidates[0].dii_file
    assert "dead_output" in {one.limit for one in still(stored, dead).judgements}
    [_, same, _] = pair(tmp_path, "last", 4, score=0.9)
    assert "dead_output" not in {one.limit for one in still(stored, same).judgements}


def test_from_fewer_than_twenty_inputs_a_dead_score_is_unknown_and_said(tmp_path: Path) -> None:
    found = assessed(pair(tmp_path, "last", 4, score=0.0, count=19), tmp_path / "out", WIDE, Limits(0.5, None, None))
    assert found.verdict == "pass"
    [line] = [note for note in found.notes if "unknown whether it is dead" in note]
    assert "channel 4 on 19 inputs" in line


def test_outputs_of_a_device_with_a_dead_score_fail(tmp_path: Path) -> None:
    original, compressed, inputs = map(str, pair(tmp_path, "last", 4, score=0.0))
    words = ["--original", original, "--inputs", inputs, "--seeds", "4", "--number", "10"]
    bundle, outputs = tmp_path / "bundle", tmp_path / "outputs.npy"
    wide = ["--task", "regress", "--tolerance", "300"]
    assert main(["export-inputs", *words, *wide, "--out", str(bundle)]) == 0
    np.save(outputs, load_values("onnxruntime", Path(compressed))(np.load(bundle / "inputs.npy")).reshape(-1, 4, 5))
    limits = ["--max-disagreement", "5%", "--max-dir", "none"]
    assert main(["judge-outputs", str(bundle), str(outputs), "--out", str(tmp_path / "out"), *limits]) == 1


def test_a_bundle_of_an_earlier_version_means_one_range_for_an_output(tmp_path: Path) -> None:
    for settings, by_channel in (({"tolerance": [0.02], "share": True}, False), ({"by_channel": True}, True)):
        task = BundledTask("regress", settings, ["out"], [(4, 5)]).agreement.task
        assert isinstance(task, regress.Settings)
        assert task.by_channel == by_channel


def test_what_inputs_leave_open_is_said_and_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = pair(tmp_path, "last", 4, score=1.0, count=40)
    found = assessed(files, tmp_path / "out", {"tolerance": (0.02,)}, Limits(0.05, None, 0.05))
    said = capsys.readouterr().err
    assert "40 inputs, limit 5.00 %: not decided; about 72 to " in said
    assert "too few to show that a limit is kept, even without any disagreement: at least 72 are needed" in said
    assert [note for note in found.notes if "no search changes that" in note]
    assert found.verdict == "inconclusive"


def test_it_is_said_before_searches_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = pair(tmp_path, "last", 4, score=1.0, count=40)
    # Nothing can be searched, as the original is right on no input.
    write_arrays(files[2], {"inputs": mixed_outputs.inputs(40), "labels": np.full((40, 20), 1e6, np.float32)})
    with pytest.raises(QuantriftError, match="right on none of the inputs"):
        assessed(files, tmp_path / "out", {"tolerance": (0.02,)})
    assert "about 72 to " in capsys.readouterr().err


def test_nothing_is_said_of_limits_that_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = assessed(pair(tmp_path, "last", 4, score=1.0), tmp_path / "out", {"tolerance": (0.02,)})
    assert "no search changes that" not in capsys.readouterr().err
    assert not [note for note in found.notes if "limit" in note]


def test_a_function_with_a_dead_logit_fails_although_all_labels_stay(tmp_path: Path) -> None:
    images = mixed_outputs.inputs(200)
    weights = np.random.default_rng(5).normal(0, 1, (36, 3)).astype(np.float32)

    def original(x: np.ndarray) -> np.ndarray:
        # Sums in one order, however many inputs there are.
        said = np.stack([(x.reshape(len(x), 36) * of).sum(axis=1) for of in weights.T], axis=1)
        said[:, 2] = np.tanh(said[:, 2]) - 30
        said[:, 1] -= 60
        return said

    def compressed(x: np.ndarray) -> np.ndarray:
        said = original(x)
        said[:, 2] = -30
        return said

    found = api.assess(original, compressed, images, tmp_path / "out", outputs="logits", seeds=4, generations=2)
    [dead] = [one for one in found.candidates[0].judgements if one.verdict == "fail"]
    assert dead.limit == "dead_output"
    assert "channel 2" in dead.text
