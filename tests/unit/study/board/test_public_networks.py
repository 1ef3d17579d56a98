"""Networks of public wheels come from the wheel that was stated, and their inputs follow from a seed."""

import hashlib
import zipfile
from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.study.board import public_networks
from quantrift.study.board.public_networks import NETWORKS, PublicNetwork


def test_a_network_comes_from_the_wheel_that_was_stated(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    wheel = tmp_path / "wheels" / "one-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("one/net.onnx", b"network")
    digests = [hashlib.sha256(one).hexdigest() for one in (wheel.read_bytes(), b"network")]
    net = NETWORKS[0]._replace(path="one/net.onnx", wheel_sha256=digests[0], sha256=digests[1])
    assert public_networks.file(net, tmp_path).read_bytes() == b"network"
    with pytest.raises(QuantriftError, match="its digest is not the one stated; remove the file"):
        public_networks.file(net._replace(sha256=digests[0]), tmp_path)


@pytest.mark.parametrize("net", NETWORKS, ids=lambda net: net.name)
def test_inputs_follow_from_a_seed_and_fit_the_network(net: PublicNetwork) -> None:
    drawn, again = (net.draw(3, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(drawn["inputs"], again["inputs"])
    assert net.taken(drawn["inputs"]).shape == (3, *net.shape)
    assert drawn.get("labels", np.zeros(3)).shape == (3,)


def test_turned_texts_are_turned_by_their_labels() -> None:
    # One letter at the upper left leaves all ink in the quarter of the image to which the turn takes it.
    for seed in range(6):
        drawn = public_networks.texts(
            1, np.random.default_rng(seed), size=(40, 40), heights=(16, 17), words=(1, 2), turns=4
        )
        upright = np.rot90(drawn["inputs"][0], int(drawn["labels"][0]))
        dark = upright.mean(axis=-1) < 120
        assert dark[:24].sum() > 0
        assert dark[28:].sum() == 0


def test_networks_that_mark_something_agree_where_a_tenth_of_the_marks_differs() -> None:
    mask = np.zeros((2, 1, 4, 4), np.float32)
    mask[:, :, :2] = 0.9
    other = mask.copy()
    other[1, 0, 2, 0] = 0.31
    np.testing.assert_allclose(public_networks.same_marks({"a": mask}, {"a": other}), [0, 10 / 9])
    several = {"contour": 1 - mask, "note": mask}
    np.testing.assert_allclose(public_networks.same_marks(several, several | {"note": other}), [0, 10 / 9])
