"""Pages of documents, from their sources: ``python -m tools.pages [--all] [NAME ...]`` (`make pages`).

Each page with tables or numbers that follow from code, configuration, kept results or measurements is a template of
jinja2 in docs/_sources. Blocks that take minutes or another environment lie beside them, in ``blocks``: ``NAME`` makes
such a block, or another file that is kept, anew. All pages are then rendered.

A number of a table is quoted like ``{{ quoted("diverget_table4.dir", "%", tool="pso_div", dataset="salinas_a") }}``.
"""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from pathlib import Path
from statistics import fmean

from tools.benchmarks import (
    bounds,
    bugs,
    plan,
    shipped,
    verdicts,
)
from tools.benchmarks.benchmark import RESULTS, result
from tools.documents import (
    artifact,
    board_page,
    examples,
    front,
    kept_results,
    locked_packages,
    schema,
    targets_page,
    thesis,
    tried_formats,
)
from tools.documents.kept_results import kept
from tools.markdown import SOURCES, render

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import write_csv, write_file, write_json
from quantrift.core.page.number_format import number
from quantrift.study.planning import measured_rates
from quantrift.study.planning.configuration_files import ROOT

BLOCKS = SOURCES / "blocks"
DOCS = ROOT / "docs"
OF_SEVERAL: Mapping[str, Callable[[Sequence[float]], float]] = {"min": min, "max": max, "mean": fmean}
Rows = Callable[[str], Sequence[Mapping[str, str]]]


def quoted(cell: str, form: str, reduced: str = "", rows_of: Rows = kept, **where: str) -> str:
    """A number of a kept table, as a document shows it.

    Args:
        cell: ``TABLE.COLUMN``.
        form: ``%`` for percent with one decimal, ``%0`` without, ``.N`` for N decimals, ``d`` for whole numbers,
            ``e`` for one digit and a power of ten, ``text`` for the cell itself.
        reduced: ``min``, ``max``, ``mean`` or ``count`` of several rows.
        rows_of: gives the rows of a table.
        where: values of other columns that single out one row.

    Raises:
        QuantriftError: no row, or more than one, is meant; or the table lacks a column, or there is no such format.
    """
    table, _, column = cell.partition(".")
    rows = rows_of(table)
    known = rows[0].keys() if rows else ()
    if missing := [name for name in (column, *where) if name not in known]:
        raise QuantriftError(f"quote of {table}: it has no column '{missing[0]}'")
    found = [row[column] for row in rows if all(row[key] == value for key, value in where.items())]
    if reduced == "count":
        return str(len(found))
    cells = [one for one in found if one != ""]
    if not cells or (len(cells) > 1 and not reduced):
        stated = ", ".join(f"{key}={value}" for key, value in where.items())
        raise QuantriftError(f"quote of {cell}: {len(cells)} rows have {stated}; name one")
    if form == "text":
        return cells[0]
    values = [value for one in cells if (value := number(one)) is not None]
    if len(values) < len(cells):
        raise QuantriftError(f"quote of {cell}: '{cells[0]}' is no number; use the format text")
    return formatted(OF_SEVERAL[reduced](values) if reduced else values[0], form)


def formatted(value: float, form: str) -> str:
    """A number in one of the formats of a quote; halves are rounded away from zero, as people round.

    Raises:
        QuantriftError: there is no such format.
    """
    if not re.fullmatch(r"%0?|[de]|\.\d", form):
        raise QuantriftError(f"quote: no format '{form}'; use %, %0, .N, d, e or text")
    decimals = {"%": 1, "%0": 0, "d": 0}.get(form, int(form[-1]) if form[-1].isdigit() else 0)
    exact = Decimal(str(value)) * (100 if "%" in form else 1)
    rounded = exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return {"d": f"{rounded:,}", "e": f"{value:.0e}"}.get(form, str(rounded)).replace("-", "\u2212")


CALLED: dict[str, Callable[..., str]] = {
    "board": board_page.text,
    "quoted": quoted,
    "checkers": kept_results.checkers_text,
    "claims": artifact.claims,
    "claims_sentence": kept_results.claims_sentence,
    "data": artifact.data,
    "values": artifact.values,
    "bounds": lambda: bounds.text(bounds.measured(ROOT)),
    "formats": tried_formats.text,
    "kept_claims": kept_results.claims_text,
    "perceptron": lambda: thesis.perceptron(thesis.measured()),
    "perceptron_entry": lambda: thesis.entry(thesis.measured()),
    "thesis": lambda: thesis.table_of_perceptrons(thesis.trained(ROOT)),
    "thesis_vgg16": lambda: thesis.table_of_vgg16(thesis.first_epochs(ROOT)),
    "targets": lambda: targets_page.text(artifact.configurations()),
}
"""Functions that sources call."""
MEASURED = {
    "bugs": bugs.text,
    "shipped": shipped.text,
    "verdicts": verdicts.text,
}
"""Benchmark -> its block, from rows of results/bench."""


def measure(name: str) -> str:
    """The block of a benchmark that has run."""
    return MEASURED[name](result(Path.cwd(), name)["rows"])


MADE: dict[str, Callable[[], str]] = {
    **{name: partial(measure, name) for name in MEASURED},
    "certifying": partial(examples.CERTIFYING.block, ("assumed",)),
    "mending": partial(examples.MENDING.block, ("latency", "assumed")),
    "costs_demo": partial(artifact.costs, "demo"),
    "costs_paper": artifact.decided_at_paper_scale,
    "costs_sample": partial(artifact.costs, "sample"),
    "licences": partial(locked_packages.licences_text, ROOT),
    "plan": lambda: plan.text(plan.judged(measured_rates.committed(), plan.published()).details),
}
"""Blocks that are kept as files."""
KEPT: dict[str, Callable[[], None]] = {
    **{name: partial(lambda name: write_file(BLOCKS / f"{name}.md", MADE[name]() + "\n"), name) for name in MADE},
    "board": board_page.keep,
    "bounds": lambda: write_json(bounds.KEPT, bounds.measured(Path.cwd())),
    "front": front.keep,
    "conda": lambda: write_file(locked_packages.CONDA, locked_packages.conda(ROOT)),
    "formats": lambda: write_csv(tried_formats.KEPT, ("format", "task", "command", "outcome"), tried_formats.tried()),
    "schema": lambda: schema.write(ROOT / "workflow" / "schemas"),
    "thesis": thesis.keep,
}
"""Name of a kept file -> what makes it anew."""


def place(source: Path) -> Path:
    """The page of a source."""
    return (ROOT if (ROOT / source.name).is_file() else DOCS) / source.name


def rendered(source: Path) -> str:
    """The page of a source, as it ought to be."""
    return f"<!-- `make pages` makes this page from docs/_sources/{source.name}: edit that file. -->\n" + render(
        source.name, CALLED
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tools.pages", description="Make pages from docs/_sources.")
    parser.add_argument("names", nargs="*", choices=[*KEPT, []], metavar="NAME", help=", ".join(KEPT))
    parser.add_argument("--all", action="store_true", help="all of these, but benchmarks that have not run here")
    given = parser.parse_args()
    ran = [name for name in KEPT if name not in MEASURED or (RESULTS / f"{name}.json").is_file()]
    for name in ran if given.all else given.names:
        KEPT[name]()
    for source in SOURCES.glob("*.md"):
        write_file(place(source), rendered(source))
