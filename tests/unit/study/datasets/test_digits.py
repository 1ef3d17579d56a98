"""The embedded digits at the size of MNIST's."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from quantrift.core.base.errors import QuantriftError
from quantrift.study.datasets.kinds import embedded_digits
from quantrift.study.datasets.official import Places

SETTINGS = embedded_digits.Settings(kind="embedded_digits", title="Digits", class_names=list("0123456789"))


def test_digits_are_mnist_sized_grey_images_over_the_full_range() -> None:
    images = embedded_digits.arrays(SETTINGS, Places())["images"]
    assert images.shape == (1797, 28, 28, 1)
    assert images.dtype == np.uint8
    assert (images.min(), images.max()) == (0, 255)


def test_enlarging_keeps_the_picture() -> None:
    images = embedded_digits.arrays(SETTINGS, Places())["images"][..., 0]
    centres = images[:, 1::7, 1::7] / 255 * 16
    assert np.abs(centres - load_digits().images[:, ::2, ::2]).mean() < 1


def test_the_stated_share_of_each_digit_is_held_out() -> None:
    arrays = embedded_digits.arrays(SETTINGS, Places())
    held_out = np.bincount(arrays["labels"][arrays["test"]])
    np.testing.assert_array_equal(held_out, np.ceil(np.bincount(arrays["labels"]) * 0.4))
    both = np.sort(np.concatenate([arrays["train"], arrays["test"]]))
    np.testing.assert_array_equal(both, np.arange(1797))


def test_another_seed_holds_out_others() -> None:
    other = embedded_digits.arrays(SETTINGS.model_copy(update={"seed": 1}), Places())
    assert not np.array_equal(other["test"], embedded_digits.arrays(SETTINGS, Places())["test"])


@pytest.mark.parametrize(("change", "says"), [({"class_names": ["0"]}, "ten digits"), ({"test": 1.0}, "too few")])
def test_settings_that_leave_nothing_to_learn_are_refused(change: dict[str, object], says: str) -> None:
    with pytest.raises(QuantriftError, match=says):
        embedded_digits.arrays(SETTINGS.model_copy(update=change), Places())
