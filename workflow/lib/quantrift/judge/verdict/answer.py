"""Answer in sentences: how often the models disagree, how sure that is, which class and change, what to do next."""

from collections.abc import Iterator

from quantrift.judge.verdict.assessment import Assessment, Candidate, Judgement
from quantrift.judge.verdict.page_tables import words
from quantrift.judge.verdict.tool_result import Rate, ToolResult
from quantrift.judge.verdict.verdict import between

OPENING = {
    "pass": "{name} passes: on these inputs it keeps every limit.",
    "inconclusive": "Not decided: these inputs neither show that {name} keeps every limit nor that it exceeds one.",
    "fail": "{name} fails: it is shown to exceed a limit.",
}


def answer(one: Candidate, found: Assessment) -> list[str]:
    """Sentences on one candidate for someone who knows neither its metrics nor the works behind them."""
    return [
        OPENING[one.verdict].format(name=one.name),
        *_decisive(one),
        _unchanged(one, found),
        *_changed(one, found),
        *_where(one, found),
        _next(one, found),
    ]


def _share(rate: Rate) -> str:
    if rate.value is None:
        return "an unknown share"
    if rate.low is None or rate.high is None:
        return f"{_percent(rate.value)} % (too few to say how sure that is)"
    return f"{_percent(rate.value)} % (95 % interval {_percent(rate.low)} to {_percent(rate.high)} %)"


def _percent(share: float) -> str:
    """Percentage with two digits; 0 below a ten-thousandth."""
    return f"{100 * share:.2g}" if share >= 1e-4 else "0"


def _decisive(one: Candidate) -> Iterator[str]:
    if one.verdict != "pass":
        for judgement in one.judgements:
            if judgement.verdict == one.verdict:
                yield f"{judgement.text[0].upper()}{judgement.text[1:]}."


def _unchanged(one: Candidate, found: Assessment) -> str:
    clean, number = one.clean, found.inputs.number
    if not clean.disagreeing:
        same = "get the same label from both" if found.task.labels else "agree"
        return f"Unchanged inputs: all {number:,} {same}."
    text = f"Unchanged inputs: {clean.disagreeing:,} of {number:,} {found.task.differs}, {_share(clean.disagreement)}"
    if clean.right_to_wrong is None:
        return f"{text}."
    if not found.task.labels:
        return (
            f"{text}. Right ({found.task.right}) before compression alone: {clean.right_to_wrong}, after it alone: "
            f"{clean.wrong_to_right}."
        )
    return (
        f"{text}: {clean.right_to_wrong} were right and are wrong now, {clean.wrong_to_right} were wrong and are "
        f"right, {clean.between_wrong} were wrong and are wrong in another way."
    )


def _changed(one: Candidate, found: Assessment) -> Iterator[str]:
    for tool in (tool for tool in one.tools if tool.judged):
        if tool.samples:
            yield (
                f"Natural changes drawn at random, {tool.valid:,} that leave the input recognisable: "
                f"{_share(tool.dir_valid)} of them {found.task.differs}."
            )
        else:
            yield (
                f"A search for such changes reached a disagreement from {tool.successes:,} of {tool.searches:,} "
                f"inputs, {_share(tool.sr)}."
            )


def _where(one: Candidate, found: Assessment) -> Iterator[str]:
    tool = _searching(one)
    parts = [part for part in one.clean.parts if part.differing]
    if parts:
        worst = max(parts, key=lambda part: part.differing / part.of)
        yield f"Most affected output: {worst.name}, {worst.differing:,} of {worst.of:,}."
    if tool is not None and tool.dii and found.task.labels:
        first = max(tool.classes, key=lambda row: (row.successes / row.seeds, row.seeds))
        yield f"Most affected class: '{first.name}', {first.successes} of {first.seeds} inputs searched."
    if one.needs:
        need = one.needs[0]
        yield f"Change that suffices most often: {words(need.distortions)} ({100 * (need.share.value or 0):.0f} %)."
    for finding in one.findings:
        yield f"{finding[0].upper()}{finding[1:]}."
    for layer in one.suspects:
        yield f"Layer {layer.layer} seems to be quantized wrongly: {layer.suspect}."


def _searching(one: Candidate) -> ToolResult | None:
    return next((tool for tool in reversed(one.tools) if tool.judged), None)


def _next(one: Candidate, found: Assessment) -> str:
    failing = {judgement.limit for judgement in one.judgements if judgement.verdict == "fail"}
    if one.verdict == "inconclusive" and any(judgement.limit == "float16_range" for judgement in one.judgements):
        return (
            "What to do: judge the outputs of the device itself (quantrift export-inputs and judge-outputs), or scale "
            "the original so that its values stay within the range of float16."
        )
    if one.verdict == "inconclusive":
        return f"What to do: {_more(one.judgements)}"
    if one.verdict == "pass":
        return (
            f"What to do: keep {one.dii_file} and run it on each new build (quantrift replay --compressed NEW "
            f"{one.dii_file}). Limits that matter to you may be tighter than those held here."
        )
    if one.findings:
        return "What to do: calibrate it on inputs like these, or give it the inputs that it was made for."
    if one.suspects:
        names = ", ".join(layer.layer for layer in one.suspects)
        return f"What to do: look at the scales and weights of {names} first, and convert again."
    if "lost_class" in failing:
        return "What to do: compare the last layer's weights, bias and order of classes with the original's."
    if "dead_output" in failing:
        return (
            "What to do: look at the weights and the scale of the outputs that never move. Values of different units, "
            "like boxes and scores, need outputs, and scales, of their own."
        )
    if {"max_disagreement", "max_accuracy_drop"} & failing and not found.task.labels:
        return (
            "What to do: check first that both networks take their inputs in the same form, and that their outputs "
            "have the same order and scale. Check then the data that the compressed one was calibrated on."
        )
    if {"max_disagreement", "max_accuracy_drop"} & failing:
        return (
            "What to do: check first that both networks take their inputs in the same form (order of channels, scale, "
            "mean). Check then the data that the compressed one was calibrated on, and try weights quantized channel "
            "by channel."
        )
    return (
        "What to do: unchanged inputs are fine, changed ones are not. Calibrate or fine-tune on inputs changed in "
        "these ways, or leave the worst layers in more bits."
    )


def _more(judgements: list[Judgement]) -> str:
    open_ones = [one for one in judgements if one.verdict == "inconclusive"]
    if any(one.needed is None for one in open_ones):
        return "give more inputs. How many cannot be said."
    most = max(open_ones, key=lambda one: one.needed or 0)
    option = f" and --seeds up to {most.seeds}" if most.seeds else ""
    return f"give about {between(most.needed_least, most.needed)} inputs{option}, or a limit farther from the figure."
