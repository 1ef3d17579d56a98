"""Networks of several inputs: one is changed, and each keeps the others that were given with it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.installed import needs
from tests.factories.several_inputs import SHAPE, expected, graph, values

from quantrift import api
from quantrift.api import Function, InputForm
from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.graphs.choices import Choices, of_onnx
from quantrift.judge.intake.given_inputs import rows_for
from quantrift.judge.intake.given_networks import Ready, compressed, original
from quantrift.judge.verdict import bundle
from quantrift.judge.verdict.new_build import still

FORM = InputForm(change="image", range=(0, 255))
SIZE: dict[str, Any] = {"seeds": 6, "generations": 3}
LIMIT = 45


@pytest.fixture(scope="module")
def files() -> Iterator[ForeignFiles]:
    with ForeignFiles() as opened:
        yield opened


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The graph as ``net.onnx``, with its inputs under other names, and its inputs in ``test.npz``."""
    pytest.importorskip("onnx")
    folder = tmp_path_factory.mktemp("several")
    (folder / "net.onnx").write_bytes(graph())
    (folder / "prefixed.onnx").write_bytes(
        graph(("serving_default_image:0", "serving_default_angle:0", "serving_default_group:0"), (2, 1, 0))
    )
    (folder / "renamed.onnx").write_bytes(graph(("args_0", "args_1", "args_2"), (2, 1, 0)))
    data = values(40)
    labels = expected(**data).argmax(axis=1)
    write_arrays(folder / "test.npz", {**data, "labels": labels})
    return folder


def run(ready: Ready, data: dict[str, np.ndarray]) -> np.ndarray:
    """Outputs of a network for rows that are drawn here."""
    found: np.ndarray = ready.network(rows_for(ready.network.signature, data["image"], data, "test"))
    return found


def test_a_network_gets_each_input_by_its_name(saved: Path, files: ForeignFiles, tmp_path: Path) -> None:
    data = values(7)
    ready = original(saved / "net.onnx", tmp_path, files, FORM)
    assert [one.name for one in ready.chosen.inputs] == ["image", "angle", "group"]
    assert ready.network.signature.image == SHAPE
    assert ready.network.input_shape == (1, 1, 18)
    assert run(ready, data).tobytes() == expected(**data).tobytes()


@pytest.mark.parametrize(("name", "how"), [("net", "by name"), ("prefixed", "by name"), ("renamed", "by shape")])
def test_inputs_of_both_networks_are_matched(
    name: str, how: str, saved: Path, files: ForeignFiles, tmp_path: Path
) -> None:
    data = values(7)
    first = original(saved / "net.onnx", tmp_path, files, FORM)
    if name == "renamed":
        with pytest.raises(QuantriftError, match="'args_2' .* are not those of the original, .* nor by shape"):
            # A number without an axis and one of a single value have the same sides.
            compressed(saved / f"{name}.onnx", files, FORM, first.chosen)
        return
    second = compressed(saved / f"{name}.onnx", files, FORM, first.chosen)
    assert run(second, data).tobytes() == expected(**data).tobytes()
    assert any(f"matched to the original's {how}" in line for line in second.assumed)


def test_inputs_that_were_matched_come_under_the_names_of_the_original(
    saved: Path, files: ForeignFiles, tmp_path: Path
) -> None:
    data = values(7)
    ready = original(saved / "net.onnx", tmp_path, files, FORM)
    others = {"turn": data["angle"], "kind": data["group"]}
    rows = rows_for(ready.network.signature, data["image"], others, "test", ["turn", "kind"])
    assert ready.network(rows).tobytes() == expected(**data).tobytes()
    with pytest.raises(QuantriftError, match="test: no values of shape .* for the input 'size'"):
        rows_for(ready.network.signature, data["image"], others, "test", ["turn", "size"])


def test_a_choice_is_written_into_a_copy_and_the_given_file_stays(
    saved: Path, files: ForeignFiles, tmp_path: Path
) -> None:
    import onnx

    before = (saved / "net.onnx").read_bytes()
    ready = original(saved / "net.onnx", tmp_path, files, FORM)
    assert (saved / "net.onnx").read_bytes() == before
    assert ready.path != ready.file
    assert Choices.of(of_onnx(onnx.load(str(ready.path)))).inputs == ("image", "angle", "group")
    folder = ready.path.parent
    del ready
    assert not folder.exists()


REFUSED: dict[str, tuple[InputForm, str]] = {
    "no choice": (InputForm(), r"has 3 inputs \('angle' 1, 'image' 4 x 4 x 1, 'group' 1\); quantrift assess --change"),
    "no such name": (InputForm(change="picture"), r"has no input 'picture'.* 'angle', 'image', 'group' with --change"),
    "tokens": (InputForm(change="group"), "takes int64"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_choice_that_does_not_fit_is_one_line(name: str, saved: Path, files: ForeignFiles, tmp_path: Path) -> None:
    form, match = REFUSED[name]
    with pytest.raises(QuantriftError, match=match) as error:
        original(saved / "net.onnx", tmp_path, files, form)
    assert str(error.value).startswith(str(saved / "net.onnx"))
    assert "\n" not in str(error.value)


WRONG: dict[str, tuple[Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]], str]] = {
    "missing": (lambda data: {name: data[name] for name in ("image", "group")}, "has no array 'angle' with a row for"),
    "shape": (
        lambda data: data | {"angle": np.zeros((40, 2))},
        r"'angle' holds float64 \(40, 2\), expected .*\(40, 1\)",
    ),
    "rows": (lambda data: data | {"angle": np.zeros((39, 1))}, "has no array 'angle' with a row for"),
    "parts": (lambda data: data | {"group": np.full(40, 0.5)}, "'group' goes to an input of int64"),
    "nan": (lambda data: data | {"angle": np.full((40, 1), np.nan)}, "NaN or infinity in array 'angle'"),
    "large": (lambda data: data | {"group": np.full(40, 2**24 + 1)}, "whole numbers up to 16,777,216"),
}


@pytest.mark.parametrize("name", WRONG)
def test_values_that_do_not_fit_their_input_are_one_line(name: str, saved: Path, tmp_path: Path) -> None:
    change, match = WRONG[name]
    write_arrays(tmp_path / "test.npz", change(values(40)))
    with pytest.raises(QuantriftError, match=match) as error:
        api.assess(saved / "net.onnx", saved / "net.onnx", tmp_path / "test.npz", tmp_path / "out", form=FORM)
    assert "\n" not in str(error.value)


def _of(data: np.ndarray, angle: np.ndarray, group: np.ndarray) -> np.ndarray:
    return expected(data, angle, group.astype(np.int64))


def _turned(data: np.ndarray, angle: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The same up to ``LIMIT``, and its negative above, so that the angle alone tells where both disagree."""
    return np.where(angle > LIMIT, -1, 1) * _of(data, angle, group)


OTHERS = {"angle": (1,), "group": ()}


@needs("onnx")
def test_disagreements_keep_the_values_that_were_given_with_their_seed_input(saved: Path) -> None:
    data = read_arrays(saved / "test.npz")
    labels = data.pop("labels")
    first = Function(_of, "logits", SHAPE, others=OTHERS)
    second = Function(_noisy, "logits", SHAPE, others=dict(reversed(OTHERS.items())))
    pair = api.load_pair(first, second, FORM)
    assert pair.input_shape == SHAPE
    said = pair(data["image"], angle=data["angle"], group=data["group"])
    assert said.original.tobytes() == expected(**data).tobytes()
    found = api.search(pair, data, labels, seeds=20, generations=5)
    assert len(found.inputs)
    assert found.inputs.shape[1:] == SHAPE
    for name in OTHERS:
        assert found.others[name].tobytes() == data[name][found.number].astype(np.float32).tobytes()
    assert found.seeds.tobytes() == data["image"][found.number].tobytes()
    again = pair(found.inputs, **found.others)
    assert again.original.argmax(axis=1).tolist() == found.label_original.tolist()
    assert again.compressed.argmax(axis=1).tolist() == found.label_compressed.tolist()


def _noisy(data: np.ndarray, angle: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Images in steps of 64 alone."""
    return _of(np.rint(data / 64) * np.float32(64), angle, group)


@pytest.mark.slow
def test_only_what_was_carried_decides(saved: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    data = read_arrays(saved / "test.npz")
    found = api.assess(
        saved / "net.onnx",
        Function(_turned, "logits", SHAPE, others=OTHERS),
        saved / "test.npz",
        tmp_path / "out",
        form=FORM,
        **SIZE,
    )
    (one,) = found.candidates
    # As given, exactly those above the limit differ, wherever the largest and the least logit are not the same.
    logits = expected(*(data[name] for name in ("image", "angle", "group")))
    differ = (data["angle"][:, 0] > LIMIT) & (logits.argmax(axis=1) != (-logits).argmax(axis=1))
    assert one.clean.disagreeing == differ.sum() > 0
    assert found.inputs.changed == "image"
    assert found.inputs.carried == ["angle", "group"]
    assert found.inputs.shape == SHAPE
    assert "only 'image' is changed; 'angle' and 'group' of the same input go along unchanged" in found.verdict_text
    stored = read_arrays(tmp_path / "out" / one.dii_file)
    found_from = stored["search_input"][stored["search_dii"] > 0]
    assert len(found_from)
    assert (data["angle"][found_from] > LIMIT).all(), "no change of an image reaches its angle"
    assert stored["inputs"].shape[1:] == SHAPE
    for name in ("angle", "group"):
        own = data[name][stored["seed"]].astype(np.float32)
        assert stored[f"carried.{name}"].tobytes() == own.tobytes()
    again = still(tmp_path / "out" / one.dii_file, saved / "prefixed.onnx")
    assert not len(again.rows), "the original under other names is no version that disagrees"
    assert not again.sampled


@pytest.mark.slow
def test_a_replay_needs_the_results_folder_alone(saved: Path, tmp_path: Path) -> None:
    second = Function(_noisy, "logits", SHAPE, others=OTHERS)
    found = api.assess(saved / "net.onnx", second, saved / "test.npz", tmp_path / "out", form=FORM, **SIZE)
    assert sum(tool.dii for tool in found.candidates[0].tools) > 0
    again = api.replay(tmp_path / "out", compressed=second)
    assert all(one.complete for one in again.values())
    assert any(one.rows for one in again.values())
    with pytest.raises(QuantriftError, match="others of Function and change of InputForm belong together"):
        api.replay(tmp_path / "out", compressed=Function(lambda data: data, "logits", SHAPE))


def test_assessments_of_one_input_hold_nothing_on_others(tmp_path: Path) -> None:
    image = np.random.default_rng(0).random((20, *SHAPE)).astype(np.float32)

    def sums(data: np.ndarray) -> np.ndarray:
        return np.stack([data.mean(axis=(1, 2, 3)), np.full(len(data), 0.5, np.float32)], axis=1)

    form = InputForm(range=(0, 1))
    api.assess(Function(sums, "logits"), Function(sums, "logits"), image, tmp_path / "out", form=form, **SIZE)
    inputs = json.loads((tmp_path / "out" / "assessment.json").read_text(encoding="utf-8"))["inputs"]
    assert not {"changed", "carried"} & set(inputs)
    assert api.read(tmp_path / "out").inputs.changed is None


@needs("onnx")
@pytest.mark.slow
def test_a_bundle_holds_each_input_by_name_and_is_judged_as_an_assessment_of_the_files(
    saved: Path, tmp_path: Path
) -> None:
    given = ["--original", str(saved / "net.onnx"), "--inputs", str(saved / "test.npz"), "--change", "image"]
    drawn = ["--range", "0", "255", "--seeds", "4", "--number", "20"]
    assert main(["export-inputs", *given, *drawn, "--out", str(tmp_path / "bundle")]) == 0
    made = bundle.read(tmp_path / "bundle", GivenFiles())[0]
    assert (made.changed, made.carried, made.shape[1:]) == ("image", ["angle", "group"], SHAPE)
    sent = read_arrays(tmp_path / "bundle" / "inputs.npz")
    assert sent["image"].tobytes() == np.load(tmp_path / "bundle" / "inputs.npy").tobytes()
    assert list(sent) == ["image", "angle", "group"]
    np.save(tmp_path / "outputs.npy", _noisy(sent["image"], sent["angle"], sent["group"]))
    words = [str(tmp_path / "bundle"), str(tmp_path / "outputs.npy"), "--values", "logits"]
    assert main(["judge-outputs", *words, "--out", str(tmp_path / "out")]) in (0, 1, 3)
    ours = api.read(tmp_path / "out")
    second = Function(_noisy, "logits", SHAPE, others=OTHERS)
    whole = api.assess(
        saved / "net.onnx", second, saved / "test.npz", tmp_path / "whole", form=FORM, seeds=4, generations=2
    )
    assert ours.inputs == whole.inputs
    [one], [other] = ours.candidates, whole.candidates
    assert one.clean.disagreement == other.clean.disagreement
    assert (one.tools[0].dir_valid, one.tools[0].sr) == (other.tools[0].dir_valid, other.tools[0].sr)
    assert read_arrays(tmp_path / "out" / one.dii_file)["carried.angle"].shape[1:] == (1,)


def test_tools_that_change_single_values_are_for_one_input() -> None:
    data = values(20)
    network = Function(_of, "logits", SHAPE, others=OTHERS)
    with pytest.raises(QuantriftError, match="take one of natural changes"):
        api.search(
            api.load_pair(network, network, FORM),
            data,
            tool={"space": "pixels", "constraint": "none", "objective": "margin", "searcher": "random"},
        )
