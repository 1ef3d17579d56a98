"""The answer in words names what decides, where it happens, and what to do next."""

from dataclasses import replace
from pathlib import Path

import pytest

from quantrift.assess.answer import answer
from quantrift.assess.assessment import Assessment, Judgement, read
from quantrift.assess.tool_result import Rate


@pytest.fixture
def found(assessed: Path) -> Assessment:
    return read(assessed)


def judged(verdict: str, limit: str = "max_disagreement", needed: int | None = None) -> Judgement:
    rate = Rate(0.04, 0.02, 0.06)
    return Judgement(limit, "figure", None, rate, 0.05, verdict, 100, needed, None, "figure: 4 %")  # type: ignore[arg-type]


def test_a_network_that_fails_is_told_with_figure_class_change_layer_and_what_to_do(found: Assessment) -> None:
    broken = found.candidates[0]
    text = answer(broken, found)
    assert text[0] == "broken fails: it is shown to exceed a limit."
    assert any("12.50%" in line and line.endswith("exceeded.") for line in text)
    whole = "\n".join(text)
    for said in ("1 were right and are wrong now", "Most affected class: 'cat & co'", "blur", "30 dB less"):
        assert said in whole
    assert text[-1].startswith("What to do: look at the scales and weights of dense_of_a")


def test_a_network_that_passes_is_told_to_keep_what_was_found(found: Assessment) -> None:
    text = answer(found.candidates[1], found)
    assert text[0] == "sound passes: on these inputs it keeps every limit."
    assert text[-1].startswith("What to do: keep sound/dii.npz and run it on each new build")


def test_an_undecided_network_is_told_how_many_inputs_decide(found: Assessment) -> None:
    sound = replace(found.candidates[1], verdict="inconclusive", judgements=[judged("inconclusive", needed=1300)])
    assert answer(sound, found)[-1].startswith("What to do: give about 1,300 inputs")
    unknown = replace(sound, judgements=[judged("inconclusive")])
    assert "How many cannot be said" in answer(unknown, found)[-1]
    ranged = replace(sound, judgements=[replace(judged("inconclusive", needed=1300), needed_least=250)])
    assert "give about 250 to 1,300 inputs" in answer(ranged, found)[-1]
    both = replace(sound, judgements=[*ranged.judgements, *unknown.judgements])
    assert "How many cannot be said" in answer(both, found)[-1]


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("lost_class", "order of classes"),
        ("dead_output", "never move"),
        ("max_disagreement", "order of channels"),
        ("max_sr", "Calibrate or fine-tune"),
    ],
)
def test_what_to_do_follows_from_the_limit(limit: str, said: str, found: Assessment) -> None:
    one = replace(found.candidates[1], verdict="fail", judgements=[judged("fail", limit)])
    assert said in answer(one, found)[-1]
