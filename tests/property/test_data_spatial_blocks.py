"""Splits by blocks of any scene: no test pixel in a training patch, whole blocks, every class on both sides."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.settings.scene_networks import SceneSplit
from quantrift.study.datasets.splits import Split, split


@st.composite
def ground_truths(draw: st.DrawFn) -> np.ndarray:
    """Coherent fields of up to four classes, 0 where unlabelled; not every class need occur."""
    rows, columns = draw(st.integers(12, 30)), draw(st.integers(12, 30))
    coarse = np.random.default_rng(draw(st.integers(0, 2**32))).integers(0, 4, (3, 3))
    truth = np.kron(coarse, np.ones((10, 10), np.int64))[:rows, :columns]
    assume(truth.any())
    return truth


def scene_of(truth: np.ndarray, patch: int, parts: Split) -> ScenePatches:
    """A scene whose only band holds the number of each labelled pixel, -1 elsewhere."""
    numbers = np.full((*truth.shape, 1), -1, np.float32)
    numbers[truth > 0, 0] = np.arange(np.count_nonzero(truth))
    return ScenePatches(
        dataset="numbers",
        title="Numbers",
        class_names=list("abc"),
        labels=truth[truth > 0] - 1,
        train=parts.train,
        validation=parts.validation,
        test=parts.test,
        scene=numbers + 1,
        positions=np.argwhere(truth > 0),
        patch=patch,
    )


@given(
    truth=ground_truths(),
    patch=st.sampled_from([3, 5, 7]),
    block=st.integers(2, 12),
    test=st.integers(20, 80),
    seed=st.integers(0, 2**32),
)
def test_no_test_pixel_lies_in_a_training_patch(
    truth: np.ndarray, patch: int, block: int, test: int, seed: int
) -> None:
    labels, positions = truth[truth > 0] - 1, np.argwhere(truth > 0)
    wanted = SceneSplit(kind="spatial_blocks", test=test / 100, block=block, seed=seed)
    try:
        parts = split(labels, positions, patch, wanted, list("abc"))
    except QuantriftError:
        assume(False)
    seen = np.unique(scene_of(truth, patch, parts).take(parts.train)) - 1
    assert not np.isin(parts.test, seen).any()

    assert len(parts.validation) == 0
    for part in (parts.train, parts.test):
        assert part.dtype == np.int64
        assert (np.diff(part) > 0).all()
        np.testing.assert_array_equal(np.unique(labels[part]), np.unique(labels))

    blocks = (positions // block) @ [1000, 1]
    tested = np.isin(blocks, blocks[parts.test])
    np.testing.assert_array_equal(np.flatnonzero(tested), parts.test)
    # Only what a test pixel is near to is dropped.
    dropped = np.setdiff1d(np.flatnonzero(~tested), parts.train)
    apart = np.abs(positions[dropped][:, None] - positions[parts.test]).max(axis=2)
    assert (apart.min(axis=1, initial=0 if len(dropped) == 0 else 10**6) <= patch // 2).all()
