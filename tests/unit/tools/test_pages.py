"""Pages are those of their sources, and a quote that names no single number of a kept table is refused."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tools import pages
from tools.benchmarks.benchmark import RESULTS, result
from tools.pages import SOURCES, formatted, place, quoted, rendered

from quantrift.core.base.errors import QuantriftError

ROWS = [
    {"tool": "pso", "dataset": "a", "dir": "0.0149", "n": "1200", "verdict": "holds"},
    {"tool": "ga", "dataset": "a", "dir": "-0.25", "n": "7", "verdict": "fails"},
    {"tool": "ga", "dataset": "b", "dir": "", "n": "9", "verdict": "fails"},
]


def rows_of(table: str) -> Sequence[Mapping[str, str]]:
    return {"t": ROWS}[table]


shown = partial(quoted, rows_of=rows_of)


@pytest.mark.parametrize("source", sorted(SOURCES.glob("*.md")), ids=lambda source: source.name)
def test_a_page_is_the_one_of_its_source(source: Path) -> None:
    page = place(source).read_text(encoding="utf-8")
    assert source.name in page.splitlines()[0], "a page says where it is edited"
    assert page == rendered(source), f"edit docs/_sources/{source.name} and run make pages"


def test_every_block_that_is_kept_stands_on_a_page() -> None:
    blocks = {path.stem for path in pages.BLOCKS.iterdir()}
    assert blocks == {*pages.MADE, "disagreement", "readme"}
    text = "".join(source.read_text(encoding="utf-8") for source in SOURCES.glob("*.md"))
    assert [name for name in blocks if f'{{% include "blocks/{name}.md" %}}' not in text] == []
    assert [name for name in pages.CALLED if f"{{{{ {name}(" not in text] == []


@pytest.mark.parametrize("name", [*pages.MEASURED, "bounds"])
def test_a_benchmark_that_has_not_run_is_not_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(QuantriftError, match=f"run python -m tools.bench {name} first"):
        pages.KEPT[name]()
    assert not (tmp_path / RESULTS).exists()
    with pytest.raises(QuantriftError, match="no such file"):
        result(tmp_path, name)


def test_a_quote_shows_the_number_of_its_row() -> None:
    assert shown("t.dir", "%", tool="pso") == "1.5"
    assert shown("t.dir", ".2", tool="ga", dataset="a") == "\u22120.25"
    assert shown("t.n", "d", tool="pso") == "1,200"


@pytest.mark.parametrize(
    ("words", "where", "text"),
    [
        (("t.n", "d", "min"), {}, "7"),
        (("t.n", "d", "max"), {}, "1,200"),
        (("t.n", ".1", "mean"), {"tool": "ga"}, "8.0"),
        (("t.dir", "d", "count"), {"tool": "ga"}, "2"),
        (("t.verdict", "text"), {"tool": "pso"}, "holds"),
        (("t.dir", "%0"), {"tool": "pso"}, "1"),
    ],
)
def test_several_rows_are_reduced_and_words_are_shown_as_they_are(
    words: tuple[str, ...], where: dict[str, Any], text: str
) -> None:
    assert shown(*words, **where) == text


@pytest.mark.parametrize(
    ("words", "where", "reason"),
    [
        (("t.dir", "%"), {}, "2 rows have"),
        (("t.dir", "%"), {"tool": "none"}, "0 rows have"),
        (("t.dir", "%"), {"tool": "ga", "dataset": "b"}, "0 rows have"),
        (("t.nothing", "%"), {"tool": "pso"}, "no column 'nothing'"),
        (("t.dir", "%"), {"tol": "pso"}, "no column 'tol'"),
        (("t.verdict", "%"), {"tool": "pso"}, "'holds' is no number"),
        (("t.dir", "percent"), {"tool": "pso"}, "no format 'percent'"),
        (("t", "%"), {"tool": "pso"}, "no column ''"),
    ],
)
def test_a_quote_that_names_no_single_number_is_refused(
    words: tuple[str, ...], where: dict[str, Any], reason: str
) -> None:
    with pytest.raises(QuantriftError, match=reason):
        shown(*words, **where)


def test_halves_are_rounded_away_from_zero() -> None:
    assert (formatted(0.1125, "%"), formatted(2.5, "d"), formatted(-0.25, ".1")) == ("11.3", "3", "\u22120.3")


def test_a_negative_number_has_a_minus_sign() -> None:
    assert formatted(-0.5, "%0") == "\u221250"


def test_a_small_number_may_be_shown_with_a_power_of_ten() -> None:
    assert formatted(1.9e-6, "e") == "2e\u221206"
