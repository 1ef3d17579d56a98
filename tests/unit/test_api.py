"""Quantrift from Python, and the documents that use it, on the pair that comes with the package."""

import doctest
import re
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from keras import layers
from tests.factories.places import ROOT

from quantrift import api
from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.runtimes.onnxruntime import export as to_onnx
from quantrift.core.networks.tflite_files import to_tflite
from quantrift.judge.intake import example


@pytest.fixture(scope="module")
def pair() -> api.Pair:
    """The example in 8 bits."""
    return api.load_pair(example.paths().original, example.paths().int8)


@pytest.fixture(scope="module")
def data() -> dict[str, np.ndarray]:
    """The example's inputs and labels."""
    with np.load(example.paths().inputs, allow_pickle=False) as file:
        return dict(file)


@pytest.mark.parametrize("module", [api, example])
@pytest.mark.slow
def test_the_examples_of_docstrings_run(module: Any) -> None:
    done = doctest.testmod(module)
    assert done.attempted
    assert not done.failed


def test_the_pair_comes_along_and_is_small() -> None:
    files = vars(example.paths()).values()
    assert all(file.is_file() for file in files)
    assert sum(file.stat().st_size for file in files) < 100_000


def test_the_pair_is_right_and_agrees_on_its_inputs(pair: api.Pair, data: dict[str, np.ndarray]) -> None:
    said = pair(data["inputs"])
    assert np.mean(said.original.argmax(axis=1) == data["labels"]) > 0.95
    assert not pair.disagree(data["inputs"]).any()
    assert np.abs(said.original - said.compressed).max() > 0, "yet they are not the same"


def test_a_pair_takes_what_its_file_takes(pair: api.Pair, data: dict[str, np.ndarray], tmp_path: Path) -> None:
    said = pair(data["inputs"])
    for inputs in (data["inputs"][..., 0], data["inputs"].astype(np.float64)):
        assert np.array_equal(pair(inputs).original, said.original)
    rows = data["inputs"].reshape(len(data["inputs"]), -1)
    with pytest.raises(QuantriftError, match=r"x: inputs are 784, original.keras takes 28 x 28 x 1"):
        pair(rows)
    given = keras.Input((3, 8, 8), name="image")
    x = layers.Conv2D(4, 3)(layers.Permute((2, 3, 1))(given))
    first = keras.Model(given, layers.GlobalAveragePooling2D()(x))
    (tmp_path / "first.onnx").write_bytes(to_onnx(first))
    colours = np.random.default_rng(0).random((5, 3, 8, 8), np.float32)
    turned = api.load_pair(tmp_path / "first.onnx", tmp_path / "first.onnx")
    np.testing.assert_allclose(turned(colours).original, first.predict_on_batch(colours), atol=1e-5)


def test_a_search_gives_disagreements_and_rates(pair: api.Pair, data: dict[str, np.ndarray], tmp_path: Path) -> None:
    found = api.search(
        pair, data["inputs"], data["labels"], tool="triggerfinder_code", seeds=10, generations=20, out=tmp_path / "kept"
    )
    assert found.result.searches == 10
    assert found.result.dii == found.result.sr.value * 10 > 0  # type: ignore[operator]
    assert len(found.inputs) == len(found.number) == found.result.dii
    assert pair.disagree(found.inputs).all()
    assert not pair.disagree(found.seeds).any()
    assert found.seeds.tobytes() == data["inputs"][found.number].tobytes()
    assert (tmp_path / "kept" / found.result.records).is_file()


def test_a_search_is_the_same_from_arrays_and_from_a_file(pair: api.Pair, data: dict[str, np.ndarray]) -> None:
    size: dict[str, Any] = {"seeds": 4, "generations": 3}
    one = api.search(pair, data["inputs"], data["labels"], **size)
    other = api.search(pair, example.paths().inputs, **size)
    assert one.result.tool == "image_pso"
    assert one.inputs.tobytes() == other.inputs.tobytes()
    assert one.result.vr == other.result.vr


@pytest.mark.slow
def test_the_tool_of_the_documents_searches() -> None:
    code, *_ = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "extending.md").read_text("utf-8"), re.DOTALL)
    room: dict[str, Any] = {}
    exec(code.replace("seeds=10", "seeds=3"), room)
    assert room["found"].result.title == "given tool"
    assert room["found"].result.searches == 3
    assert all(set(names) <= {"blur", "contrast"} for names in room["found"].distortions)


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        ("image_psp", "did you mean 'image_pso'?"),
        ({"space": "pixel", "constraint": "none", "objective": "margin", "searcher": "pso"}, "did you mean 'pixels'?"),
    ],
)
def test_a_tool_that_there_is_not_is_one_line(
    pair: api.Pair, data: dict[str, np.ndarray], tool: Any, says: str
) -> None:
    with pytest.raises(QuantriftError, match=re.escape(says)) as error:
        api.search(pair, data["inputs"], data["labels"], tool=tool)
    assert "\n" not in str(error.value)


def test_five_disagreements_of_each_search_are_kept_where_nothing_is_said(data: dict[str, np.ndarray]) -> None:
    seeds = data["inputs"][:3]
    known = {one.tobytes() for one in seeds}

    def original(x: np.ndarray) -> np.ndarray:
        return np.tile(np.array([3, 0], np.float32), (len(x), 1))

    def compressed(x: np.ndarray) -> np.ndarray:
        return np.array([[3, 0] if one.tobytes() in known else [0, 3] for one in x], np.float32)

    first, second = (api.Function(one, "logits", (28, 28, 1)) for one in (original, compressed))
    pair, labels = api.load_pair(first, second), np.zeros(3, np.int64)
    found = api.search(pair, seeds, labels, seeds=3, generations=10)
    fewer = api.search(pair, seeds, labels, seeds=3, generations=10, keep=2)
    assert found.result.dii == fewer.result.dii > 3 * 5
    assert np.bincount(found.number).tolist() == [5, 5, 5]
    assert np.bincount(fewer.number).tolist() == [2, 2, 2]


def test_a_search_that_finds_nothing_says_so(pair: api.Pair, data: dict[str, np.ndarray]) -> None:
    for tool in ("image_random", "triggerfinder_code"):
        found = api.search(pair, data["inputs"], data["labels"], tool=tool, seeds=1, generations=1)
        assert found.result.sr.value == 0
        assert found.inputs.shape == found.seeds.shape == (0, 28, 28, 1)
        assert found.distortions == []


@pytest.mark.slow
def test_models_for_other_data_are_no_pair(tmp_path: Path) -> None:
    network = keras.Sequential([keras.Input((28, 28, 1)), layers.Flatten(), layers.Dense(3)])
    (tmp_path / "other.tflite").write_bytes(to_tflite(network))
    with pytest.raises(QuantriftError, match="name a compressed version of the same network"):
        api.load_pair(tmp_path / "other.tflite", example.paths().int8)


INT8, INPUTS = example.paths().int8, example.paths().inputs


@pytest.mark.slow
def test_one_path_is_one_candidate_and_arrays_are_inputs(data: dict[str, np.ndarray], tmp_path: Path) -> None:
    stored = dict(data)
    few = {"inputs": stored["inputs"][:6], "labels": stored["labels"][:6]}
    write_arrays(tmp_path / "few.npz", few)
    chosen: dict[str, Any] = {"seeds": 3, "generations": 2}
    of_file = api.assess(str(INT8), str(INT8), str(tmp_path / "few.npz"), tmp_path / "a", **chosen)
    of_arrays = api.assess(
        INT8,
        [INT8],
        few["inputs"],
        tmp_path / "b",
        labels=few["labels"],
        limits=api.Limits(),
        **chosen,
    )
    assert [one.name for one in of_file.candidates] == ["int8"]
    assert of_file.candidates[0].clean == of_arrays.candidates[0].clean
    assert of_arrays.candidates[0].judgements == []
    assert of_arrays.verdict == "pass"


def test_an_assessment_certifies_inputs_where_neighbourhoods_are_named(tmp_path: Path) -> None:
    [candidate] = api.assess(
        INT8, INT8, INPUTS, tmp_path / "out", seeds=2, generations=1, certify="brightness=2", certify_number=3
    ).candidates
    [counted] = candidate.certified
    # A network agrees with itself.
    assert (counted.neighbourhood, counted.certified, counted.share) == ("brightness=2", 3, 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"compressed": 5}, "compressed is of type int; give the path of a file"),
        ({"compressed": [5]}, "compressed is of type int; give the path of a file"),
        ({"original": None}, "original is of type NoneType"),
        ({"inputs": [[1.0]]}, "inputs is of type list"),
        ({"labels": np.zeros(3)}, "labels go with inputs given as an array"),
        ({"out": 5}, "out is of type int; give the path of a file"),
    ],
)
def test_things_of_another_type_are_refused_by_name(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    whole: dict[str, Any] = {
        "original": INT8,
        "compressed": INT8,
        "inputs": INPUTS,
        "out": tmp_path / "out",
    }
    with pytest.raises(TypeError, match=said):
        api.assess(**(whole | given))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("role", ["original", "compressed"])
def test_a_function_is_not_mended(role: str, tmp_path: Path) -> None:
    files: dict[str, Any] = {"original": example.paths().original, "compressed": INT8}
    with pytest.raises(QuantriftError, match=f"^{role} is a function, which cannot be quantized anew; give its file$"):
        api.mend(**(files | {role: np.tanh}), inputs=INPUTS, out=tmp_path / "out")
