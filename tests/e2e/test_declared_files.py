"""Jobs open the files that their rules declare, and no others. All runs of other tests are held to that too."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories import snakemake_server, traced_jobs
from tests.factories.dry_runs import counts

from quantrift.study.planning.jobs import RULES

Run = Callable[..., subprocess.CompletedProcess[str]]

RULE = """
rule one:
    input: "given.txt"
    output: "made.txt"
    script: "one.py"
"""
BEHIND = ("triggerfinder_adversarial", "repair", "heterogeneous_divergence", "heterogeneous_robustness", "checkers",
          "diverget_minimal", "diverget_layers", "models")  # fmt: skip
"""Targets whose jobs are of rules that a plain run of the demo does without."""
BITS = ("bits_homogeneous", "bits_3_6", "bits_6_9", "bits_1_4", "bits_3_6_matched", "bits_6_9_matched")
MORE = (
    "models={hybridsn: {blocks: {kind: spatial_blocks, test: 0.5, block: 16}}}",
    # The other scene has a class that no split by such blocks leaves pixels for training.
    "subjects={diverget: {dataset: [sim_pavia]}}",
    "bit_studies={" + ", ".join(f"{study}: {{repetitions: 1}}" for study in BITS) + "}",
)


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("open('made.txt', 'w').write(open('given.txt').read())", None),
        ("open('made.txt', 'w').write(open('beside.txt').read())", "read beside.txt"),
        ("open('made.txt', 'w').close(); open('more.txt', 'w').close()", "wrote more.txt"),
        ("open('made.txt', 'w').close(); open('x', 'w').close(); import os; os.rename('x', 'y')", "wrote y"),
        ("open('made.txt', 'w').close(); open('x', 'w').close(); open('x'); import os; os.remove('x')", None),
        (
            "open('made.txt', 'w').close(); import subprocess, sys; "
            "subprocess.run([sys.executable, '-c', 'open(\"beside.txt\")'])",
            "read beside.txt",
        ),
    ],
)
def test_a_file_that_no_rule_declares_is_found(tmp_path: Path, script: str, found: str | None) -> None:
    for name, text in (("Snakefile", RULE), ("one.py", script), ("given.txt", "a"), ("beside.txt", "b")):
        (tmp_path / name).write_text(text)

    def run() -> None:
        with traced_jobs.held(tmp_path, tmp_path) as traced:
            done = snakemake_server.run(["--cores", "1"], traced | {"PATH": "/usr/bin:/bin"}, tmp_path)
        assert done.returncode == 0, done.stderr

    if found is None:
        run()
        return
    with pytest.raises(AssertionError) as caught:
        run()
    assert str(caught.value) == str({"one": {found}})


@pytest.mark.nightly
def test_jobs_of_the_demo_and_of_all_other_rules_open_what_they_declare(snakemake: Run) -> None:
    runs: tuple[list[str], list[str]] = ([], ["--config", *MORE, "--", *BEHIND])
    seen = {rule for more in runs for rule in counts(snakemake("-n", *more))}
    # Of these, own networks and another runtime, other tests make runs; Core ML has no package on this machine.
    assert {*RULES} - seen <= {"adopt", "adopt_compressed", "export_original"}
    for more in runs:
        done = snakemake(*more)
        assert done.returncode == 0, done.stdout + done.stderr
