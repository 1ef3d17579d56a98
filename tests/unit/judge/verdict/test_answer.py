"""The answer in words names what decides, where it happens, and what to do next."""

from dataclasses import replace
from pathlib import Path

import pytest

from quantrift.judge.verdict.answer import answer, seen, unchanged
from quantrift.judge.verdict.assessment import Assessment, Judgement, read
from quantrift.judge.verdict.tool_result import Rate


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
    assert any("12.50 %" in line and line.endswith("exceeded.") for line in text)
    assert text[-2].startswith("Likeliest cause: ")
    whole = "\n".join(seen(broken, found))
    for said in ("1 were right and are wrong now", "Most affected class: 'cat & co'", "blur", "30 dB less"):
        assert said in whole
    assert text[-1].startswith("What to do: look at the scales and weights of dense_of_a")


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (Rate(1, 0.971, 1), "100 % (95 % interval 97 to 100 %)"),
        (Rate(0.996, 0.9, 0.9997), "99.6 % (95 % interval 90 to 99.97 %)"),
        (Rate(0.0123, 0.00005, 0.5), "1.2 % (95 % interval 0 to 50 %)"),
    ],
)
def test_shares_near_all_and_near_none_read_as_they_are(found: Assessment, rate: Rate, said: str) -> None:
    clean = replace(found.candidates[0].clean, disagreement=rate)
    assert said in unchanged(clean, found.inputs.number, found.task)


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


def test_of_several_limits_that_are_open_the_one_that_takes_most_says_how_many_inputs(found: Assessment) -> None:
    little = replace(judged("inconclusive", needed=300), needed_least=100)
    much = replace(judged("inconclusive", limit="max_dir", needed=1300), needed_least=250, seeds=900)
    decided = replace(judged("pass", limit="max_sr", needed=9000), needed_least=8000)
    for judgements in ([little, much, decided], [decided, much, little]):
        one = replace(found.candidates[1], verdict="inconclusive", judgements=judgements)
        assert answer(one, found)[-1] == (
            "What to do: give about 250 to 1,300 inputs and --seeds up to 900, or a limit farther from the figure."
        )


def test_only_what_decides_is_quoted_and_natural_tools_alone_are_told(found: Assessment) -> None:
    broken = found.candidates[0]
    kept, exceeded = replace(judged("pass"), text="kept: 1 %"), replace(judged("fail"), text="broken: 40 %")
    text = answer(replace(broken, judgements=[kept, exceeded]), found)
    assert [line for line in text if "40 %" in line or "1 %" in line] == ["Broken: 40 %."]
    assert text[1] == "Broken: 40 %."
    assert seen(broken, found)[0].startswith("Unchanged inputs: ")
    [natural, noise] = broken.tools
    searching = replace(natural, title="search", samples=False, successes=2, searches=9, sr=Rate(2 / 9, 0.06, 0.55))
    told = seen(replace(broken, tools=[natural, searching, noise]), found)
    assert [line for line in told if "Natural changes" in line or "A search" in line] == [
        "Natural changes drawn at random, 500 that leave the input recognisable: 12 % (95 % interval 8 to 21 %) of "
        "them get another label.",
        "A search for such changes reached a disagreement from 2 of 9 inputs, 22 % (95 % interval 6 to 55 %).",
    ]


def test_the_class_that_most_of_its_inputs_differ_in_is_named_and_of_equal_ones_that_of_more_inputs(
    found: Assessment,
) -> None:
    broken = found.candidates[0]
    [natural, noise] = broken.tools
    few, many, most = (
        replace(natural.classes[0], name=name, seeds=seeds, successes=hits)
        for name, seeds, hits in (("few", 2, 1), ("many", 10, 5), ("most", 50, 24))
    )
    for classes in ([few, many, most], [most, many, few]):
        tool = replace(natural, classes=classes)
        text = "\n".join(seen(replace(broken, tools=[tool, noise]), found))
        assert "Most affected class: 'many', 5 of 10 inputs searched." in text


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


def test_where_few_disagreements_are_seen_margins_foretell_how_rare_they_are(found: Assessment) -> None:
    one = found.candidates[1]
    rare = replace(one.clean, disagreeing=0, foretold=Rate(1 / 31_400, 1 / 52_000, 1 / 24_000))
    assert seen(replace(one, clean=rare), found)[0].endswith(
        "from both. Margins foretell 1 in 31,000 of such inputs (1 in 24,000 to 1 in 52,000); no limit depends on it."
    )
    for ends, said in (
        (
            (3e-7, 1e-9, 4e-6),
            "fewer than 1 in 1,000,000 of such inputs (1 in 250,000 to fewer than 1 in 1,000,000)",
        ),
        ((2e-18, 1e-25, 5e-15), "fewer than 1 in 1,000,000 of such inputs"),
    ):
        rarer = replace(rare, foretold=Rate(*ends))
        assert f"Margins foretell {said}; no limit" in seen(replace(one, clean=rarer), found)[0]
    for silent in (replace(rare, disagreeing=11), replace(rare, foretold=Rate(None, None, None)), one.clean):
        assert "foretell" not in "\n".join(seen(replace(one, clean=silent), found))
