"""The section of docs/assessing.md on how good the verdict is, from results/bench/verdicts.json.

``python -m quantrift.cli.benchmarks.verdicts_page``, in a checkout in which ``quantrift bench verdicts`` has run.
"""

from pathlib import Path

from quantrift.base.errors import QuantriftError
from quantrift.base.files import read_json, replacing
from quantrift.cli.benchmarks.verdicts import FOLDER, markdown

PAGE = Path("docs") / "assessing.md"
BEGIN, END = "<!-- quantrift bench verdicts writes from here -->", "<!-- to here -->"


def replaced(text: str, part: str) -> str:
    """The page with ``part`` between its two marks.

    Raises:
        QuantriftError: if a mark is missing.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise QuantriftError(f"{PAGE}: lacks the line '{END if begin else BEGIN}'; put it back")
    return f"{before}{BEGIN}\n\n{part.strip()}\n\n{END}{after}"


def written(root: Path) -> str:
    """The page of the checkout ``root`` as it ought to be.

    Raises:
        QuantriftError: if the benchmark has not run there.
    """
    found = root / FOLDER.with_suffix(".json")
    if not found.is_file():
        raise QuantriftError(f"{found}: no such file; run quantrift bench verdicts first")
    return replaced((root / PAGE).read_text(encoding="utf-8"), markdown(read_json(found)["rows"]))


if __name__ == "__main__":
    new = written(Path.cwd())
    with replacing(PAGE) as temporary:
        temporary.write_text(new, encoding="utf-8")
