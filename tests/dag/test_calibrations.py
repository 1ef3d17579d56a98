"""Strengths are found once for all that use them, and before anything is trained."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.factories.dry_runs import counts

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_table_and_curves_share_calibrations_and_need_no_network(snakemake: Run) -> None:
    found = counts(snakemake("-n", "diverget_calibration", "diverget_psnr_curves"))
    targets = {"diverget_calibration": 1, "diverget_psnr_curves": 1, "table": 1, "figure": 1}
    assert found == {**targets, "calibrate": 4, "inputs": 2, "source": 2, "total": 12}


def test_a_tool_that_is_calibrated_waits_for_its_calibration(snakemake: Run, tmp_path: Path) -> None:
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        """
scale: mine
tools:
  calibrated:
    {space: hsi_distortions, constraint: psnr, objective: jensen_shannon, searcher: random, calibration: psnr}
subjects:
  diverget: {dataset: [sim_pavia], model: [hybridsn], compression: [ptq_int8]}
experiments:
  both: {subjects: diverget, tools: [random, calibrated], protocol: rq1}
targets:
  mine: {kind: compare_to_baseline, title: Mine, from: [both], baseline: random, groups: {narrow: [calibrated]}}
all: [mine]
"""
    )
    found = counts(snakemake("-n", "--configfile", str(overlay), "--config", "engine={block: 5}"))
    assert found["calibrate"] == 1
    assert found["search"] == 4
