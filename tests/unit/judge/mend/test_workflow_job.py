"""Mending in the workflow: on test inputs alone, with the layout that all its networks have."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.factories import inputs

from quantrift.core.base.files import read_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.settings.sections import MendingSettings
from quantrift.judge.mend.settings import Settings
from quantrift.study.compression import mend_job as workflow_job


@dataclass(frozen=True)
class Found:
    """Outcome of a mending."""

    verdict: str = "pass"


def test_networks_are_mended_on_test_inputs_with_the_layout_of_the_workflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = inputs.images(np.random.default_rng(0).integers(0, 256, (30, 4, 4, 1)))
    stack.save(tmp_path / "inputs.npz")
    seen: dict[str, np.ndarray] = {}

    def mend(original: Path, compressed: Path, given: Path, out: Path, settings: Settings) -> object:
        assert settings.form.layout == "channels_last"
        with np.load(given) as arrays:
            seen.update(arrays)
        return Found()

    monkeypatch.setattr(workflow_job, "mend", mend)
    settings = MendingSettings(inputs=12)
    workflow_job.mend_subject(
        (tmp_path / "a", tmp_path / "b"), tmp_path / "inputs.npz", settings, tmp_path / "out.json"
    )
    assert read_json(tmp_path / "out.json") == {"verdict": "pass"}
    of_tests = {value.tobytes() for value in Inputs.load(tmp_path / "inputs.npz").take(stack.test)}
    assert len(seen["inputs"]) == min(12, len(stack.test))
    assert {value.tobytes() for value in seen["inputs"]} <= of_tests
    assert len(seen["labels"]) == len(seen["inputs"])
