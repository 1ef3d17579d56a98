"""Functions in place of files: the same rates, records and verdict, and one line for what cannot be searched."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from quantrift import api
from quantrift.cli.main import main
from quantrift.core.base import table_files
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ValueStack
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.search.record_columns import searches_path
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_functions import Function, called

SIZE: dict[str, Any] = {"seeds": 6, "generations": 3}
KNOWN_OF_FILES = ("audit", "layers", "layers_note", "model", "name", "records", "dii_file")
SHAPE = (4, 5, 3)


@pytest.fixture(scope="module")
def data() -> dict[str, np.ndarray]:
    """Some inputs of the example, and their labels."""
    return {name: read_arrays(paths().inputs)[name][:40] for name in ("inputs", "labels")}


@pytest.fixture(scope="module")
def both(data: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Any]]:
    """Folder and assessment of two files, and of functions that run the same files."""
    folder = tmp_path_factory.mktemp("assessments")
    first, second = LiteRT(paths().dynamic), LiteRT(paths().int8)
    given: dict[str, tuple[Any, Any]] = {
        "files": (paths().dynamic, paths().int8),
        "functions": (
            Function(lambda x: first(x), "logits", name="dynamic"),
            Function(lambda x: second(x), "logits", name="int8"),
        ),
    }
    return {
        name: (folder / name, api.assess(*pair, data["inputs"], folder / name, labels=data["labels"], **SIZE))
        for name, pair in given.items()
    }


def comparable(folder: Path) -> dict[str, Any]:
    """The assessment without what is known of files alone, and without times."""
    whole: dict[str, Any] = json.loads((folder / "assessment.json").read_text(encoding="utf-8"))
    for one in whole["candidates"]:
        for name in KNOWN_OF_FILES:
            del one[name]
        for tool in one["tools"]:
            del tool["seconds"], tool["layers"]
    return {name: whole[name] for name in ("candidates", "limits", "verdict", "seeds", "space", "profile", "ranking")}


def test_functions_get_the_rates_and_the_verdict_of_their_files(both: dict[str, tuple[Path, Any]]) -> None:
    (files, _), (functions, found) = both["files"], both["functions"]
    assert comparable(functions) == comparable(files)
    assert found.candidates[0].tools[0].valid > 0


def test_functions_leave_the_records_of_their_files(both: dict[str, tuple[Path, Any]]) -> None:
    (files, found), (functions, _) = both["files"], both["functions"]
    records = [tool.records for one in found.candidates for tool in one.tools]
    assert records
    for name in records:
        for table in (Path(name), searches_path(Path(name))):
            one, other = (table_files.read(folder / table) for folder in (files, functions))
            assert one.keys() == other.keys()
            for column in one.keys() - {"seconds"}:
                np.testing.assert_array_equal(one[column], other[column])
    stored = [read_arrays(folder / "int8" / "dii.npz") for folder in (files, functions)]
    assert stored[0].keys() == stored[1].keys()
    assert all(stored[0][name].tobytes() == stored[1][name].tobytes() for name in stored[0])


def test_what_needs_a_file_is_said_to_be_unknown(both: dict[str, tuple[Path, Any]]) -> None:
    folder, found = both["functions"]
    said = (
        "dynamic and int8 are functions called from Python: operations and their types, layers, size and digest of "
        "them are unknown"
    )
    assert found.verdict_text.endswith(said)
    assert said in found.notes
    assert found.candidates[0].layers_note == said
    assert (found.original.sha256, found.original.bytes, found.candidates[0].audit) == (None, None, None)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert said in page
    assert "quantrift.api.replay" in page
    assert "unknown, as it is a function called from Python" in page


def test_no_network_is_written(both: dict[str, tuple[Path, Any]]) -> None:
    folder, _ = both["functions"]
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} == {".json", ".html", ".npz", ".csv"}


def test_a_record_of_functions_asks_for_them_and_is_replayed_with_them(
    both: dict[str, tuple[Path, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, found = both["functions"]
    file = folder / found.candidates[0].tools[0].records
    assert main(["replay", str(file)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "replay it there: quantrift.api.replay(path, original=..., compressed=...)" in line
    first, second = LiteRT(paths().dynamic), LiteRT(paths().int8)
    outcome = api.replay(folder, first, second)
    assert set(outcome) == {tool.records for tool in found.candidates[0].tools}
    assert all(one.complete for one in outcome.values())


def test_a_replay_tells_another_function_from_the_recorded_one(data: dict[str, np.ndarray], tmp_path: Path) -> None:
    first = LiteRT(paths().dynamic)

    def leaning(x: np.ndarray) -> np.ndarray:
        """Nearer to class 3 than the original is."""
        return first(x) + np.float32(5) * np.eye(10, dtype=np.float32)[3]

    pair = api.load_pair(first, Function(leaning, "logits", (28, 28, 1)))
    found = api.search(pair, data["inputs"], data["labels"], tool="image_random", out=tmp_path, **SIZE)
    assert found.result.dii > 0
    again = api.replay(tmp_path, first, Function(leaning, "logits"))
    assert all(one.complete and one.rows > 0 for one in again.values())
    other = api.replay(tmp_path, first, first)
    assert not any(one.complete for one in other.values())


def test_a_file_may_stand_beside_a_function(data: dict[str, np.ndarray], tmp_path: Path) -> None:
    network = LiteRT(paths().int8)
    found = api.assess(paths().dynamic, network, data["inputs"], tmp_path / "out", **SIZE)
    [one] = found.candidates
    assert one.name == "compressed_litert"
    assert found.original.sha256 is not None
    outcome = api.replay(tmp_path / "out", compressed=network)
    assert all(replayed.complete for replayed in outcome.values())


def test_bytes_are_the_file_that_holds_them(both: dict[str, tuple[Path, Any]], data: dict[str, np.ndarray]) -> None:
    found = api.search(
        api.load_pair(paths().dynamic.read_bytes(), paths().int8.read_bytes()), data["inputs"], data["labels"], **SIZE
    )
    other = api.search(api.load_pair(paths().dynamic, paths().int8), data["inputs"], data["labels"], **SIZE)
    assert found.inputs.tobytes() == other.inputs.tobytes()
    assert found.result.vr == other.result.vr


def test_functions_as_they_are_are_searched_where_their_outputs_are_stated(data: dict[str, np.ndarray]) -> None:
    first, second = LiteRT(paths().dynamic), LiteRT(paths().int8)

    def probabilities(network: LiteRT, x: np.ndarray) -> np.ndarray:
        logits = network(x).astype(np.float64)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        whole: np.ndarray = shares / shares.sum(axis=1, keepdims=True)
        return whole

    pair = api.load_pair(
        lambda x: probabilities(first, x),
        lambda x: probabilities(second, x),
        outputs="probabilities",
        input_shape=(28, 28, 1),
    )
    assert (pair.input_shape, pair.classes) == ((28, 28, 1), 10)
    same = api.load_pair(paths().dynamic, paths().int8)
    assert (pair.disagree(data["inputs"]) == same.disagree(data["inputs"])).all()
    found = api.search(pair, data["inputs"], data["labels"], tool="image_random", **SIZE)
    assert found.result.sr == api.search(same, data["inputs"], data["labels"], tool="image_random", **SIZE).result.sr


def test_a_function_of_channels_first_gets_them_so(data: dict[str, np.ndarray]) -> None:
    shapes = []

    def run(x: np.ndarray) -> np.ndarray:
        shapes.append(x.shape[1:])
        sums: np.ndarray = x.sum(axis=(2, 3))
        return sums

    network = called(Function(run, "logits", layout="channels_first"), np.zeros((1, 3, 4, 5))).network
    x = np.random.default_rng(0).random((7, *SHAPE), np.float32)
    assert (network.input_shape, network.classes) == (SHAPE, 3)
    np.testing.assert_allclose(network(x), x.sum(axis=(1, 2)), rtol=1e-5)
    assert set(shapes) == {(3, 4, 5)}


@pytest.mark.parametrize("fixed", [False, True])
def test_a_function_gets_no_more_inputs_than_it_takes(fixed: bool) -> None:
    sizes = []

    def run(x: np.ndarray) -> np.ndarray:
        sizes.append(len(x))
        means: np.ndarray = x.mean(axis=(1, 2))
        return means

    network = called(Function(run, "logits", SHAPE, batch=4, fixed=fixed)).network
    x = np.random.default_rng(0).random((11, *SHAPE), np.float32)
    np.testing.assert_array_equal(network(x), x.mean(axis=(1, 2)))
    assert sizes[1:] == ([4, 4, 4] if fixed else [4, 4, 3])


def means(x: np.ndarray) -> np.ndarray:
    found: np.ndarray = x.mean(axis=(1, 2))
    return found


def stack(values: np.ndarray, low: float, high: float) -> ValueStack:
    """Inputs of three classes."""
    every, none = np.arange(len(values), dtype=np.int64), np.empty(0, np.int64)
    return ValueStack(
        dataset="given",
        title="",
        class_names=["a", "b", "c"],
        labels=every % 3,
        train=every,
        validation=none,
        test=every,
        values=values,
        low=low,
        high=high,
    )


class Drifting:
    """Other outputs with every call."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self.calls += 1
        return means(x) + np.float32(self.calls)


def changing(x: np.ndarray) -> np.ndarray:
    x *= 2
    return means(x)


def of_others(x: np.ndarray) -> np.ndarray:
    return means(x) - means(x).mean(axis=0)


def with_nan(x: np.ndarray) -> np.ndarray:
    found = means(x)
    found[found > 0] = np.nan
    return found


def raising(x: np.ndarray) -> np.ndarray:
    raise KeyError("the link\nis down")


@pytest.mark.parametrize(
    ("function", "outputs", "says"),
    [
        (Drifting(), "logits", "gives other outputs when it is called again"),
        (changing, "logits", "changes the inputs that it gets"),
        (of_others, "logits", "depend on the inputs beside it"),
        (with_nan, "logits", "gives NaN or infinity on 9 of the first 9 inputs"),
        (raising, "logits", "raises KeyError for float32 inputs"),
        (means, "probabilities", "are no probabilities of classes"),
        (lambda x: np.full((len(x), 4), 0.25), "logits", "gives probabilities, but logits was said"),
        (lambda x: means(x)[:, 0], "logits", "expected an array of numbers"),
        (lambda x: means(x)[:1], "logits", "expected (9, 3)"),
        (lambda x: means(x).astype(str), "logits", "expected an array of numbers"),
    ],
)
def test_a_function_that_cannot_be_searched_is_one_line(
    function: Callable[[np.ndarray], Any], outputs: Any, says: str
) -> None:
    values = np.random.default_rng(0).uniform(0.1, 2, (12, *SHAPE)).astype(np.float32)
    inputs = stack(values, 0, 2)
    with pytest.raises(QuantriftError) as error:
        called(Function(function, outputs, SHAPE)).check(inputs)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_function_that_keeps_to_the_rules_is_accepted() -> None:
    values = np.random.default_rng(0).normal(size=(12, *SHAPE)).astype(np.float32)
    inputs = stack(values, -9, 9)
    called(Function(means, "logits"), values).check(inputs)
    called(Function(of_others, "logits", batch=1), values).check(inputs)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "nothing tells what its outputs are; say outputs='logits' or outputs='probabilities', or, for a task"),
        ({"outputs": "logits"}, "the shape of its inputs is unknown; say input_shape="),
        ({"outputs": "scores"}, "outputs is 'scores'; say 'logits' or 'probabilities'"),
        ({"outputs": "logits", "input_shape": (28, 28)}, "input_shape is (28, 28); give rows, columns and channels"),
    ],
)
def test_what_nobody_says_of_a_function_is_asked_for(given: dict[str, Any], says: str) -> None:
    with pytest.raises(QuantriftError) as error:
        api.load_pair(means, means, **given)
    assert says in str(error.value)


def test_bytes_without_a_scale_are_not_guessed_for_functions(data: dict[str, np.ndarray], tmp_path: Path) -> None:
    network = LiteRT(paths().int8)
    write_arrays(tmp_path / "bytes.npz", {"inputs": np.rint(255 * data["inputs"]).astype(np.uint8)})
    with pytest.raises(QuantriftError, match="give --range 0 1"):
        api.assess(network, network, tmp_path / "bytes.npz", tmp_path / "out", **SIZE)
    form = api.InputForm(range=(0, 1))
    found = api.assess(network, network, tmp_path / "bytes.npz", tmp_path / "out", form=form, **SIZE)
    assert found.candidates[0].clean.disagreeing == 0


@pytest.mark.slow
def test_a_keras_model_is_an_original_and_no_compressed_network(data: dict[str, np.ndarray]) -> None:
    model = keras.saving.load_model(paths().original)
    pair = api.load_pair(model, paths().int8)
    said = pair(data["inputs"]).original
    np.testing.assert_allclose(said, model.predict(data["inputs"], verbose=0), atol=1e-4)
    with pytest.raises(QuantriftError, match="compressed is a Keras model, and Keras files are originals"):
        api.load_pair(paths().dynamic, model)
    called_one = api.load_pair(paths().dynamic, Function(model, "logits", (28, 28, 1))).compressed.network
    np.testing.assert_array_equal(called_one(data["inputs"]).argmax(axis=1), said.argmax(axis=1))


def test_an_original_is_run_once_on_candidates_that_several_compressed_networks_share(
    data: dict[str, np.ndarray], tmp_path: Path
) -> None:
    run: list[int] = []
    first, others = LiteRT(paths().dynamic), [Function(LiteRT(paths().int8), "logits", name=name) for name in "ab"]

    def counted(x: np.ndarray) -> np.ndarray:
        run[-1] += len(x)
        return first(x)

    def candidates(of: list[Function], name: str) -> list[dict[str, Any]]:
        run.append(0)
        original = Function(counted, "logits", name="original")
        api.assess(original, of, data["inputs"], tmp_path / name, labels=data["labels"], **SIZE)
        return list(comparable(tmp_path / name)["candidates"])

    a, b, both = candidates(others[:1], "a"), candidates(others[1:], "b"), candidates(others, "both")
    assert both == a + b
    drawn = a[0]["tools"][0]["valid"]
    assert 0 < drawn <= run[0] + run[1] - run[2]
