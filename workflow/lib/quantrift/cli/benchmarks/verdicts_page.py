"""The section of docs/assessing.md on the accuracy of verdicts, from results/bench/verdicts.json.

``python -m quantrift.cli.benchmarks.verdicts_page``, in a checkout in which ``quantrift bench verdicts`` has run.
"""

from pathlib import Path

from quantrift.base.marked_section import Section
from quantrift.cli.benchmarks.measured_rows import measured
from quantrift.cli.benchmarks.verdicts import markdown

PAGE = Path("docs") / "assessing.md"
BEGIN = "<!-- quantrift bench verdicts writes from here -->"


def part(root: Path) -> str:
    """The section as the benchmark in the checkout ``root`` has it.

    Raises:
        QuantriftError: if the benchmark has not run there.
    """
    return markdown(measured(root, "verdicts"))


if __name__ == "__main__":
    Section(PAGE, BEGIN).write(part(Path.cwd()))
