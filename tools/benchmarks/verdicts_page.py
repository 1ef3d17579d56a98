"""The section of docs/assessing.md on the accuracy of verdicts, from results/bench/verdicts.json.

``python -m tools.benchmarks.verdicts_page``, in a checkout in which ``python -m tools.bench verdicts`` has run.
"""

from pathlib import Path

from tools.benchmarks.measured_rows import measured
from tools.benchmarks.verdicts import markdown
from tools.documents.marked_section import Section

PAGE = Path("docs") / "assessing.md"
BEGIN = "<!-- python -m tools.bench verdicts writes from here -->"


def part(root: Path) -> str:
    """The section as the benchmark in the checkout ``root`` has it.

    Raises:
        QuantriftError: if the benchmark has not run there.
    """
    return markdown(measured(root, "verdicts"))


if __name__ == "__main__":
    Section(PAGE, BEGIN).write(part(Path.cwd()))
