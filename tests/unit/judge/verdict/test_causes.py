"""Causes that experiments show, for networks that are given other inputs, or give other classes, than they should."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.api import Function, Pair, load_pair
from quantrift.core.base.archive import write_arrays
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.pairs.task import task_of
from quantrift.judge.intake.example import paths
from quantrift.judge.verdict.causes import _order
from quantrift.judge.verdict.comparison import compare
from quantrift.judge.verdict.profiles import Settings

EXAMPLE = paths()
Network = Callable[[np.ndarray], np.ndarray]


@pytest.fixture(scope="module")
def inputs() -> np.ndarray:
    with np.load(EXAMPLE.inputs) as arrays:
        return np.asarray(arrays["inputs"], np.float32)


@pytest.fixture(scope="module")
def network() -> Network:
    return load_runtime("litert", EXAMPLE.int8)


def colours(network: Network) -> Network:
    """A network of three channels, to which red counts most."""
    weights = np.array([0.7, 0.2, 0.1], np.float32)
    return lambda x: network((x * weights).sum(axis=-1, keepdims=True))


def pair_of(original: Network, compressed: Network, shape: tuple[int, ...] = (28, 28, 1)) -> Pair:
    return load_pair(Function(original, "logits", shape), Function(compressed, "logits", shape))


def test_exchanged_classes_are_named(network: Network, inputs: np.ndarray) -> None:
    order = [0, 1, 2, 3, 9, 5, 6, 7, 8, 4]
    [cause] = pair_of(network, lambda x: network(x)[:, order]).compare(inputs).causes
    assert cause.startswith(
        "classes 4 and 9 are exchanged; with that undone, 0.0 % of the inputs disagree in place of "
    )


def test_another_order_of_classes_is_named(network: Network, inputs: np.ndarray) -> None:
    [cause] = pair_of(network, lambda x: np.roll(network(x), 1, axis=1)).compare(inputs).causes
    assert cause.startswith("classes are in another order: 0 stands for 9, 1 stands for 0")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda x: x.transpose(0, 2, 1, 3), "takes rows for columns"),
        (lambda x: (x - np.float32(0.1307)) / np.float32(0.3081), None),
        (lambda x: (x + 1) / 2, "takes inputs from -1 to 1, and got 0 to 1"),
    ],
)
def test_inputs_in_another_form_are_named(
    network: Network, inputs: np.ndarray, change: Network, said: str | None
) -> None:
    found = pair_of(network, lambda x: network(change(x))).compare(inputs)
    if said is None:
        assert not any("takes" in cause for cause in found.causes)
    else:
        assert found.causes[0].startswith(f"{said}; given its inputs so, 0.0 % of the inputs disagree in place of ")


def test_a_network_that_wants_standardised_inputs_is_named(network: Network, inputs: np.ndarray) -> None:
    def expects(x: np.ndarray) -> np.ndarray:
        values = x * np.float32(0.3081) + np.float32(0.1307)
        # Of inputs from 0 to 1 nothing would be left.
        return network(values * (values > 0.5))

    [cause] = pair_of(lambda x: network(x * (x > 0.5)), expects).compare(inputs).causes
    assert cause.startswith("takes standardised inputs, by MNIST's mean and deviation, and got 0 to 1")


def test_channels_in_reverse_order_are_named(network: Network, inputs: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    # Digits in red on a ground of blue noise.
    x = np.concatenate([inputs, 0 * inputs, rng.random(inputs.shape, np.float32)], axis=-1)
    first = colours(network)
    [cause] = pair_of(first, lambda x: first(x[..., ::-1]), (28, 28, 3)).compare(x).causes
    assert cause.startswith("takes its channels in the reverse order, as BGR for RGB")


def test_a_network_that_is_merely_bad_has_no_such_cause(network: Network, inputs: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 8, (10, 10)).astype(np.float32)
    found = pair_of(network, lambda x: network(x) + network(x) @ noise / 8).compare(inputs)
    assert found.clean.disagreeing > 20
    assert not [cause for cause in found.causes if "class '" not in cause]


def test_outputs_that_saturate_are_named_with_the_value(network: Network, inputs: np.ndarray) -> None:
    [cause] = pair_of(network, lambda x: np.minimum(network(x), -6)).compare(inputs).causes[:1]
    assert re.fullmatch(
        r"its outputs saturate: on \d+ of 128 inputs two or more have -6, the largest that it gives; .*", cause
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda f, x: f(x)[:, [1, 0, 2, 3]], "channels 0 and 1 are exchanged; with that undone, 0.0 % of"),
        (lambda f, x: 3 * f(x) + 2, "values are 3 times the original's and +2; with that undone, 0.0 % of"),
        (lambda f, x: f(x.transpose(0, 2, 1, 3)), "takes rows for columns; given its inputs so, 0.0 % of"),
        (lambda f, x: f(2 * x - 1), None),
        (lambda f, x: np.float32(1e36) * f(x), "values are 1e+36 times the original's"),
        (lambda f, x: 0 * f(x), None),
        (lambda f, x: f(x) + 3 * np.sin(40 * f(x)[:, ::-1]), None),
    ],
)
def test_causes_are_named_under_a_task_as_well(
    network: Network,
    inputs: np.ndarray,
    wrong: Callable[[Network, np.ndarray], np.ndarray],
    said: str | None,
    tmp_path: Path,
) -> None:
    def values(x: np.ndarray) -> np.ndarray:
        return network(x)[:, :4]

    write_arrays(tmp_path / "inputs.npz", {"inputs": inputs})
    settings = Settings(task=task_of("regress", {"tolerance": (0.5,), "share": False}))
    first, second = (
        Function(one, "values", (28, 28, 1), name=name)
        for name, one in (("first", values), ("second", lambda x: wrong(values, x)))
    )
    [found] = compare(first, [second], tmp_path / "inputs.npz", settings).networks
    assert found.clean.disagreeing > 20
    if said is None:
        assert not [cause for cause in found.causes if "in place of" in cause and "from -1" not in cause]
    else:
        assert said in found.causes[0]


@given(st.permutations(range(6)), st.integers(0, 2**32 - 1))
def test_an_order_is_found_whatever_it_is_and_stays_where_nothing_speaks_against_it(
    order: list[int], seed: int
) -> None:
    wanted = np.random.default_rng(seed).permutation(np.repeat(np.arange(6), 5))
    given_labels = np.argsort(order)[wanted]
    assert _order(wanted, given_labels, 6).tolist() == order
    seen = wanted < 3
    assert _order(wanted[seen], wanted[seen], 6).tolist() == list(range(6))
