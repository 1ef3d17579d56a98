"""A network is also trained under a split by blocks where, and only where, a configuration asks for it."""

import subprocess
from collections.abc import Callable

import pytest
from tests.factories.dry_runs import counts

Run = Callable[..., subprocess.CompletedProcess[str]]
BLOCKS = "{kind: spatial_blocks, test: 0.5, block: 16}"
FILE = "results/demo/models/sim_pavia/hybridsn/blocks/blocks.json"


@pytest.mark.slow
def test_the_table_of_networks_alone_asks_for_it_once_a_scene(snakemake: Run) -> None:
    plain = counts(snakemake("-n"))
    asked = counts(snakemake("-n", "--config", f"models={{hybridsn: {{blocks: {BLOCKS}}}}}"))
    assert "train_blocks" not in plain
    assert asked.pop("train_blocks") == 2
    assert asked.pop("total") == plain.pop("total") + 2
    assert asked == plain
    configured = ("--config", f"models={{hybridsn: {{blocks: {BLOCKS}}}}}")
    assert "train_blocks" not in counts(snakemake("-n", "compression", *configured))


def test_it_reads_the_scene_itself(snakemake: Run) -> None:
    found = counts(snakemake("-n", FILE, "--config", f"models={{hybridsn: {{blocks: {BLOCKS}}}}}"))
    assert found == {"source": 1, "train_blocks": 1, "total": 2}


def test_it_can_be_the_split_of_the_network_itself(snakemake: Run) -> None:
    found = counts(snakemake("-n", "models", "--config", f"models={{hybridsn: {{split: {BLOCKS}}}}}"))
    assert found["train"] == 3
    assert "train_blocks" not in found


def test_without_it_nobody_makes_its_file(snakemake: Run) -> None:
    done = snakemake("-n", FILE)
    assert done.returncode != 0
    assert FILE in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ("{kind: overall, test: 0.5}", "models.hybridsn.blocks"),
        ("{kind: spatial_blocks, test: 0.5}", "kind spatial_blocks takes test and block, got test"),
    ],
)
def test_a_split_that_is_none_by_blocks_stops_before_any_job(snakemake: Run, blocks: str, message: str) -> None:
    done = snakemake("-n", "--config", f"models={{hybridsn: {{blocks: {blocks}}}}}")
    assert done.returncode != 0
    assert message in done.stderr
