"""Report of an assessment: ``report.html``, one self-contained page."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.graphs.input_sides import Kind
from quantrift.core.networks.layer_tensors import OUTPUT
from quantrift.core.networks.runtime import names
from quantrift.core.networks.ways import in_words
from quantrift.core.page.field_columns import write_csv
from quantrift.core.page.provenance import processor
from quantrift.core.page.results_page import Section, render
from quantrift.judge.verdict import assessment as told
from quantrift.judge.verdict import charts, dii_file, page_tables
from quantrift.judge.verdict.answer import answer, seen
from quantrift.judge.verdict.assessment import REPORT, Assessment, Candidate, Model, read
from quantrift.judge.verdict.candidate_searches import DATASET, MODEL
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.stored_inputs import disagreement_lines
from quantrift.judge.verdict.tool_result import CERTIFICATES

READING = (
    "Intervals, in brackets, are 95 %: Clopper and Pearson for shares of inputs, Wilson for SR, Korn and Graubard over "
    "seed inputs for DiR of valid changes, Bonett and Price for accuracy, otherwise a bootstrap over seed inputs. “Not "
    "run” and a dash mark values that do not exist."
)
_SHOWN: Mapping[Kind, str] = {
    "image": "the seed input, what was found, where they differ (bright)",
    "signal": "the seed input, what was found, their difference",
    "table": "the features that changed, before and after",
}
"""Kind of the inputs -> content of a row of a gallery."""

UNKNOWN = "unknown, as it is a function called from Python"


@dataclass(frozen=True)
class _Files:
    """Files of the tables and figures of a page."""

    folder: Path
    diagnoses: Diagnoses = field(default_factory=Diagnoses)

    def table(self, name: str, table: page_tables.Table, without: frozenset[str] = frozenset()) -> dict[str, Any]:
        """The rows as CSV, if there are any, and all columns, as a section takes them.

        Columns in which no row has a value are left out of the file too.
        """
        columns, rows = table
        given = tuple(
            column
            for column in columns
            if column.name not in without and any(row[column.name] not in (None, "") for row in rows)
        )
        return {
            "table_csv": write_csv(self.folder / f"{name}.csv", given, rows) if rows else None,
            "columns": columns,
        }

    def figure(self, name: str, draw: Callable[[Path], object]) -> Path | None:
        """The figure as SVG that ``draw`` writes, given its path without suffix; ``None`` where it wrote none."""
        self.diagnoses(f"figure '{name}'", None, draw, self.folder / name)
        svg = self.folder / f"{name}.svg"
        return svg if svg.is_file() else None


def written(found: Assessment, folder: Path) -> Assessment:
    """Write ``assessment.json`` and ``report.html`` to a folder.

    Returns:
        The assessment, which also names what of the page failed, or the page itself.
    """
    told.write(found, folder)
    diagnoses = Diagnoses()
    failed = diagnoses(REPORT, found.failed, write, folder)
    if diagnoses.failed or failed != found.failed:
        found = replace(found, failed=[*failed, *diagnoses.failed])
        told.write(found, folder)
    return found


def write(folder: Path) -> list[str]:
    """Write ``report.html`` to the folder of an assessment, from ``assessment.json`` and the files that it names.

    Returns:
        The diagnoses that failed, those of the page too.

    Raises:
        QuantriftError: if the files cannot be read.
    """
    found = read(folder)
    with temporary_folder() as rooms:
        files = _Files(Path(rooms))
        sections = list(_sections(found, folder, files))
        failed = list(dict.fromkeys([*found.failed, *files.diagnoses.failed]))
        if failed:
            sections.insert(
                1,
                Section("failed", "What could not be computed", "The verdict stands without it.", items=tuple(failed)),
            )
        render(
            f"May {', '.join(one.name for one in found.candidates)} stand for {found.original.file}?",
            found.profile,
            (),
            sections,
            {
                "command": found.command,
                "versions": found.versions,
                "processor": processor(Path("/proc/cpuinfo")),
                "sha256": _digests(found),
            },
            folder / REPORT,
            lead="\n\n".join("\n".join(answer(one, found)) for one in found.candidates),
            verdict=found.verdict,
            picture=None
            if found.inputs.kind == "table"
            else files.figure("lead", lambda stem: _worst(found, folder, stem)),
            chip=f"{found.profile} profile",
            reading=READING,
        )
    return failed


def _sections(found: Assessment, folder: Path, files: _Files) -> Iterator[Section]:
    alone = frozenset({"candidate"}) if len(found.candidates) == 1 else frozenset[str]()
    prefix = {one.name: "" if alone else f"{one.name}: " for one in found.candidates}
    yield Section(
        "verdict",
        "State of the evidence",
        f"The models agree on an input if {found.task.definition}. A changed input counts only if it is valid, that "
        "is, still near the input that it was made from. A limit is kept if the upper end of the 95 % interval lies "
        "below it. It is exceeded if the lower end lies above it. Otherwise it is not decided. A model passes if it "
        "keeps every limit.",
        **files.table("judgements", page_tables.judgements(found), alone),
        notes=(
            *found.notes,
            *(f"{prefix[one.name]}{' '.join(seen(one, found))}" for one in found.candidates),
        ),
    )
    yield Section("assumed", "What was assumed", _given(found), items=tuple(found.assumed))
    yield Section(
        "clean",
        "The inputs as given",
        f"Without any change. {_accuracy(found)}.",
        **files.table("clean", page_tables.clean(found), alone),
    )
    yield Section(
        "rates",
        "Natural changes against noise",
        "How often valid changes disagree (DiR) and from how many seed inputs each tool reached a disagreement (SR). "
        "Lines on the bars are 95 % intervals, and dashed lines are the limits. The limit on DiR applies to random "
        "sampling alone, because a search looks for disagreements. Searches with noise end with their first "
        "disagreement, so their DiR says little; their numbers of queries say more. TriggerFinder changes images "
        "without a limit, often beyond recognition. It shows how near the models' decision boundaries are, and is not "
        "judged.",
        **files.table("rates", page_tables.rates(found), alone),
        figure_svg=files.figure("rates", lambda stem: charts.rates(found, stem)),
    )
    if any(one.certified for one in found.candidates):
        yield Section(
            "certified",
            "Where no disagreement exists",
            "Certified: both models were run on every image of the neighbourhood of an input, on this type of "
            "processor, and gave the same label each time. Proven, of boxes: bounds on the arithmetic of both show it. "
            "Nothing is said about other images, and no limit depends on it.",
            items=tuple(f"{one.name}/{CERTIFICATES}: certificates and counterexamples" for one in found.candidates),
            **files.table("certified", page_tables.certified(found), alone),
        )
    if found.ranking:
        yield Section(
            "ranking",
            "Which compressed model is nearest to the original",
            found.ranking.text,
            items=(f"Fewest disagreements first: {', '.join(found.ranking.order)}.",),
            **files.table("ranking", page_tables.comparisons(found)),
            notes=("SR by McNemar's exact test, DiR by sign flips of signed ranks, both on the same seed inputs.",),
        )
    for number, one in enumerate(found.candidates):
        yield from _of_model(one, f"model{number}", prefix[one.name], folder, files, found)
    if any(one.clean.margins for one in found.candidates):
        yield Section(
            "margins",
            "How sure the models are",
            "Where the likeliest class is hardly ahead of the next, little is needed to change the answer.",
            **files.table("margins", page_tables.margins(found)),
            figure_svg=files.figure("margins", lambda stem: charts.margins(found, stem)),
        )
    yield Section(
        "repeat",
        "How to repeat it",
        "The same files, command and versions give the same figures on the same type of processor.",
        items=(
            found.command,
            *(_replay(found, one, tool.records) for one in found.candidates for tool in one.tools),
            *(f"{name} {version}" for name, version in found.versions.items()),
            *(f"{name}: sha256 {digest}" for name, digest in _digests(found).items()),
            *(f"{one.file}: run by {in_words(one.runtime)}" for one in _models(found) if one.runtime in names()),
        ),
        notes=("DIR is the folder that holds this page.",),
    )


def _accuracy(found: Assessment) -> str:
    """What accuracy means under a task, or that it was not measured."""
    if found.task.labels:
        return "Models of equal accuracy may still disagree"
    if not found.inputs.labelled:
        return "Accuracy: not measured, as no true outputs were given"
    return f"Accuracy: {found.task.accuracy}; an output is right if it is {found.task.right}"


def _of_model(
    one: Candidate, key: str, prefix: str, folder: Path, files: _Files, found: Assessment
) -> Iterator[Section]:
    """Sections on a single model of an assessment."""
    kind, labels = found.inputs.kind, found.task.labels
    for name, title, caption, table in (
        (
            "outputs",
            "Which outputs differ as given",
            "Each output, label or class of boxes on the inputs as given: how often the models do not agree on it, and "
            "how large its absolute difference is.",
            page_tables.outputs,
        ),
        (
            "flipped",
            "Which classes lose inputs as given",
            "Inputs to which the original gives the class, and those of them that get another class.",
            page_tables.flipped,
        ),
        (
            "distortions",
            "Which changes lead to disagreements",
            "Odds that a change is switched on in disagreements, divided by its odds in the other valid candidates. "
            "Only seed inputs on which the models agree count. Above 1 the change favours disagreements; an interval "
            "that holds 1 leaves it open.",
            page_tables.odds,
        ),
        (
            "needs",
            "Which few changes suffice",
            "Disagreements were reduced to the smallest sets of their changes that still make the models disagree.",
            page_tables.needs,
        ),
        (
            "classes",
            "Which classes lead to disagreements",
            "Classes from whose seed inputs nothing was found are left out.",
            page_tables.classes,
        ),
        (
            "confusions",
            "Which labels are exchanged",
            "Pairs of labels in all disagreements.",
            page_tables.confusions,
        ),
    ):
        # Classes of another task are but agreement and disagreement.
        if labels or name not in {"flipped", "classes", "confusions"}:
            yield from _tabled(f"{key}_{name}", f"{prefix}{title}", caption, table(one), files)
    yield _layers(one, key, prefix, files)
    if drawn := files.figure(f"{key}_gallery", lambda stem: gallery(one, folder, labels, stem)):
        yield Section(
            f"{key}_gallery",
            f"{prefix}What disagreements look like",
            f"Some of the stored disagreements: {_SHOWN[kind]}, and both answers. All of them: {one.dii_file}.",
            figure_svg=drawn,
        )
    yield from _tabled(
        f"{key}_shrunk",
        f"{prefix}Shrunk examples",
        "Single disagreements, with the smallest sets of their changes that suffice.",
        page_tables.shrunk(one, labels),
        files,
    )


def _worst(found: Assessment, folder: Path, stem: Path) -> None:
    """Draw one disagreement of a network that the verdict is about."""
    one = next((one for one in found.candidates if one.verdict == found.verdict), found.candidates[0])
    gallery(one, folder, found.task.labels, stem, most=1)


def gallery(one: Candidate, folder: Path, labels: bool, stem: Path, most: int = charts.SHOWN) -> None:
    """Draw disagreements of a network as ``stem.svg`` and ``stem.png``, where it has any.

    Args:
        one: the network.
        folder: of the assessment.
        labels: whether labels are compared.
        stem: where to draw.
        most: disagreements to draw.
    """
    arrays = dii_file.read(folder / one.dii_file)
    charts.gallery(
        one,
        arrays,
        Inputs.load(Paths(folder / one.records).inputs(DATASET, MODEL)),
        stem,
        None if labels else disagreement_lines(arrays, folder / one.dii_file),
        most,
    )


def _tabled(key: str, title: str, caption: str, table: page_tables.Table, files: _Files) -> Iterator[Section]:
    """A section with a table; none where it would be empty."""
    if table[1]:
        yield Section(key, title, caption, **files.table(key, table))


def _layers(one: Candidate, key: str, prefix: str, files: _Files) -> Section:
    title = f"{prefix}In which layers disagreements arise"
    if not one.layers:
        return Section(f"{key}_layers", title, one.layers_note or "No layer of both models could be compared.")
    known = [
        (layer.sqnr_db, layer.layer) for layer in one.layers if layer.sqnr_db is not None and layer.layer != OUTPUT
    ]
    lines = [f"layer {layer.layer}: {layer.suspect}" for layer in one.suspects]
    if known:
        ratio, worst = min(known, key=lambda layer: layer[0])
        lines.append(f"Furthest from the original before the output: {worst}, {ratio:.1f} dB on the inputs given.")
    return Section(
        f"{key}_layers",
        title,
        "Each model runs on its own, so a layer's error includes the errors of the layers before it. A dash means that "
        "both outputs are equal, or have no finite values in common.",
        items=tuple(lines),
        notes=(
            "Where one file ends in a softmax and the other does not, their outputs differ by a number that changes no "
            "label. The row of the output then says little.",
        ),
        **files.table(f"{key}_layers", page_tables.layers(one)),
        figure_svg=files.figure(f"{key}_layers", lambda stem: charts.layers(one, stem)),
    )


def _given(found: Assessment) -> str:
    given, (low, high), (_, steps, channels) = found.inputs, found.inputs.range, found.inputs.shape
    classes = f"{len(given.classes)} classes, " if found.task.labels else ""
    of_kind = {
        "image": f"inputs of shape {' by '.join(map(str, given.shape))}",
        "signal": f"signals of {steps} steps and {channels} channels",
        "table": f"rows of a table with {channels} features",
    }[given.kind]
    return (
        f"{given.number} {of_kind} between {low:g} and {high:g}, "
        f"{classes}{'with' if given.labelled else 'without'} labels; searches start from "
        f"{found.seeds} of them{_along(found)}. If a line is wrong, so is everything below."
    )


def _along(found: Assessment) -> str:
    """Clause on inputs that were carried along, where there are any, and on outputs that were chosen."""
    given, outputs = found.inputs, [f"'{name}'" for name in found.task.outputs]
    carried = f" and change '{given.changed}' alone: each keeps its own {', '.join(given.carried)}"
    compared = f"{' and '.join(outputs)} alone {'is' if len(outputs) == 1 else 'are'} compared"
    return f"{carried if given.carried else ''}{f'; of the outputs of both models, {compared}' if outputs else ''}"


def _replay(found: Assessment, one: Candidate, records: str) -> str:
    """How the records of a tool are replayed: networks that are no files have to be given from Python."""
    if found.original.bytes is None or one.model.bytes is None:
        return f"quantrift.api.replay('DIR/{records}', ...), with functions that run the networks that are no files"
    return f"quantrift replay DIR/{records}"


def _models(found: Assessment) -> list[Model]:
    return [found.original, *(one.model for one in found.candidates)]


def _digests(found: Assessment) -> dict[str, str]:
    return {one.file: one.sha256 or UNKNOWN for one in _models(found)} | {found.inputs.file: found.inputs.sha256}
