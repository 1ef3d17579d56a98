"""Report of the benchmark of decoding; speed depends on the machine and is not tested."""

import pytest
from tools.benchmarks.decode import DecodeImages

from quantrift.core.search.distortions.compound import DEFAULT, groups


def test_decoding_of_images_is_measured_whole_and_distortion_by_distortion() -> None:
    result = DecodeImages((12, 10, 3), limit=2).measure()
    assert result.value > 0
    assert result.ratio == pytest.approx(result.value / 2)
    assert list(result.details) == ["copy", *groups("images")[DEFAULT]]
    assert min(result.details.values()) > 0
