"""Snakemake's list of jobs by rule, at the end of a dry run and at the start of a run."""

import re
import subprocess
from collections import Counter

from quantrift.study.planning.jobs import measured_as


def rule_of(name: str) -> str:
    """``table`` or ``figure`` for the rule of a kind of these; any other rule as it is."""
    return measured_as(name) if name.startswith(("table_", "figure_")) else name


def counts(done: subprocess.CompletedProcess[str]) -> Counter[str]:
    """Number of jobs of each rule, done or planned; tables of all kinds count as one rule, and so do figures."""
    assert done.returncode == 0, done.stdout + done.stderr
    found = Counter[str]()
    # Snakemake may print the list twice.
    for name, count in dict(re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.MULTILINE)).items():
        found[rule_of(name)] += int(count)
    return found
