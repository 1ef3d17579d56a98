"""The configuration that plans are made of."""

import pytest
from tests.factories import configurations

from quantrift.study.planning.root import Config


@pytest.fixture(scope="session")
def paper() -> Config:
    """The configuration of the works' sizes, which nothing can change."""
    return configurations.of_scale("paper")
