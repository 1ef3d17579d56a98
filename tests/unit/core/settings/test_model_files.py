"""Scales of images that networks from files want."""

import pytest
from pydantic import ValidationError

from quantrift.core.settings.model_files import ImageInputs


@pytest.mark.parametrize(("mean", "far"), [(8.0, 8.01), (-7.0, -7.01)])
def test_a_mean_lies_within_eight_times_the_range_of_black_and_of_white(mean: float, far: float) -> None:
    assert ImageInputs(mean=(mean,)).mean == (mean,)
    with pytest.raises(ValidationError, match="give mean and std on the scale of low and high"):
        ImageInputs(mean=(far,))
