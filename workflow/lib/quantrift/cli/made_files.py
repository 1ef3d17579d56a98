"""Files that the workflow makes, for commands that need them."""

import subprocess
import sys
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.study.planning import configuration_files


def build(overlay: Path, files: list[Path]) -> None:
    """Make files through the workflow.

    Raises:
        QuantriftError: if it fails.
    """
    snakefile = str(configuration_files.ROOT / "Snakefile")
    command = [sys.executable, "-m", "snakemake", "--snakefile", snakefile, "--cores", "2", "--quiet"]
    done = subprocess.run([*command, "rules", "--configfile", str(overlay), "--", *map(str, files)], check=False)
    if done.returncode:
        raise QuantriftError("the workflow could not build what is needed; see its message above")
