"""Inputs of a file by name: read, chosen, matched between two networks, and kept in the file."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories.several_inputs import SHAPE, graph

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import INPUTS, LAYOUT, Choices, at_end, plain, with_note
from quantrift.core.networks.graphs.ends import NamedInput, chosen_inputs, matched_inputs
from quantrift.core.networks.graphs.file_tensors import Tensor, ordered
from quantrift.core.networks.graphs.signature import described
from quantrift.core.networks.runtime import ends

FILE = Path("net")
NAMES = st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=1, max_size=5)


@given(st.binary(max_size=40), NAMES, st.sampled_from([None, "channels_first", "table"]))
def test_an_order_at_the_end_of_a_file_is_read_behind_any_content_and_before_a_layout(
    content: bytes, names: list[str], mark: str | None
) -> None:
    written = with_note(content, ".tflite", INPUTS, names)
    assert written.startswith(content)
    if mark is not None:
        written = with_note(written, ".tflite", LAYOUT, mark)
    before, notes = at_end(written)
    assert before == content
    assert Choices.of(notes) == Choices(mark, tuple(names))  # type: ignore[arg-type]


@given(st.binary(max_size=80))
def test_a_file_without_an_order_has_none(content: bytes) -> None:
    assert at_end(content) == (content, {})
    assert Choices.of(at_end(content + b"quantrift.inputs=[")[1]) == Choices()


@pytest.mark.parametrize("name", ["serving_default_angle:0", "angle:0", "serve_angle", "angle"])
def test_a_plain_name_lacks_what_converters_add(name: str) -> None:
    assert plain(name) == "angle"


def test_inputs_of_an_onnx_file_are_read_without_its_constants(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    path = tmp_path / "net.onnx"
    path.write_bytes(graph())
    assert ends(path).inputs == [NamedInput("angle", (1,)), NamedInput("image", SHAPE), NamedInput("group", ())]


def test_a_damaged_file_has_no_inputs(tmp_path: Path) -> None:
    path = tmp_path / "net.tflite"
    path.write_bytes(b"\xff\xff\xff\x7fTFL3" + bytes(40))
    with pytest.raises(QuantriftError, match="damaged, so that its inputs cannot be read"):
        ends(path)


def test_the_chosen_input_comes_first_and_the_others_keep_their_order() -> None:
    inputs = [NamedInput("serving_default_a:0", (1,)), NamedInput("b", (2,)), NamedInput("c", (3,))]
    assert chosen_inputs(FILE, inputs, "b") == ["b", "serving_default_a:0", "c"]
    assert chosen_inputs(FILE, inputs, "a") == ["serving_default_a:0", "b", "c"]
    with pytest.raises(QuantriftError, match="has no input 'd' to change; name one of 'a', 'b', 'c' with --change"):
        chosen_inputs(FILE, inputs, "d")
    with pytest.raises(QuantriftError, match="has one input, 'a', and no others to carry along"):
        chosen_inputs(FILE, inputs[:1], "a")


@given(st.permutations(range(4)), st.permutations(range(4)), st.booleans())
def test_inputs_are_matched_by_name_in_any_order(first: list[int], second: list[int], prefixed: bool) -> None:
    wanted = [NamedInput(f"input_{one}", (one % 2,)) for one in first]
    own = [NamedInput(f"serving_default_input_{one}:0" if prefixed else f"input_{one}", (one % 2,)) for one in second]
    names, how = matched_inputs(FILE, own, wanted)
    assert [plain(name) for name in names] == [one.name for one in wanted]
    assert how == "by name"


@given(st.permutations(range(3)))
def test_inputs_of_other_names_are_matched_by_shapes_whatever_the_order_of_axes(order: list[int]) -> None:
    wanted = [NamedInput("image", (8, 6, 3)), NamedInput("mask", (8, 6)), NamedInput("angle", (1,))]
    others = [NamedInput("args_0", (3, 8, 6)), NamedInput("args_1", (8, 6, 1)), NamedInput("args_2", ())]
    names, how = matched_inputs(FILE, [others[place] for place in order], wanted)
    assert names == ["args_0", "args_1", "args_2"]
    assert how == "by shape where names differ ('args_0' is 'image', 'args_1' is 'mask', 'args_2' is 'angle')"


@pytest.mark.parametrize(
    "own",
    [
        [NamedInput("x", (2,)), NamedInput("y", (2,))],
        [NamedInput("a", (2,))],
        [NamedInput("a", (2,)), NamedInput("b", (2,)), NamedInput("c", (2,))],
        [NamedInput("a", (2,)), NamedInput("y", (3,))],
    ],
)
def test_inputs_that_nothing_tells_apart_are_refused(own: list[NamedInput]) -> None:
    with pytest.raises(QuantriftError, match="neither by name nor by shape; export it with the names of the original"):
        matched_inputs(FILE, own, [NamedInput("a", (2,)), NamedInput("b", (2,))])


def test_inputs_without_names_are_matched_by_shape_and_then_by_their_place_among_the_arguments() -> None:
    wanted = [NamedInput("right", (3, 8, 8), 1), NamedInput("left", (3, 8, 8), 0), NamedInput("angle", (1,), 2)]
    own = [
        NamedInput(f"input_{place}", shape, place, named=False) for place, shape in enumerate([(3, 8, 8)] * 2 + [(1,)])
    ]
    names, how = matched_inputs(FILE, own, wanted)
    assert names == ["input_1", "input_0", "input_2"]
    assert how.startswith("by shape where names differ, and by the order of arguments where shapes are the same (")
    known = [NamedInput(one.name, one.shape) for one in wanted]
    with pytest.raises(QuantriftError, match="neither by name nor by shape; give the .pt2 file that it was made of"):
        matched_inputs(FILE, own, known)


def test_a_name_that_was_made_of_a_place_is_no_name_of_another_file() -> None:
    wanted = [NamedInput("input_1", (8, 8, 1)), NamedInput("input_0", (1,))]
    own = [NamedInput("input_0", (1, 8, 8), 0, named=False), NamedInput("input_1", (1,), 1, named=False)]
    assert matched_inputs(FILE, own, wanted)[0] == ["input_0", "input_1"]


INTEGERS = [(np.int8, (0.5, -3)), (np.uint8, (0.25, 128)), (np.int8, (0.0, 0)), (np.int64, (0.0, 0))]


@pytest.mark.parametrize(("dtype", "grid"), INTEGERS, ids=str)
def test_carried_values_go_as_the_integers_that_stand_for_them(dtype: type, grid: tuple[float, int]) -> None:
    inputs = [described([-1, 4], np.float32, name="x"), described([-1, 3], dtype, grid, "more")]
    first, [one] = ordered(FILE, inputs, ("x", "more"))
    assert first["name"] == "x"
    values = np.array([[-1.0, 0.0, 7.0], [2.0, 3.5, 1e6]], np.float32)
    found = one.encoded(values)
    assert found.dtype == dtype
    limits = np.iinfo(dtype)
    scale, zero = grid
    exact = np.rint(values / scale) + zero if scale else np.rint(values)
    assert found.tolist() == np.clip(exact, limits.min, limits.max).astype(dtype).tolist()
    assert one.whole == (not scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64, np.bool_])
def test_carried_values_of_other_types_go_as_they_are(dtype: type) -> None:
    one = Tensor(0, (), np.dtype(dtype), np.float32(1), np.float32(0), "more")
    found = one.encoded(np.array([0.0, 1.0], np.float32))
    assert (found.dtype, found.tolist()) == (dtype, [0, 1])
    assert one.size == 1


WRONG = {
    "no rows": (described([], np.float32, name="more"), "expected as many rows as 'x' has"),
    "other rows": (described([1, 3], np.float32, name="more"), "expected as many rows as 'x' has"),
    "open": (described([-1, -1], np.float32, name="more"), "other sides of fixed size"),
    "text": (described([-1, 3], np.object_, name="more"), "are no numbers"),
    "name": (described([-1, 3], np.float32, name="other"), "has inputs x, other, not x, more"),
}


@pytest.mark.parametrize("name", WRONG)
def test_inputs_that_cannot_be_carried_are_one_line(name: str) -> None:
    details, match = WRONG[name]
    with pytest.raises(QuantriftError, match=match) as error:
        ordered(FILE, [described([-1, 4], np.float32, name="x"), details], ("x", "more"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("suffix", [".lite", ".pte", ".xml"])
def test_an_order_of_names_that_json_or_comments_escape_is_kept(suffix: str) -> None:
    names = ['a"b', "\u00e4", "c\\n", "d-->", "--"]
    written = with_note(b"<net/>", suffix, INPUTS, names)
    assert b"--" not in written.removeprefix(b"<net/><!--").removesuffix(b"-->")
    before, notes = at_end(written)
    assert before == b"<net/>"
    assert Choices.of(notes).inputs == tuple(names)
