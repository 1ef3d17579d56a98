"""The section of docs/assessing.md on the accuracy of verdicts, from results/bench/verdicts.json.

``python -m quantrift.cli.benchmarks.verdicts_page``, in a checkout in which ``quantrift bench verdicts`` has run.
"""

from pathlib import Path

from quantrift.base.errors import QuantriftError
from quantrift.base.files import read_json
from quantrift.base.marked_section import Section
from quantrift.cli.benchmarks.verdicts import FOLDER, markdown

PAGE = Path("docs") / "assessing.md"
BEGIN = "<!-- quantrift bench verdicts writes from here -->"


def part(root: Path) -> str:
    """The section as the benchmark in the checkout ``root`` has it.

    Raises:
        QuantriftError: if the benchmark has not run there.
    """
    found = root / FOLDER.with_suffix(".json")
    if not found.is_file():
        raise QuantriftError(f"{found}: no such file; run quantrift bench verdicts first")
    return markdown(read_json(found)["rows"])


if __name__ == "__main__":
    Section(PAGE, BEGIN).write(part(Path.cwd()))
