"""Answer in sentences: how often the models disagree, how sure that is, which class and change, what to do next."""

from collections.abc import Iterator

from quantrift.judge.verdict.assessment import Assessment, Candidate, Clean, Judgement, Task, blamed
from quantrift.judge.verdict.page_tables import words
from quantrift.judge.verdict.tool_result import Rate, ToolResult
from quantrift.judge.verdict.verdict import between

FEW, RARE = 10, 1e-6
"""Most disagreements beside which it is worth to say what margins foretell, and the least share that is told: nobody
has enough inputs to hold the law against a smaller one."""
OPENING = {
    "pass": "{name} passes: on these inputs it keeps every limit.",
    "inconclusive": "Not decided: these inputs neither show that {name} keeps every limit nor that it exceeds one.",
    "fail": "{name} fails: it is shown to exceed a limit.",
}


def answer(one: Candidate, found: Assessment) -> list[str]:
    """The verdict on one candidate, what decided it, the likeliest cause, and what to do, a line each."""
    return [
        OPENING[one.verdict].format(name=one.name),
        *(f"{_capital(line.text)}." for line in one.judgements if line.verdict == one.verdict != "pass"),
        *_advice(one, found),
    ]


def seen(one: Candidate, found: Assessment) -> list[str]:
    """Sentences on what was seen of one candidate, for someone who knows neither metrics nor the works behind them."""
    return [
        unchanged(one.clean, found.inputs.number, found.task),
        *(_changed(tool, found) for tool in one.tools if tool.judged),
        *_where(one, found),
    ]


def gist(one: Candidate, found: Assessment) -> str:
    """The likeliest cause of a candidate's disagreements, if one is known, and what to do, on one line."""
    return " ".join(_advice(one, found))


def _advice(one: Candidate, found: Assessment) -> list[str]:
    return [
        *(f"Likeliest cause: {cause}." for cause in causes(one)[:1]),
        f"What to do: {next_step(one, found)}",
    ]


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _share(rate: Rate) -> str:
    """A share in percent with two digits and its interval; 0 below a ten-thousandth.

    Near 100 it has more digits, so that nothing below it reads as all.
    """
    value, low, high = (
        None if end is None else "0" if end < 1e-4 else f"{100 * end:.{2 if end < 0.995 else 4}g}"
        for end in (rate.value, rate.low, rate.high)
    )
    if value is None:
        return "an unknown share"
    ends = "too few to say how sure that is" if low is None or high is None else f"95 % interval {low} to {high} %"
    return f"{value} % ({ends})"


def _foretold(clean: Clean) -> str:
    """Sentence on the share that the margin law foretells; empty without an interval or with many disagreements."""
    share = clean.foretold
    if not share.value or not share.low or not share.high or clean.disagreeing > FEW:
        return ""
    about, least, most = (
        f"1 in {float(f'{1 / end:.2g}'):,.0f}" if end >= RARE else f"fewer than 1 in {1 / RARE:,.0f}"
        for end in (share.value, share.high, share.low)
    )
    return (
        f" Margins foretell {about} of such inputs{f' ({least} to {most})' if share.high >= RARE else ''}; no limit "
        "depends on it."
    )


def unchanged(clean: Clean, number: int, task: Task) -> str:
    """Sentences on the inputs as given, ``number`` of them."""
    return f"{_counted(clean, number, task)}{_foretold(clean)}"


def _counted(clean: Clean, number: int, task: Task) -> str:
    if not clean.disagreeing:
        return f"Unchanged inputs: all {number:,} {'get the same label from both' if task.labels else 'agree'}."
    text = f"Unchanged inputs: {clean.disagreeing:,} of {number:,} {task.differs}, {_share(clean.disagreement)}"
    if clean.right_to_wrong is None:
        return f"{text}."
    if not task.labels:
        return (
            f"{text}. Right ({task.right}) before compression alone: {clean.right_to_wrong}, after it alone: "
            f"{clean.wrong_to_right}."
        )
    return (
        f"{text}: {clean.right_to_wrong} were right and are wrong now, {clean.wrong_to_right} were wrong and are "
        f"right, {clean.between_wrong} were wrong and are wrong in another way."
    )


def _changed(tool: ToolResult, found: Assessment) -> str:
    if tool.samples:
        return (
            f"Natural changes drawn at random, {tool.valid:,} that leave the input recognisable: "
            f"{_share(tool.dir_valid)} of them {found.task.differs}."
        )
    return (
        f"A search for such changes reached a disagreement from {tool.successes:,} of {tool.searches:,} inputs, "
        f"{_share(tool.sr)}."
    )


def _where(one: Candidate, found: Assessment) -> Iterator[str]:
    if parts := [part for part in one.clean.parts if part.differing]:
        worst = max(parts, key=lambda part: part.differing / part.of)
        yield f"Most affected output: {worst.name}, {worst.differing:,} of {worst.of:,}."
    # The last natural tool is the one that searches.
    tool = next((tool for tool in reversed(one.tools) if tool.judged), None)
    if tool is not None and tool.dii and found.task.labels:
        first = max(tool.classes, key=lambda row: (row.successes / row.seeds, row.seeds))
        yield f"Most affected class: '{first.name}', {first.successes} of {first.seeds} inputs searched."
    for need in one.needs[:1]:
        yield f"Change that suffices most often: {words(need.distortions)} ({100 * (need.share.value or 0):.0f} %)."
    yield from (f"{_capital(cause)}." for cause in causes(one))


def causes(one: Candidate) -> list[str]:
    """Explanations of its disagreements, the likeliest first."""
    return [*one.findings, *blamed(one.layers)]


def next_step(one: Candidate, found: Assessment) -> str:
    """The first advice that applies."""
    failing = {judgement.limit for judgement in one.judgements if judgement.verdict == "fail"}
    on_given = bool({"max_disagreement", "max_accuracy_drop"} & failing)
    names = ", ".join(layer.layer for layer in one.suspects)
    advice = (
        (
            one.verdict == "inconclusive" and any(line.limit == "float16_range" for line in one.judgements),
            "judge the outputs of the device itself (quantrift export-inputs and judge-outputs), or scale the original "
            "so that its values stay within the range of float16.",
        ),
        (one.verdict == "inconclusive", _more(one.judgements)),
        (
            one.verdict == "pass",
            f"keep {one.dii_file} and run it on each new build (quantrift replay --compressed NEW {one.dii_file}). "
            "Limits that matter to you may be tighter than those held here.",
        ),
        (
            bool(one.findings),
            "undo that first. Calibrate it on inputs like these, give it the inputs that it was made for, or put its "
            "classes into the original's order.",
        ),
        (bool(one.suspects), f"look at the scales and weights of {names} first, and convert again."),
        (
            "lost_class" in failing,
            "compare the last layer's weights, bias and order of classes with the original's.",
        ),
        (
            "dead_output" in failing,
            "look at the weights and the scale of the outputs that never move. Values of different units, like boxes "
            "and scores, need outputs, and scales, of their own.",
        ),
        (
            on_given and not found.task.labels,
            "check first that both networks take their inputs in the same form, and that their outputs have the same "
            "order and scale. Check then the data that the compressed one was calibrated on.",
        ),
        (
            on_given,
            "check first that both networks take their inputs in the same form (order of channels, scale, mean). Check "
            "then the data that the compressed one was calibrated on, and try weights quantized channel by channel.",
        ),
        (
            True,
            "the networks differ too often on changed inputs. Calibrate or fine-tune on inputs changed in these ways, "
            "or leave the worst layers in more bits.",
        ),
    )
    return next(text for applies, text in advice if applies)


def _more(judgements: list[Judgement]) -> str:
    open_ones = [one for one in judgements if one.verdict == "inconclusive"]
    if not open_ones or any(one.needed is None for one in open_ones):
        return "give more inputs. How many cannot be said."
    most = max(open_ones, key=lambda one: one.needed or 0)
    option = f" and --seeds up to {most.seeds}" if most.seeds else ""
    return f"give about {between(most.needed_least, most.needed)} inputs{option}, or a limit farther from the figure."
