"""A tool that is calibrated searches narrower ranges, and its records say which."""

from pathlib import Path

import numpy as np
import pytest
from tests.factories import configurations
from tests.factories.records import SUBJECT

from quantrift.core.base.inputs import ScenePatches
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs import seed_inputs
from quantrift.core.search.calibrated import write
from quantrift.core.search.record_columns import settings
from quantrift.core.search.records.replaying import replay
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Job, run
from quantrift.core.search.strength_search import of_settings

PARTS = {"space": "hsi_distortions", "constraint": {"psnr": {"min_db": 12}}}
"""So much is valid that the two networks disagree on some of it."""
TOOL = {
    **PARTS,
    "objective": "jensen_shannon",
    "searcher": "pso",
    "calibration": "mild",
}


@pytest.fixture
def paths(tmp_path: Path, scene_path: Path, trained: Path, compressed: Path, tiny_scene: ScenePatches) -> Paths:
    """A results folder as the workflow lays it out, up to the calibration."""
    paths = Paths(tmp_path)
    for source, target in (
        (scene_path, paths.inputs("tiny", "hybridsn")),
        (trained / "original.tflite", paths.model("tiny", "hybridsn") / "original.tflite"),
        (compressed / "model.tflite", paths.compressed("tiny", "hybridsn", "ptq_int8") / "model.tflite"),
    ):
        target.parent.mkdir(parents=True)
        target.write_bytes(source.read_bytes())
    pool = seed_inputs.pool(tiny_scene, LiteRT(paths.model("tiny", "hybridsn") / "original.tflite"))
    drawn = seed_inputs.draw(pool, "tiny", "hybridsn", 2, 10, overlap=False)
    seed_inputs.write(paths.seeds("tiny", "hybridsn", "test"), drawn, tiny_scene)
    return paths


def test_strengths_stand_in_the_records_which_then_replay_without_the_calibration(
    paths: Paths, tiny_scene: ScenePatches
) -> None:
    config = configurations.of_scale(tools={"calibrated": TOOL}, calibrations={"mild": PARTS})
    tool = config.tools["calibrated"].model_dump(mode="json")
    job = Job(SUBJECT, "calibrated", tool, Budget(15), vectors="all", rows=256, memory_mb=200)
    calibration = config.calibrations["mild"].model_copy(update={"inputs": 10, "steps": 4, "compounds": 2})
    found = of_settings(calibration.model_dump(mode="json"), tiny_scene)
    files = files_in(paths, SUBJECT, tool)
    assert files.calibration is not None
    write(found, files.calibration)
    records = paths.searches("tiny", "hybridsn", "ptq_int8", "calibrated", "test") / "x.parquet"
    run(job, files, Block(range(2)), records)

    stored = settings(records)
    assert stored["tool_settings"]["space"]["params"]["strengths"] == found.strengths
    assert "calibration" in stored["sha256"]
    assert job.tool_settings["space"]["params"]["strengths"] == {}
    assert np.any(np.array(list(found.strengths.values())) < 1)

    files.calibration.unlink()
    again = replay(records)
    assert again.rows > 0
    assert again.complete
