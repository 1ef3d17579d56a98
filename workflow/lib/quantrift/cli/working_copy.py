"""Working copies of the project: folders with all of its files."""

from pathlib import Path

PARTS = ("Snakefile", "config/rates.csv", "workflow/lib/quantrift")


def is_working_copy(folder: Path) -> bool:
    """Whether ``folder`` is a working copy, be it the one that this package is from or another."""
    return all((folder / part).exists() for part in PARTS)
