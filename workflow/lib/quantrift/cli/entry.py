"""What the entry scripts of the workflow share."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from quantrift.config.errors import QuantriftError


@contextmanager
def one_line_errors() -> Iterator[None]:
    """End the process with one line on standard error when the user can mend what went wrong."""
    try:
        yield
    except QuantriftError as error:
        sys.exit(f"quantrift: {error}")
