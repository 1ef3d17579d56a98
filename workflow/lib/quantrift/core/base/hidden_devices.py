"""Graphics processors are hidden from all jobs of a run; a job that is to train on one makes them visible again."""

import os

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""Variable in which CUDA is told the devices that a process may use."""
KEPT = "QUANTRIFT_DEVICES"
"""Variable that keeps its value while they are hidden."""
ALL = "all"
"""Value of ``KEPT`` where ``VISIBLE`` was not set: every device may be used."""
NONE = "-1"


def hide() -> None:
    """Hide all devices from this process and its children, and keep which ones there were.

    Again on a node of a cluster, whose scheduler has named the devices of the job meanwhile.
    """
    if os.environ.get(VISIBLE) != NONE or KEPT not in os.environ:
        os.environ[KEPT] = os.environ.get(VISIBLE, ALL)
        os.environ[VISIBLE] = NONE


def show() -> None:
    """Make hidden devices visible again in this process, before anything asks CUDA for them."""
    kept = os.environ.pop(KEPT, None)
    if kept == ALL:
        os.environ.pop(VISIBLE, None)
    elif kept is not None:
        os.environ[VISIBLE] = kept
