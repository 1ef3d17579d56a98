"""Agreement of outputs under each task: definitions, limits, and the labels that stand for it."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.file_tensors import split
from quantrift.core.pairs import task
from quantrift.core.pairs.pair import Outputs
from quantrift.core.pairs.task_pair import Agreement, pseudo_logits
from quantrift.core.pairs.tasks import classify, detect, function, multilabel, regress
from quantrift.core.pairs.tasks.detect import corners, overlaps, partners
from quantrift.core.search.objectives import jensen_shannon

numbers = st.floats(-100, 100, width=32)
rows = arrays(np.float32, (5, 3), elements=numbers)
ABOVE, BELOW = float(np.nextafter(1, 2)), float(np.nextafter(1, 0))


@given(st.lists(st.one_of(st.sampled_from([0.0, BELOW, 1.0, ABOVE, 1e308, np.inf]), st.floats(0, 1e6)), min_size=1))
def test_the_label_says_exactly_whether_the_difference_is_above_1(differences: list[float]) -> None:
    d = np.array(differences)
    logits = pseudo_logits(d)
    assert logits.dtype == np.float32
    assert np.isfinite(logits).all()
    assert (logits.argmax(axis=1) == (d > 1)).all()


@given(st.lists(st.floats(0, 1e6), min_size=2))
def test_objectives_on_probabilities_grow_with_the_difference(differences: list[float]) -> None:
    d = np.sort(differences)
    score = jensen_shannon.Params().score(Outputs(pseudo_logits(np.zeros(len(d))), pseudo_logits(d)))[:, 0]
    assert (np.diff(score) >= -1e-12).all()
    assert score[np.searchsorted(d, 2.0) :].min(initial=1) > 0


@given(rows, rows)
def test_classification_differs_exactly_where_labels_do(first: np.ndarray, second: np.ndarray) -> None:
    found = classify.Settings().difference({"a": first}, {"a": second})
    assert ((found > 1) == (first.argmax(axis=1) != second.argmax(axis=1))).all()


@given(rows, rows, st.floats(1e-3, 10))
def test_a_regression_agrees_exactly_within_the_tolerance(
    first: np.ndarray, second: np.ndarray, tolerance: float
) -> None:
    found = regress.Settings((tolerance,), share=False).difference({"a": first}, {"a": second})
    away = np.abs(first.astype(np.float64) - second.astype(np.float64)).max(axis=1)
    assert ((found > 1) == (away > tolerance)).all()


@pytest.mark.parametrize("tolerance", [0.1, 0.3, 1 / 3, 0.7, 1.9999999999999998, 3.0])
def test_no_rounding_decides_at_the_tolerance(tolerance: float) -> None:
    of = regress.Settings((tolerance,), share=False)
    for away, differs in ((tolerance, False), (np.nextafter(tolerance, 9), True), (np.nextafter(tolerance, 0), False)):
        assert (of._in_tolerances(np.zeros((1, 1)), np.array([[away]]))[0, 0] > 1) == differs


def test_a_share_of_the_range_is_one_of_each_value_of_a_vector_and_of_a_whole_map() -> None:
    vector, image = np.array([[0, 10], [1, 30]], np.float32), np.zeros((2, 2, 2), np.float32)
    image[1, 0, 0] = 5
    settled = regress.Settings((0.1,)).settled({"v": vector, "m": image}, {})
    assert settled.tolerance == pytest.approx((0.1, 2.0, 0.5, 0.5, 0.5, 0.5))
    assert not settled.share
    with pytest.raises(QuantriftError, match="no range"):
        regress.Settings((0.1,)).settled({"v": np.ones((3, 1), np.float32)}, {})
    assert np.isinf(regress.Settings((0.0,), share=False).difference({"v": vector}, {"v": vector + 1})).all()


@pytest.mark.parametrize(
    ("tolerance", "share", "within"),
    [
        ((0.5,), False, "0.5"),
        ((0.5, 1.25), False, "0.5 to 1.25, by output"),
        ((0.5, 0.5), False, "0.5"),
        ((0.02,), True, "2 % of its observed range"),
    ],
)
def test_a_regression_says_what_it_holds_for_equal(tolerance: tuple[float, ...], share: bool, within: str) -> None:
    stated = regress.Settings(tolerance=tolerance, share=share).definition
    assert stated == f"every output of the compressed network lies within {within} of the original's"


def test_what_is_no_number_never_agrees() -> None:
    nothing, one = {"a": np.full((1, 1), np.nan, np.float32)}, {"a": np.ones((1, 1), np.float32)}
    for of in (regress.Settings((1.0,), share=False), multilabel.Settings()):
        assert (Agreement(of, ("a",), ((1,),), (0,)).between(one, nothing) > 1).all()


@given(rows, rows, st.floats(0.05, 0.95))
def test_sets_of_labels_are_the_same_or_not(first: np.ndarray, second: np.ndarray, threshold: float) -> None:
    of = replace(multilabel.Settings(threshold), logits_original=True, logits_compressed=True)
    found = of.difference({"a": first}, {"a": second})
    chance = [1 / (1 + np.exp(-one.astype(np.float64))) >= threshold for one in (first, second)]
    assert ((found > 1) == (chance[0] != chance[1]).any(axis=1)).all()


def test_logits_of_one_network_and_probabilities_of_the_other_agree() -> None:
    logits = np.array([[-3, 2], [0.5, -1]], np.float32)
    chances = (1 / (1 + np.exp(-logits))).astype(np.float32)
    of = multilabel.Settings().settled({"a": logits}, {"b": chances})
    assert (of.logits_original, of.logits_compressed) == (True, False)
    assert of.difference({"a": logits}, {"b": chances}).max() < 1e-6
    assert of.right({"a": logits}, np.array([[0, 1], [1, 0]]), of_compressed=False).all()


def box(*values: float) -> np.ndarray:
    return np.array(values, np.float64).reshape(-1, 6)


def covered(first: np.ndarray, second: np.ndarray, score: float, iou: float, tolerance: float) -> bool:
    """By trying every assignment."""
    fits = (overlaps(first[:, :4], second[:, :4]) >= iou) & (first[:, None, 5] == second[None, :, 5])
    fits &= np.abs(first[:, None, 4] - second[None, :, 4]) <= tolerance
    a, b = len(first), len(second)
    for chosen in itertools.product(range(-1, b), repeat=a):
        used = [place for place in chosen if place >= 0]
        if len(used) == len(set(used)) and all(fits[row, place] for row, place in enumerate(chosen) if place >= 0):
            alone = [row for row, place in enumerate(chosen) if place < 0 and first[row, 4] >= score]
            if not alone and all(place in used for place in range(b) if second[place, 4] >= score):
                return True
    return False


@given(st.integers(0, 10_000), st.integers(0, 4), st.integers(0, 4))
def test_every_box_that_needs_a_partner_gets_one_if_any_assignment_gives_it(seed: int, a: int, b: int) -> None:
    rng = np.random.default_rng(seed)

    def some(count: int) -> np.ndarray:
        corner, size = rng.integers(0, 3, (count, 2)), rng.integers(1, 4, (count, 2))
        scores, kinds = rng.choice([0.3, 0.45, 0.5, 0.6, 0.9], (count, 1)), rng.integers(0, 2, (count, 1))
        return np.concatenate([corner, corner + size, scores, kinds], axis=1).astype(np.float64)

    first, second = some(a), some(b)
    found = partners(first, second, 0.5, 0.3, 0.25)
    assert (found.alone == 0) == covered(first, second, 0.5, 0.3, 0.25)
    assert 0 <= found.worst <= 1


def test_a_box_below_the_threshold_may_be_a_partner_and_needs_none() -> None:
    first, second = box(0, 0, 4, 4, 0.51, 1), box(0, 0, 4, 4, 0.49, 1, 8, 8, 9, 9, 0.49, 0)
    assert partners(first, second, 0.5, 0.5, 0.2).alone == 0
    assert partners(first, second, 0.5, 0.5, 0.01).alone == 1
    assert partners(first, second[1:], 0.5, 0.5, 0.2).alone == 1


def test_boxes_of_all_forms_are_the_same_corners() -> None:
    assert corners(np.array([3, 4, 2, 6.0]), "center").tolist() == [2, 1, 4, 7]
    assert corners(np.array([2, 1, 2, 6.0]), "corner_size").tolist() == [2, 1, 4, 7]
    assert corners(np.array([4, 7, 2, 1.0]), "corners").tolist() == [2, 1, 4, 7]
    assert overlaps(np.array([[0, 0, 2, 2.0]]), np.array([[1, 0, 3, 2.0]]))[0, 0] == pytest.approx(1 / 3)


def test_outputs_of_a_detector_are_found_by_name_and_counted() -> None:
    after = "TFLite_Detection_PostProcess"
    boxes = np.array([[[0, 0, 4, 4], [5, 5, 9, 9]]], np.float32)
    said = {
        after: boxes,
        f"{after}:1": np.array([[1, 0]], np.float32),
        f"{after}:2": np.array([[0.9, 0.8]], np.float32),
        f"{after}:3": np.array([2], np.float32),
    }
    of = detect.Settings().settled(said, said)
    fewer = {**said, f"{after}:3": np.array([1], np.float32)}
    assert of.difference(said, said).tolist() == [0]
    assert of.difference(said, fewer).tolist() == [2]
    [ones, *_] = of.parts(said, fewer)
    assert (ones.name, ones.differing, ones.of) == ("class 0", 1, 1)
    truth = np.array([[[0, 0, 4, 4, 1], [5, 5, 9, 9, 0]]], np.float32)
    assert of.right(said, truth, of_compressed=False).tolist() == [True]
    assert of.right(fewer, truth, of_compressed=True).tolist() == [False]
    each = {"boxes": boxes, "class_scores": np.array([[[0.1, 0.9], [0.8, 0.1]]], np.float32)}
    by_class = detect.Settings().settled(each, each)
    assert by_class.right(each, truth, of_compressed=False).tolist() == [True]
    with pytest.raises(QuantriftError, match="--output boxes=NAME"):
        detect.Settings().settled({"a": boxes}, {})
    with pytest.raises(QuantriftError, match=r"finds no box with a score of 0\.95 or more .* lower --score"):
        detect.Settings(score=0.95).settled(said, said)


def test_a_function_decides_by_bool_or_difference_and_is_never_imported_for_a_file() -> None:
    outputs = {"a": np.array([[0.0], [3.0]], np.float32)}
    other = {"a": np.zeros((2, 1), np.float32)}
    cases: list[Callable[[dict[str, np.ndarray], dict[str, np.ndarray]], np.ndarray]] = [
        lambda one, two: (one["a"] == two["a"])[:, 0],
        lambda one, two: np.abs(one["a"] - two["a"])[:, 0],
    ]
    for number, case in enumerate(cases):
        function.known(f"of_test:{number}", case)
        of = task.task_of("function", {"function": f"of_test:{number}"}).settled(outputs, other)
        assert (of.difference(outputs, other) > 1).tolist() == [False, True]
    nothing = {"a": np.empty((0, 1), np.float32)}
    assert len(task.task_of("function", {"function": "of_test:0"}).difference(nothing, nothing)) == 0
    function.known("of_test:wrong", lambda one, two: np.zeros(7))
    with pytest.raises(QuantriftError, match="expected bool or float"):
        task.task_of("function", {"function": "of_test:wrong"}).difference(outputs, other)
    with pytest.raises(QuantriftError, match="give it with --agree"):
        task.task_of("function", {"function": "os:system"}).difference(outputs, other)


@pytest.mark.parametrize("name", task.names())
def test_a_task_is_read_back_as_it_was_stored(name: str) -> None:
    of = Agreement(task.task_of(name, {}), ("a", "b"), ((2,), (3, 4)), (1, 0))
    assert Agreement.read(of.dumped(), "x") == of
    assert name == of.task.name
    with pytest.raises(QuantriftError, match="no setting 'nonsense'"):
        task.task_of(name, {"nonsense": 1})
    with pytest.raises(QuantriftError, match="no task that can be read"):
        Agreement.read(of.dumped().replace('"order"', '"other"'), "x")


def test_outputs_are_cut_out_of_rows_in_any_order() -> None:
    values = np.arange(10, dtype=np.float32).reshape(2, 5)
    found = split(values, ("a", "b"), ((3,), (2,)), (1, 0))
    assert found["a"].tolist() == [[2, 3, 4], [7, 8, 9]]
    assert found["b"].tolist() == [[0, 1], [5, 6]]
