"""Row of a board: what an assessment, an audit, a certification and a mending say of one pair."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256, write_json
from quantrift.core.networks.audits.examined import examined
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.page.shared_columns import INPUTS, RATES
from quantrift.core.pairs.task import task_of
from quantrift.core.pairs.tasks.function import known
from quantrift.core.statistics.column import Column, key, with_interval
from quantrift.core.statistics.mended_networks import judged
from quantrift.judge.certify.run import WithinAssessment
from quantrift.judge.intake.dataclass_file import read_dataclass
from quantrift.judge.mend import latency
from quantrift.judge.mend.mending import Mending
from quantrift.judge.mend.run import mend
from quantrift.judge.mend.settings import Settings as MendSettings
from quantrift.judge.verdict.assessment import Assessment, Candidate, blamed
from quantrift.judge.verdict.profiles import Settings
from quantrift.judge.verdict.run import assess
from quantrift.judge.verdict.tool_result import CERTIFIED, SR, Rate
from quantrift.study.board.files import Files
from quantrift.study.board.pair import Pair
from quantrift.study.board.public_networks import same_marks

ROW, TIMING = "row.json", "row.timing.json"
ASSESSMENT, MENDING = "found/assessment", "found/mending"
"""Folders beside them."""
COMMAND = "quantrift board"
UNKNOWN = Rate(None, None, None)
NOT_RUN = "not run"
"""In place of a verdict."""
T = TypeVar("T")
# Code is never taken from a configuration or a result; this function is ours. Rows are judged and shown with it.
known("same_marks", same_marks)


@dataclass(frozen=True)
class Row:
    """A pair on the board. Fractions are 0 to 1; what is unknown is empty, and ``reasons`` says why."""

    pair: Annotated[str, key("pair", "Pair")]
    title: Annotated[str, Column("title", "Network", "text", "The original, and how it was compressed.")]
    verdict: Annotated[
        str, Column("verdict", "Verdict", "text", "Of an assessment with the quick profile; not run without inputs.")
    ] = NOT_RUN
    cause: Annotated[
        str, Column("cause", "Likeliest cause", "text", "First explanation of the disagreements that was found.")
    ] = ""
    inputs: Annotated[int | None, INPUTS] = None
    disagreement: Annotated[
        Rate,
        with_interval(Column("given", "As given", "fraction", "Inputs, unchanged, that disagree.")),
    ] = UNKNOWN
    drop: Annotated[
        Rate,
        with_interval(Column("drop", "Drop", "points", "Accuracy lost by compression.")),
    ] = UNKNOWN
    changed: Annotated[Rate, with_interval(replace(RATES["dir_valid"], name="changed", label="Natural changes"))] = (
        UNKNOWN
    )
    searched: Annotated[Rate, with_interval(replace(SR[0], name="searched", label="Search"))] = UNKNOWN
    foretold: Annotated[
        Rate,
        with_interval(Column("foretold", "Foretold", "fraction", "Inputs as given that disagree by the margin law.")),
    ] = UNKNOWN
    layer: Annotated[
        str, Column("layer", "Worst layer", "text", "The layer that adds most error of its own, of those compared.")
    ] = ""
    sqnr_db: Annotated[float | None, Column("sqnr_db", "Its own SQNR", "decibel")] = None
    int8_mac_share: Annotated[
        float | None, Column("int8_mac_share", "MACs in 8 bits", "fraction", "Multiply-accumulates in 8 bits.")
    ] = None
    findings: Annotated[
        int | None, Column("findings", "Findings", "count", "Faults that the audit of the compressed file names.")
    ] = None
    certified: Annotated[Rate, CERTIFIED] = UNKNOWN
    size: Annotated[int | None, Column("size", "Size", "bytes", "Of the compressed file.")] = None
    share_of_size: Annotated[
        float | None, Column("share_of_size", "Of the original", "fraction", "Size beside that of the original's file.")
    ] = None
    mended: Annotated[
        str, Column("mended", "Mending", "text", "State of a mending of a network that fails or is inconclusive.")
    ] = ""
    mended_rate: Annotated[
        Rate,
        with_interval(
            Column("mended_rate", "Mended", "fraction", "Disagreement of the mended network, given and changed inputs.")
        ),
    ] = UNKNOWN
    mended_size: Annotated[int | None, Column("mended_size", "Mended size", "bytes", "Of the mended file.")] = None
    source: Annotated[str, Column("source", "Published by", "text")] = ""
    licence: Annotated[str, Column("licence", "Licence", "text", "Of the network.")] = ""
    sha256: Mapping[str, str] = field(default_factory=dict)
    """Of the original, the compressed network and the inputs."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Name of a field that is empty -> why."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Distribution -> version, of what the assessment ran with."""


def write(name: str, pair: Pair, files: Files, out: Path) -> Row:
    """Judge a pair; writes ``row.json``, ``row.timing.json``, and the assessment and the mending to ``found``.

    Args:
        name: of the pair.
        pair: as the board states it.
        files: its files.
        out: folder.

    Raises:
        QuantriftError: a file is none of a network.
    """
    began = sum(os.times()[:4])
    reasons: dict[str, str] = {}

    def tried(quantity: str, ask: Callable[[], T]) -> T | None:
        try:
            return ask()
        except QuantriftError as error:
            # Folders have other names elsewhere, and those of files that were made each time.
            reasons[quantity] = re.sub(r"(?<!\S)/\S*/", "", str(error))
            return None

    digests = {one: sha256(path) for one, path in files._asdict().items() if isinstance(path, Path)}
    size, whole = (path.stat().st_size for path in (files.compressed, files.original))
    row = Row(name, pair.title, size=size, share_of_size=size / whole, source=pair.source, licence=pair.licence)
    if audit := tried("findings", lambda: examined(files.compressed)):
        row = replace(row, int8_mac_share=audit[0]["int8_mac_share"], findings=len(audit[1]))
    if files.inputs is None:
        reasons["verdict"] = pair.without
    else:
        settings = _settings(pair, files)
        asked = None if pair.certify is None else WithinAssessment(pair.certify, pair.certify_number, COMMAND)
        ask = partial(assess, files.original, [files.compressed], files.inputs, out / ASSESSMENT, settings, asked)
        if found := tried("verdict", ask):
            row = _assessed(row, found, found.candidates[0], reasons)
            row = _mended(row, tried("mended", partial(_mend, row, pair, files, settings, out)), pair, reasons)
    row = replace(row, sha256=digests, reasons=reasons)
    write_json(out / ROW, asdict(row))
    (out / "found").mkdir(exist_ok=True)
    write_json(out / TIMING, {"seconds": sum(os.times()[:4]) - began, "latency": latency.read(out / MENDING)})
    return row


def read(folder: Path) -> Row:
    """The row in the folder of a pair.

    Raises:
        QuantriftError: there is none, or it is damaged.
    """
    return read_dataclass(folder / ROW, Row, "a row of a board", COMMAND)


def _settings(pair: Pair, files: Files) -> Settings:
    form = replace(pair.form, mean=files.standard[0], std=files.standard[1]) if files.standard else pair.form
    return Settings(
        limits=pair.limits,
        form=form,
        space=form.space,
        task=next((task_of(name, own) for name, own in pair.task.items()), None),
        labels=pair.labels,
        array=pair.array,
        seeds=pair.seeds,
        generations=pair.generations,
        command=COMMAND,
    )


def _assessed(row: Row, found: Assessment, one: Candidate, reasons: dict[str, str]) -> Row:
    random, search = (
        next((tool for tool in one.tools if tool.judged and tool.samples == samples), None) for samples in (True, False)
    )
    layers = [layer for layer in one.layers if layer.added_sqnr_db is not None and layer.layer != OUTPUT]
    worst = min(layers, key=lambda layer: layer.added_sqnr_db or 0.0, default=None)
    certified = one.certified[0] if one.certified else None
    why = {
        "changed": None if random else "no natural changes of these inputs are known",
        "searched": None if search else "agreement as given decided",
        "drop": None if one.clean.drop else "no true labels",
        "foretold": None if one.clean.foretold.value is not None else one.clean.foretold_note or "no logits",
        "layer": None if worst else one.layers_note or "no layer of both files could be compared",
        "certified": None if certified else "not asked for",
    }
    reasons.update({name: text for name, text in why.items() if text})
    return replace(
        row,
        verdict=found.verdict,
        cause=next(iter([*one.findings, *blamed(one.layers)]), ""),
        inputs=found.inputs.number,
        disagreement=one.clean.disagreement,
        drop=one.clean.drop or UNKNOWN,
        changed=random.dir_valid if random else UNKNOWN,
        searched=search.sr if search else UNKNOWN,
        foretold=one.clean.foretold,
        layer=worst.layer if worst else "",
        sqnr_db=worst.added_sqnr_db if worst else None,
        certified=Rate(certified.share, certified.low, certified.high) if certified else UNKNOWN,
        versions=found.versions,
    )


def _mend(row: Row, pair: Pair, files: Files, settings: Settings, out: Path) -> Mending | None:
    if row.verdict == "pass" or pair.unmended or files.inputs is None:
        return None
    return mend(
        files.original,
        files.compressed,
        files.inputs,
        out / MENDING,
        MendSettings(**vars(settings), compare=False),
    )


def _mended(row: Row, found: Mending | None, pair: Pair, reasons: dict[str, str]) -> Row:
    if found is None:
        reasons.setdefault("mended", "it passes" if row.verdict == "pass" else pair.unmended or NOT_RUN)
        return row
    if found.mended is None:
        reasons["mended_size"] = "no file was written"
        return replace(row, mended=found.state)
    rates = {one.network: one.rate for one in found.fresh}
    rate = rates[judged(rates, written=True)] if rates else UNKNOWN
    return replace(row, mended=found.state, mended_rate=rate, mended_size=found.mended.bytes)
