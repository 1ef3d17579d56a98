"""Limits at the ends of intervals, and the order of candidates."""

from dataclasses import replace

import pytest

from quantrift.assess.assessment import Limits
from quantrift.assess.tool_result import Rate, ToolResult
from quantrift.assess.verdict import judged, sentence
from quantrift.cli.assess import share
from quantrift.config.errors import QuantriftError

RATE = Rate(0.04, 0.02, 0.06)
TOOL = ToolResult(
    tool="image_pso",
    title="PSO",
    kind="natural",
    judged=True,
    searches=10,
    evaluations=100,
    valid=100,
    dii=4,
    seconds=1.0,
    first_attack=False,
    dir=RATE,
    dir_unique=RATE,
    dir_valid=RATE,
    vr=RATE,
    sr=Rate(0.5, 0.3, 0.7),
    net={},
    classes=[],
    confusions=[],
    odds=[],
    queries=None,
    records="",
    shrunk=None,
    layers=None,
)


@pytest.mark.parametrize(
    ("max_dir", "verdict", "said"),
    [
        (0.0199, "above", "even the lower end"),
        (0.02, "pass", "not shown to be above"),
        (0.0399, "pass", "not shown to be above"),
        (0.04, "pass", "kept"),
        (None, "pass", None),
    ],
)
def test_a_candidate_is_above_only_if_the_lower_end_of_the_interval_is(
    max_dir: float | None, verdict: str, said: str | None
) -> None:
    found, reasons = judged([TOOL], Limits(max_dir, None))
    assert found == verdict
    assert len(reasons) == (said is not None)
    assert said is None or said in reasons[0]


def test_success_rates_are_held_against_their_own_limit() -> None:
    assert judged([TOOL], Limits(None, 0.29))[0] == "above"
    assert judged([TOOL], Limits(0.05, 0.3))[0] == "pass"


def test_noise_is_not_judged() -> None:
    noise = replace(TOOL, judged=False, kind="noise")
    assert judged([noise], Limits(0.0, 0.0)) == ("pass", [])


def test_the_sentence_names_the_figure_that_decides() -> None:
    limits = Limits(0.05, 0.2)
    assert "SR of PSO is 50.00% (95 % interval 30.00% to 70.00%), whose lower end exceeds the limit of 20.00%" in (
        sentence("int8", "above", [TOOL], limits)
    )


def test_shares_are_percent_or_fractions() -> None:
    assert (share("5%", "--max-dir"), share("0.05", "--max-dir"), share("none", "--max-dir")) == (0.05, 0.05, None)
    for wrong in ("5", "-1%", "much"):
        with pytest.raises(QuantriftError, match=f"--max-dir is '{wrong}'"):
            share(wrong, "--max-dir")
