"""Places of the checkout that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "config"
PUBLISHED = ROOT / "workflow" / "published"
"""Numbers that the works print."""
PACKAGE = ROOT / "workflow" / "lib" / "quantrift"
