"""Compressed networks mended: quantized anew with the fewest layers in float, judged on inputs of their own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from quantrift.core.base.files import read_json
from quantrift.core.page.shared_columns import SUBJECT
from quantrift.core.settings.references import SubjectsId
from quantrift.core.statistics.column import SCALE, Column, frame, key
from quantrift.core.statistics.mended_networks import COUNTED, FILE, GIVEN, SIZE, judged
from quantrift.study.results.tables.answer_words import Cells, Words, by_subject
from quantrift.study.results.tables.finished_table import Table
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.protocol_checks import Whole
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import SubjectTarget


class Settings(SubjectTarget):
    """Compressed networks beside those that are quantized anew with layers in float."""

    subjects: list[SubjectsId]
    """Groups of subjects; each job takes minutes, so they are named."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Outcome of the mending of each compressed network."""
    return {
        "mended": {
            name: [file.with_name(FILE) for file in files] for name, files in results.compressed(settings).items()
        }
    }


def mistakes(settings: Settings, whole: Whole) -> Iterator[str]:
    """Originals must run on LiteRT, whose files are quantized anew."""
    for group in settings.subjects:
        for name in whole.subjects[group].compression:
            method = whole.compressions.get(name)
            if method is not None and method.original_runtime != "litert":
                yield (
                    f"subjects: '{group}' has '{name}', beside an original on {method.original_runtime}; mended are "
                    "compressions with original_runtime: litert"
                )


COLUMNS = (
    *SUBJECT,
    key("network", "Quantized", "The compressed network as given, or how it was quantized anew.", "text"),
    *SIZE,
    *COUNTED,
    Column("units", "Units", "count", "Layers that can be in 8 bits, each with what only moves its values."),
    Column("fresh_inputs", "Given inputs", "count", "Inputs as given of the verdict; nothing was chosen by them."),
    Column("verdict", "Verdict", "text", "Of an assessment with searches, on the same inputs."),
    SCALE,
)


def make(settings: Settings, given: Given) -> Table:
    """A row for each network of each subject."""
    return Table(
        frame(
            (row | {"scale": given.scale} for name, path in given.one("mended").items() for row in _rows(name, path)),
            COLUMNS,
        ),
        COLUMNS,
        [
            f"Scale: {given.scale}. Run seeds: none, each network is mended once. A verdict stands beside the mended "
            "network, or beside the one all in 8 bits where nothing had to stay in float. Where there was nothing to "
            "mend, or nothing helped, it stands beside the network as given.",
            'Intervals are 95 %, by Korn and Graubard: an input counts with its changes. Networks "of equal size" have '
            "as many units of another order in float as keep their weights no larger than the mended ones.",
        ],
    )


def answer(settings: Settings, rows: Sequence[Cells], words: Words) -> Iterable[str]:
    """Of each subject the disagreements before and after, and the units in float."""
    for own in by_subject(rows):
        before = [row for row in own if row["network"] == GIVEN]
        after = [row for row in own if row["verdict"] and row["network"] != GIVEN]
        anew = (
            f", {words.cells(after, 'rate')} quantized anew; units in float: {words.cells(after, 'kept')}, "
            f"multiply-accumulates in 8 bits: {words.cells(after, 'int8_mac_share')}"
        )
        yield f"{words.where(own)}: {words.cells(before, 'rate')} disagree as given{anew if after else ''}."


def _rows(name: tuple[str, ...], path: Path) -> Iterator[dict[str, Any]]:
    facts = read_json(path)
    with_verdict = judged([one["network"] for one in facts["fresh"]], facts["mended"] is not None)
    for one in facts["fresh"]:
        yield {
            **{column.name: part for column, part in zip(SUBJECT, name, strict=True)},
            **{column: one[column] for column in ("network", "kept", "size", "int8_mac_share", "events", "cases")},
            "rate": one["rate"]["value"],
            "rate_low": one["rate"]["low"],
            "rate_high": one["rate"]["high"],
            "units": facts["units"],
            "fresh_inputs": facts["split"]["fresh"],
            "verdict": facts["verdict"] if one["network"] == with_verdict else "",
        }
