"""Tables in docs/checkers.md with their figure, and docs/measured/checkers*.csv, from a finished benchmark.

``python -m quantrift.cli.benchmarks.checkers_page``, in a checkout in which ``quantrift bench checkers`` has run.
"""

from collections.abc import Sequence
from pathlib import Path

from quantrift.base.errors import QuantriftError
from quantrift.base.files import read_json
from quantrift.base.marked_section import Section
from quantrift.cli.benchmarks import checkers_table
from quantrift.cli.benchmarks.checkers import FOLDER
from quantrift.cli.benchmarks.checkers_summary import Row, summaries
from quantrift.figures import drawing as mpl
from quantrift.figures.style import STYLE, save

PAGE = Path("docs") / "checkers.md"
FIGURE = Path("docs") / "images" / "checkers"
MEASURED = Path("docs") / "measured"
BEGIN = "<!-- quantrift bench checkers writes from here -->"


def measured(root: Path) -> Sequence[Row]:
    """The rows of the benchmark in the checkout ``root``.

    Raises:
        QuantriftError: if it has not run there.
    """
    path = root / FOLDER.with_suffix(".json")
    if not path.is_file():
        raise QuantriftError(f"{path}: no such file; run quantrift bench checkers first")
    rows: Sequence[Row] = read_json(path)["rows"]
    return rows


if __name__ == "__main__":
    rows = measured(Path.cwd())
    found = summaries(rows)
    Section(PAGE, BEGIN).write(checkers_table.markdown(rows, found))
    for name, lines in checkers_table.tables(rows, found).items():
        checkers_table.write_csv(MEASURED / f"{name}.csv", lines)
    with mpl.rc_context(STYLE):
        save(checkers_table.figure(found), FIGURE, forms=(".svg",))
