"""Repair: disagreements removed by training a compressed network on others, and the cost."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from quantrift.core.page.number_format import whole as with_commas
from quantrift.core.page.shared_columns import SEARCHED, estimate, searched
from quantrift.core.settings.compressions import Rounding, trains
from quantrift.core.settings.references import ExperimentId
from quantrift.core.statistics.column import SCALE, Column, frame, with_interval
from quantrift.core.statistics.repair_shares import Repair, read
from quantrift.core.statistics.search_files import by_tool
from quantrift.study.results.tables.answer_words import Cells, Words, by, by_subject, single
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import ToolTarget


class Settings(ToolTarget):
    """Disagreements removed by training on others, and the cost."""

    from_: Annotated[list[ExperimentId], Field(alias="from", min_length=1)]
    """Experiments whose searches are used, on compressions that are trained."""


needs = asks("repaired", repaired=Results.made_of_searches)


def mistakes(settings: Settings, whole: Whole) -> Iterator[str]:
    """Compressed networks must come from a method that trains."""
    able = ", ".join(name for name, method in whole.compressions.items() if trains(method))
    for name in settings.experiments:
        for compression in whole.subjects[whole.experiments[name].subjects].compression:
            method = whole.compressions.get(compression)
            if method is None or not trains(method):
                reason = "is a file" if method is None else f"method {method.method} does not train"
                if isinstance(method, Rounding):
                    reason = f"form {method.form} does not train; take form: trained"
                yield (
                    f"from: experiment '{name}' searches '{compression}', which cannot be trained on ({reason}); "
                    f"valid: {able}"
                )


COLUMNS = (
    *SEARCHED,
    Column("learned_inputs", "Inputs learned", "count", "Seed inputs of the training half."),
    Column("learned_dii", "DIIs learned", "count", "Difference-inducing inputs of these seed inputs."),
    Column(
        "learned_share",
        "Learned, gone",
        "fraction",
        "Share of the DIIs learned on which the models agree after the repair.",
    ),
    Column("judged_inputs", "Inputs judged", "count", "Seed inputs of the other half."),
    Column("judged_dii", "DIIs judged", "count", "Difference-inducing inputs of these seed inputs."),
    Column(
        "n_repaired",
        "Repaired",
        "count",
        "Difference-inducing inputs of the other half on which the models agree after the repair.",
    ),
    *with_interval(
        Column(
            "repaired_share",
            "Repaired share",
            "fraction",
            "Share of the DIIs judged on which the models agree after the repair.",
        ),
        rests_on="repaired_share_rests_on",
    ),
    *with_interval(
        Column(
            "control_share",
            "Control",
            "fraction",
            "The same share for the control, which took as many steps on the seed inputs in place of what was found.",
        ),
        rests_on="control_share_rests_on",
    ),
    Column("test_inputs", "Test inputs", "count", "Test inputs that are no seed input of the training half."),
    Column("accuracy", "Accuracy", "fraction", "Correctly classified test inputs."),
    Column(
        "accuracy_repaired",
        "Accuracy repaired",
        "fraction",
        "Of the repaired model, on the test inputs that it has not seen.",
    ),
    Column("accuracy_control", "Accuracy control", "fraction", "Of the control, on the same test inputs."),
    Column("flips", "Flips", "count", "Test inputs on which original and compressed model disagree."),
    Column("flips_repaired", "Flips repaired", "count", "Test inputs on which original and repaired model disagree."),
    Column("flips_control", "Flips control", "count", "Test inputs on which original and control disagree."),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each subject and tool."""
    data = frame(
        (
            searched(about) | _row(read(file)) | {"scale": given.scale}
            for about, [file] in by_tool(given.files["repaired"]).items()
        ),
        COLUMNS,
    )
    return Table(
        data,
        COLUMNS,
        [
            (
                f"Scale: {given.scale}. Each network is repaired once, by training on half of the seed inputs that "
                f"have a difference-inducing input; {with_commas(int(data['judged_dii'].sum()))} of the other half are "
                "judged."
            )
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """The share of judged disagreements that are gone, beside the control, and the accuracies."""
    return [
        f"{words.where(own)}, found by {words.name(own[0]['tool'])}: {words.cells(own, 'repaired_share')} of the "
        f"other disagreements gone, {words.cells(own, 'control_share')} after as much training without them; accuracy "
        f"{words.cells(own, 'accuracy')} before and {words.cells(own, 'accuracy_repaired')} after."
        for of_tool in by(rows, "tool").values()
        for own in by_subject(single(of_tool, "repaired_share", "control_share"))
    ]


def _row(one: Repair) -> dict[str, Any]:
    facts = one.facts
    row: dict[str, Any] = {
        **{name: facts[name] for name in ("learned_inputs", "learned_dii", "test_inputs")},
        **{"judged_inputs": one.inputs, "judged_dii": one.dii, "n_repaired": one.gone("repaired")},
        **{name: facts["before"][name] for name in ("accuracy", "flips")},
    }
    for side in ("repaired", "control"):
        own = {f"{name}_{side}": facts[side][name] for name in ("accuracy", "flips")}
        row |= own | estimate(f"{side}_share", one.share(side))
    if facts["learned_dii"]:
        row["learned_share"] = facts["repaired"]["learned"] / facts["learned_dii"]
    return row
