"""Goals of searches, for all labels that two models can give."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.search.stopping import Goal, kept_labels, reached

CLASSES = 4
GOALS: tuple[Goal, ...] = ("differ", "one_keeps", "targeted")


@st.composite
def answers(draw: st.DrawFn) -> tuple[Any, np.ndarray]:
    """Labels of n candidates of B seed inputs, some of them invalid, and the labels that the seed inputs keep."""
    size, count = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    label = st.integers(0, CLASSES - 1)
    seeds = [draw(st.lists(label, min_size=size, max_size=size)) for _ in range(2)]
    valid = np.repeat(draw(st.lists(st.booleans(), min_size=count, max_size=count)), size)
    models = [draw(st.lists(label, min_size=count * size, max_size=count * size)) for _ in range(2)]
    labels = [np.where(valid, one, -1) for one in models]
    tell = SimpleNamespace(
        labels_original=labels[0], labels_compressed=labels[1], disagree=labels[0] != labels[1], valid=valid
    )
    return tell, kept_labels(*(np.array(one) for one in seeds))


@given(answers())
def test_only_valid_candidates_on_which_the_models_differ_reach_a_goal(answer: tuple[Any, np.ndarray]) -> None:
    tell, kept = answer
    agreed = np.tile(kept >= 0, len(tell.valid) // len(kept))
    for goal in GOALS[1:]:
        found = reached(goal, tell, kept, 2)
        assert found.shape == tell.disagree.shape
        assert not found[~tell.disagree | ~tell.valid | ~agreed].any()
    assert np.array_equal(reached("differ", tell, kept, None), tell.disagree)


@given(answers())
def test_one_keeps_is_reached_where_exactly_one_class_is_hit_as_a_target(answer: tuple[Any, np.ndarray]) -> None:
    tell, kept = answer
    targeted = np.stack([reached("targeted", tell, kept, k) for k in range(CLASSES)])
    assert np.array_equal(targeted.sum(axis=0), reached("one_keeps", tell, kept, None).astype(int))
    own = np.tile(kept, len(tell.valid) // len(kept))
    assert all(not targeted[k][own == k].any() for k in range(CLASSES))


@given(answers(), st.integers(0, CLASSES - 1))
def test_it_does_not_matter_which_of_the_models_leaves_the_label(answer: tuple[Any, np.ndarray], target: int) -> None:
    tell, kept = answer
    swapped: Any = SimpleNamespace(
        labels_original=tell.labels_compressed, labels_compressed=tell.labels_original, disagree=tell.disagree
    )
    for goal in GOALS:
        one, other = (reached(goal, of, kept, target) for of in (tell, swapped))
        assert np.array_equal(one, other)
