"""The error every bad input ends in: one line that says what is wrong and what to do."""

import difflib
from collections.abc import Iterable


class QuantriftError(Exception):
    """Something the user can mend. Its message is one line: what is wrong, where, and what to do."""


class ConfigError(QuantriftError):
    """A configuration that cannot be run as it stands."""


def nearest(name: str, valid: Iterable[str]) -> str:
    """A closing phrase naming the valid name nearest to ``name``, or all of them when none is near."""
    names = sorted(valid)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean '{close[0]}'?"
    return f"valid: {', '.join(names)}" if names else "none is defined"
