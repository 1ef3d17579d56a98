"""Tables in docs/checkers.md with their figure, and docs/measured/checkers*.csv, from a finished benchmark.

``python -m tools.benchmarks.checkers_page``, in a checkout in which ``python -m tools.bench checkers`` has run.
"""

from pathlib import Path

from tools.benchmarks import checkers_table
from tools.benchmarks.measured_rows import measured
from tools.documents.marked_section import Section

from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import STYLE, save

PAGE = Path("docs") / "checkers.md"
FIGURE = Path("docs") / "images" / "checkers"
MEASURED = Path("docs") / "measured"
BEGIN = "<!-- python -m tools.bench checkers writes from here -->"


if __name__ == "__main__":
    rows = measured(Path.cwd(), "checkers")
    found = checkers_table.of_every_checker(rows)
    Section(PAGE, BEGIN).write(checkers_table.markdown(rows, found))
    for name, lines in checkers_table.tables(rows, found).items():
        checkers_table.write_csv(MEASURED / f"{name}.csv", lines)
    with mpl.rc_context(STYLE):
        save(checkers_table.figure(found), FIGURE, forms=(".svg",))
