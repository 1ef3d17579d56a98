"""Compare the results of a configuration with the claims of the papers (config/claims.yaml).

Each claim names the table that tests it and the rule that decides. It holds where most cells of the table hold and none
fails, in part where some do, and fails in the reverse case. It is mixed where some cells hold and others fail,
undecided where the data carry neither, not testable where a setting is smaller than published, and missing where its
table was not made. Beside that stands the outcome that this code had at the same scale before. It exits with 0 where
all outcomes are the expected ones, be it an honest `fails`, and with 1 where one is not.

Results that somebody else made are judged with --results: their folder, or a .zip of its tables.
"""

import argparse
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from quantrift.cli.planning import options
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import read_json
from quantrift.core.base.grouped import grouped
from quantrift.core.base.limits import check_unpacked
from quantrift.core.base.paths import Paths
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.page.arrangement import records
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config
from quantrift.study.results.tables.kinds.claims import Judged, judged
from quantrift.study.results.targets.claim import Claim, ClaimsTarget

EXAMPLES = """examples:
  quantrift verify-claims --configfile config/config.yaml     the demo, after `make`
  quantrift verify-claims --configfile config/sample.yaml
  quantrift verify-claims --configfile config/paper.yaml --results theirs.zip
"""


OPTIONS = {
    "--configfile": {
        "type": Path,
        "nargs": "+",
        "required": True,
        "metavar": "FILE",
        "help": "configuration of the results",
    },
    "--results": {
        "type": Path,
        "metavar": "PATH",
        "help": "results that somebody else made: a results folder, or a .zip of its tables (results/SCALE)",
    },
}
TABLES = (".csv", ".columns.json", ".provenance.json")
"""Endings of the files of a table that are taken from a .zip."""


def run(given: argparse.Namespace) -> int:
    """0 where all outcomes are the expected ones, 1 where they are not."""
    config = options.configuration(given.configfile)
    with ExitStack() as stack:
        root = given.results or Path("results") / config.scale
        if given.results and not root.is_dir():
            root = _unpacked(root, Path(stack.enter_context(temporary_folder())))
        if given.results:
            print(*_origin(given.results, root, config), "", sep="\n")
        found = list(judge(config, Paths(root)))
    print(*report(found, config.scale), sep="\n")
    return int(any(one.surprising for one in found))


def _unpacked(path: Path, folder: Path) -> Path:
    """``folder`` with the tables of a .zip, whatever folders they lie in there.

    Raises:
        QuantriftError: it is no .zip file, has no tables, or has two of a name.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            tables = [one for one in archive.infolist() if one.filename.endswith(TABLES)]
            check_unpacked(path, sum(one.file_size for one in tables))
            names = [PurePosixPath(one.filename).name for one in tables]
            twice = [name for name, count in Counter(names).items() if count > 1]
            refuse(
                (bool(twice), f"{path}: holds {', '.join(twice[:3])} twice; pack the tables of one run"),
                (not tables, f"{path}: holds no tables; pack the folder results/SCALE/tables"),
            )
            (folder / "tables").mkdir()
            for one, name in zip(tables, names, strict=True):
                (folder / "tables" / name).write_bytes(archive.read(one))
    except (OSError, zipfile.BadZipFile) as error:
        raise QuantriftError(f"{path}: neither a folder nor a .zip file that can be read ({error})") from None
    return folder


def _origin(path: Path, root: Path, config: Config) -> Iterator[str]:
    """Lines on the commits and processors that the tables below ``root`` name in their provenance.

    Args:
        path: what was given, for messages.
        root: the results folder.
        config: the configuration.

    Raises:
        QuantriftError: there are none, or they are of another scale than the configuration.
    """
    tables = sorted({Paths(root).table(claim.target).with_suffix(".csv") for _, claim in _claims(config)})
    made = [table for table in tables if table.is_file()]
    refuse((not made, f"{path}: has none of the tables that test claims in a folder 'tables'"))
    scales = {row["scale"] for table in made for row in records(table)[:1] if row.get("scale")}
    refuse(
        (
            bool(scales - {config.scale}),
            f"{path}: its tables are of scale {', '.join(sorted(scales))}, and the configuration is of "
            f"{config.scale}; give the configuration that they were made with",
        )
    )
    facts = [read_json(file) for file in sorted((root / "tables").glob("*.provenance.json"))]
    cpus = [fact.get("cpu") for fact in facts]
    said = {
        "commits": [fact.get("commit") for fact in facts],
        "processors": [cpu.get("model") if isinstance(cpu, dict) else cpu for cpu in cpus],
    }
    for label, names in said.items():
        seen = {str(name or "unknown") for name in names or [None]}
        yield f"{label} that the tables name: {', '.join(sorted(seen))}"
    if any(fact.get("dirty") for fact in facts):
        yield "some were made with changes that are in no commit"


def judge(config: Config, paths: Paths) -> Iterator[Judged]:
    """The claims of a configuration in their order, judged by the tables in its results folder."""
    results = Results(config, paths)
    for name, claim in _claims(config):
        table = paths.table(claim.target).with_suffix(".csv")
        made = table if table.is_file() else None
        yield judged(name, claim, made, config.scale, claim.smaller(results))


def _claims(config: Config) -> Iterator[tuple[str, Claim]]:
    """All claims by name, in their order."""
    for target in config.targets.values():
        if isinstance(target, ClaimsTarget):
            yield from target.claims.items()


def report(found: Sequence[Judged], scale: str) -> list[str]:
    """Lines for people: each work with its claims, then the sums."""
    works = grouped((one.claim.group, line) for one in found for line in _lines(one))
    sums = Counter(one.outcome for one in found)
    stated = sum(one.expected is not None for one in found)
    surprises = ", ".join(one.name for one in found if one.surprising)
    as_expected = f"as expected: all {stated} outcomes for which an expectation is stated at this scale"
    return [
        *(line for work, lines in works.items() for line in (work, *lines)),
        "",
        f"scale {scale}: " + ", ".join(f"{sums[name]} {name}" for name in sorted(sums)),
        f"not as expected: {surprises}" if surprises else as_expected,
    ]


def _lines(one: Judged) -> Iterator[str]:
    cells = ", ".join(f"{count} {name}" for name, count in sorted(one.cells.items()))
    beside = f"expected {one.expected}" if one.expected else "no expectation stated at this scale"
    mark = "  <- not as expected" if one.surprising else ""
    yield f"  {one.outcome:<13}  {one.name} ({one.claim.place}; {beside}){mark}"
    inner = {
        one.claim.sentence: True,
        f"{one.claim.target}: {cells}; first: {one.decided[0].values if cells else ''}": cells,
        f"{one.claim.target} was not made": not cells,
        f"published: {one.claim.published}": one.claim.published,
        f"why: {one.why}": one.why,
    }
    yield from (f"                 {line}" for line, said in inner.items() if said)
