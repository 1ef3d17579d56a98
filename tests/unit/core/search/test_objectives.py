"""Objectives against plain formulas, one input and one neuron at a time."""

import math

import numpy as np
import pytest

from quantrift.core.networks.neuron_profile import Profile
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.objectives import jensen_shannon, kmnc, log_gap, margin

NO_LOGITS = np.zeros((1, 2), np.float32)


def profile(low: list[float], high: list[float]) -> Profile:
    return Profile(np.full(len(low), "dense"), np.array(low, np.float32), np.array(high, np.float32))


def observed(first: list[float], second: list[float]) -> Outputs:
    """Values of neurons for one input."""
    values = (np.array([one], np.float32) for one in (first, second))
    return Outputs(NO_LOGITS, NO_LOGITS, *values)


def test_sections_are_equal_with_their_upper_edge_in_the_next_and_the_top_in_the_last() -> None:
    values = np.array([[-1.0], [-0.5], [0.25], [0.5], [1.0], [1.5], [2.25], [3.0], [3.5], [1e30], [-1e30]], np.float32)
    found = kmnc.sections(values, profile([-0.5], [3.5]), 4)[:, 0].tolist()
    assert found == [-1, 0, 0, 1, 1, 2, 2, 3, 3, 4, -1]


def test_the_fitness_of_coverage_is_minus_the_jaccard_index_of_sections() -> None:
    ranges = profile([0, 0, 0, 0], [1, 1, 1, 1])
    # The same section, neighbouring ones, both above, above and below.
    outputs = observed([0.11, 0.19, 1.5, 1.5], [0.19, 0.21, 9.0, -1.0])
    paper = kmnc.bind(kmnc.Params(), ranges).score(outputs)
    code = kmnc.bind(kmnc.Params(variant="code"), ranges).score(outputs)
    assert (paper.shape, paper.dtype) == ((1, 1), np.float64)
    assert paper[0, 0] == -2 / (4 + 4 - 2)
    assert code[0, 0] == -2 / (4 + 4 + 2)


def test_coverage_is_best_where_no_neuron_agrees_and_worst_where_all_do() -> None:
    objective = kmnc.bind(kmnc.Params(), profile([0, 0], [1, 1]))
    assert objective.score(observed([0.1, 0.2], [0.5, 0.6]))[0, 0] == 0
    assert objective.score(observed([0.1, 0.2], [0.1, 0.2]))[0, 0] == -1


def test_one_section_tells_corners_from_the_rest_only() -> None:
    objective = kmnc.bind(kmnc.Params(k=1), profile([0, 0], [1, 1]))
    assert objective.score(observed([0.0, 0.5], [1.0, 1.5]))[0, 0] == -1 / 3


def test_the_gap_of_logarithms_is_that_of_the_two_highest_probabilities() -> None:
    outputs = Outputs(np.log([[0.7, 0.2, 0.1]]).astype(np.float32), np.log([[0.3, 0.6, 0.1]]).astype(np.float32))
    own, of_original = (log_gap.Params(top=top).score(outputs) for top in ("own", "original"))
    assert own.shape == (1, 1)
    assert own[0, 0] == pytest.approx(math.log(0.7) - math.log(0.6), abs=1e-6)
    assert of_original[0, 0] == pytest.approx(math.log(0.7) - math.log(0.3), abs=1e-6)


def test_the_gap_is_finite_where_a_probability_rounds_to_0() -> None:
    outputs = Outputs(np.array([[0, 2000]], np.float32), np.array([[3000, 0]], np.float32))
    assert log_gap.Params(top="original").score(outputs)[0, 0] == 3000


def test_the_margin_grows_as_the_original_hesitates() -> None:
    logits = np.log([[0.1, 0.7, 0.2], [0.4, 0.2, 0.4], [0.0001, 0.0001, 0.9998]]).astype(np.float32)
    found = margin.Params().score(Outputs(logits, logits[::-1]))
    np.testing.assert_allclose(found[:, 0], [-0.5, 0, -0.9997], atol=1e-6)


def test_the_codes_divergence_is_the_square_root_of_the_papers() -> None:
    outputs = Outputs(np.array([[1, 2, 3]], np.float32), np.array([[1, 5, 3]], np.float32))
    paper, code = (jensen_shannon.Params(name).score(outputs) for name in ("paper", "code"))
    assert code[0, 0] == math.sqrt(paper[0, 0])
    assert 0 < paper[0, 0] < math.log(2)
