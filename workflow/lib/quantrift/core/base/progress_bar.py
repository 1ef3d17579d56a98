"""Progress of long work, on standard error."""

import sys
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm


def bar(given: Iterable[Any] | None = None, **told: Any) -> tqdm:
    """A bar of tqdm, over ``given`` where that is given: a terminal keeps its last update alone, a log file every one.

    So a terminal gets one twice a second, and a log file one in 15 seconds.
    """
    return tqdm(given, mininterval=0.5 if sys.stderr.isatty() else 15, **told)
