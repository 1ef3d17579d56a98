"""Calibrations and the tools that use them must agree; each mistake is one line."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.factories.configurations import overlaid
from tests.factories.places import ROOT

from quantrift.core.base.errors import ConfigError
from quantrift.core.base.paths import Paths
from quantrift.study.planning.result_files import Results

TOOL = {"objective": "jensen_shannon", "searcher": "random", "calibration": "mine"}


def calibrated(space: Any = "hsi_distortions", constraint: Any = "psnr", **tool: Any) -> dict[str, Any]:
    """A calibration and a tool that uses it."""
    parts = {"space": "hsi_distortions", "constraint": "psnr"}
    return {
        "calibrations": {"mine": {"space": space, "constraint": constraint}},
        "tools": {"random_calibrated": parts | TOOL | tool},
    }


def test_a_tool_may_take_its_strengths_from_a_calibration_of_its_space_and_constraint(tmp_path: Path) -> None:
    config = overlaid(tmp_path, calibrated({"hsi_distortions": {"variant": "paper"}}))
    assert config.tools["random_calibrated"].calibration == "mine"
    assert config.calibrations["mine"].space.params["strengths"] == {}


MISTAKES: list[tuple[dict[str, Any], list[str]]] = [
    (calibrated(calibration="minn"), ["tools.random_calibrated.calibration: unknown calibration 'minn'", "'mine'"]),
    (calibrated(constraint={"psnr": {"min_db": 25}}), ["tools.random_calibrated.constraint: calibration 'mine'"]),
    (calibrated({"hsi_distortions": {"variant": "code"}}), ["tools.random_calibrated.space: calibration 'mine'"]),
    (calibrated(space={"hsi_distortions": {"strengths": {"zoom": 0.5}}}),
     ["calibrations.mine", "strengths: a calibration finds them"]),
    (calibrated("hsi_distortion"), ["calibrations.mine", "unknown space 'hsi_distortion'", "'hsi_distortions'"]),
    (calibrated(constraint={"psnr": {"min_dB": 2}}), ["calibrations.mine", "unknown key 'min_dB'", "'min_db'"]),
    ({"targets": {"diverget_calibration": {"calibrations": ["psrn"]}}},
     ["targets.diverget_calibration.calibrations: unknown calibration 'psrn'", "'psnr'"]),
    ({"targets": {"diverget_calibration": {"calibrations": []}}}, ["targets.diverget_calibration.calibrations"]),
    ({"calibrations": {"psnr": {"anchor": 3.465}}}, ["calibrations.psnr.anchor", "got 3.465"]),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), MISTAKES)
def test_a_mistake_is_one_line(tmp_path: Path, changes: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        overlaid(tmp_path, changes)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_a_tool_with_strengths_of_its_own_takes_none_from_a_calibration(tmp_path: Path) -> None:
    own = {"hsi_distortions": {"strengths": {"zoom": 0.5}}}
    with pytest.raises(ConfigError, match=r"tools.random_calibrated.space: calibration 'mine'"):
        overlaid(tmp_path, calibrated() | {"tools": {"random_calibrated": TOOL | {"space": own, "constraint": "psnr"}}})


def test_table_and_figure_read_each_calibration_of_each_network_once(tmp_path: Path) -> None:
    subjects = {"dataset": ["sim_pavia"], "model": ["ssrn", "hybridsn"], "compression": ["ptq_int8", "qat_int8"]}
    config = overlaid(tmp_path, {"subjects": {"diverget": subjects}})
    files = Results(config, Paths(Path("results"))).files("diverget_calibration")
    assert [str(file) for file in files] == [
        f"results/calibration/sim_pavia/{model}/{name}.json"
        for model in ("ssrn", "hybridsn")
        for name in ("psnr", "anchor")
    ]


def test_the_examples_of_the_documentation_are_valid(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "searching.md").read_text(encoding="utf-8")
    tool, calibration = (yaml.safe_load(one) for one in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL))
    config = overlaid(tmp_path, tool | calibration)
    assert config.tools["pso_calibrated"].calibration == "psnr"
    assert config.calibrations["mild"].constraint.params["min_db"] == 25
