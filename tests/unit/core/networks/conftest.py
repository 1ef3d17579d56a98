"""Readers of foreign files start as they do for users."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _readers_of_foreign_files() -> None:
    """In place of the fixture of all rooms."""
