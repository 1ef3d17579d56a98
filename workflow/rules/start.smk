"""Start of the workflow, before all rules: its folder, the package, and variables of all jobs."""

import os
import sys
from pathlib import Path


def refuse(why):
    """End with one line: Snakemake prints a traceback around any other exception."""
    print(f"quantrift: {why}", file=sys.stderr)
    sys.exit(2)


# The folder of the workflow. Snakemake knows it only while it reads this file.
HERE = Path(str(workflow.current_basedir)).parent
if not (HERE / "lib").is_dir():
    refuse(
        "a module from a repository's address brings neither the package nor the configuration; clone the repository, "
        "run `pip install '.[workflow]'` in it, and name its workflow/Snakefile"
    )

sys.path.insert(0, str(HERE / "lib"))
# For jobs that run in an environment of their own (--sdm conda).
os.environ.update(
    PYTHONPATH=os.pathsep.join(
        [str(HERE / "lib"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
)

from quantrift.core.base import hidden_devices, process_environment

# For all jobs, which inherit it, and before anything that computes is imported.
process_environment.pin()
hidden_devices.hide()
