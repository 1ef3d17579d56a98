"""The end of a process that a server has forked for one run."""

import os
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn


def ends_after(work: Callable[[], None]) -> NoReturn:
    """Do the work and end this process as the interpreter would, without what its parent left to clean up."""
    code = 1
    try:
        work()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
