"""Marks of tests that need packages which the locked environment lacks."""

import pytest

from quantrift.core.base import extras


def needs(*names: str) -> pytest.MarkDecorator:
    """Mark of tests that need packages, by import names; skipped where one lacks, with the command that installs it."""
    lacking = next((name for name in names if not extras.installed(name)), None)
    reason = "" if lacking is None else str(extras.missing("this test", lacking))
    return pytest.mark.skipif(lacking is not None, reason=reason)
