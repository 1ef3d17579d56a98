"""Reasons for which a test may be skipped, and where; a run in which any other test is skipped fails."""

import os
import re
import shutil
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

MIRROR = "QUANTRIFT_MIRROR"
LINUX = sys.platform.startswith("linux")
ROOT = LINUX and os.geteuid() == 0

ALLOWED = {
    rf"{MIRROR} is not set": not os.environ.get(MIRROR),
    "PyTorch|torch is not installed": not find_spec("torch"),
    "ExecuTorch|executorch is not installed": not find_spec("executorch"),
    "needs chromium and chromedriver": not (shutil.which("chromium") and shutil.which("chromedriver")),
    "needs root": not ROOT,
    "needs rsync": not shutil.which("rsync"),
    "is not allowed here": not ROOT or not shutil.which("unshare"),
    "a Slurm of its own is installed on Debian only, as root": not ROOT or not Path("/etc/debian_version").exists(),
    "this machine has a Slurm already": Path("/etc/slurm/slurm.conf").exists(),
    "apt-get cannot install Slurm here": not shutil.which("slurmctld"),
    "this kernel offers no": True,
    "[Oo]nly Linux|this system does not name its starts": not LINUX,
    "the page is of the packages that Python 3.11 installs on Linux": not LINUX or sys.version_info[:2] != (3, 11),
}
"""Regular expression in the reason of a skip -> whether it may be one here.

Not here: packages of the lock, without which a test fails. PyTorch and ExecuTorch are in none.
"""


def not_allowed(reasons: Iterable[str]) -> list[str]:
    """Those of some reasons that skip a test which must run here."""
    return [one for one in reasons if not any(here and re.search(words, one) for words, here in ALLOWED.items())]
