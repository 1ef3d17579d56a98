"""Content of the report page, for a reader, a screen reader and a browser."""

from base64 import b64decode
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.arrangement import Names
from quantrift.core.page.made_safe import inlined
from quantrift.core.page.results_page import Section, render
from quantrift.core.page.shared_columns import RATES, RUN_SEEDS, SEARCHED
from quantrift.core.statistics import statistics
from quantrift.core.statistics.column import SCALE, Column, Columns, key, published
from quantrift.study.results.tables.finished_table import Table, write

Make = Callable[..., str]
TABLE = """scale,dataset,model,compression,tool,run_seeds,dir,vr,dir_p,dir_p_as_published,dir_a12,published_dir
demo,sim_pavia,hybridsn,ptq_int8,random,6,0.0107,0.0375,,,,0.0008
demo,sim_pavia,hybridsn,ptq_int8,pso_div,6,0.285,,0.03125,0.00033,1.0,0.0843
,salinas,ssrn,ptq_int8,random,,,,,,,0.0003
"""
TESTED = tuple(column for column in statistics.COLUMNS if column.name in ("p", "p_as_published", "a12"))
COLUMNS = (
    SCALE,
    *SEARCHED,
    RUN_SEEDS,
    RATES["dir"],
    RATES["vr"],
    *statistics.columns("DiR", "dir_", of=TESTED),
    published(RATES["dir"]),
)
FIGURE = """<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100pt" height="50pt"
 viewBox="0 0 100 50"><metadata>http://purl.org/dc</metadata><style>*{stroke-linecap:butt} @import url(http://x);</style>
<defs><path id="m" d="M0 0"/><clipPath id="c"><rect width="1" height="1"/></clipPath></defs>
<g clip-path="url(#c)" style="fill:url(http://evil.example/a)" onclick="alert(1)"><use xlink:href="#m"/></g>
<image xlink:href="http://evil.example/i.png"/><script>alert(1)</script></svg>"""


class Page(HTMLParser):
    """Start tags of a page with their attributes, and the text of each cell."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        return [a for t, a in self.tags if t == tag and all(v in (a.get(k) or "").split() for k, v in wanted.items())]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Renders the sample page, with changes, and gives its text."""
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "f.svg").write_text(FIGURE, encoding="utf-8")

    def page(
        title: str = "Results", table: Path = tmp_path / "t.csv", columns: Columns = COLUMNS, **changes: object
    ) -> str:
        datasets = ("sim_pavia", "salinas")
        sections = [
            Section("table4", "Table", "Caption", "DiverGet Table 4", table, datasets=datasets, columns=columns),
            Section("figure_a", "A", figure_svg=tmp_path / "f.svg"),
            Section("figure_b", "B", figure_svg=tmp_path / "f.svg", notes=("A note.",)),
        ]
        out = tmp_path / "report.html"
        provenance = {"commit": "unknown", "dirty": None, "packages": {"numpy": "2"}, "sets": ["avx2"], "data": {}}
        options = {"names": Names({"sim_pavia": "Pavia (simulated)"}, frozenset({"sim_pavia"})), **changes}
        render(title, "demo", ["First paragraph."], sections, provenance, out, **options)  # type: ignore[arg-type]
        return out.read_text(encoding="utf-8")

    return page


def test_nothing_is_fetched(make: Make) -> None:
    text = make()
    page = Page(text)
    for tag, attributes in page.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base"}
        for name, value in attributes.items():
            if name in {"src", "href", "xlink:href", "srcset", "action", "poster"}:
                assert value is not None
                assert value.startswith(("#", "data:")), (tag, name, value)
    assert "evil.example" not in text
    assert "@import" not in text
    assert "@font-face" not in text
    policy = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert "default-src 'none'" in (policy[0]["content"] or "")


def test_same_inputs_give_the_same_bytes(make: Make) -> None:
    assert make() == make()


def test_missing_cells_say_why_they_are_empty(make: Make) -> None:
    page = Page(make())
    reasons = [cell["title"] for cell in page.all("td", **{"class": "empty"})]
    assert reasons.count("not run") == 3, "dir, vr and run_seeds of the row that has only published numbers"
    assert reasons.count("no value") == 1 + 3 + 3, "one rate, and the statistics of two rows"
    assert page.text.count("not run") == 3
    assert all("data-value" not in cell for cell in page.all("td", **{"class": "empty"}))


def test_rows_that_are_means_over_subjects_say_so(make: Make, tmp_path: Path) -> None:
    rows = ("dataset,model,compression,tool,against,dir", "salinas,,ptq_int8,pso,ga,0.1", "salinas,,ptq_int8,ga,,0.2")
    single = (row.replace(",,ptq", ",ssrn,ptq") for row in rows[1:])
    (tmp_path / "groups.csv").write_text("\n".join([*rows, ",,,pso,ga,0.1", ",,,ga,,0.2", *single]), encoding="utf-8")
    columns = (*SEARCHED, key("against", "Against"), RATES["dir"])
    text = Page(make(table=tmp_path / "groups.csv", columns=columns)).text
    for heading in ("salinas · ptq_int8 · mean", "mean", "salinas · ssrn · ptq_int8"):
        assert heading in [line.strip() for line in text.splitlines()]


def test_columns_can_be_sorted_by_keyboard_and_carry_exact_values(make: Make) -> None:
    page = Page(make())
    headings = [attributes for tag, attributes in page.tags if tag == "th" and "aria-sort" in attributes]
    assert [heading["aria-sort"] for heading in headings] == ["none"] * 8
    assert len(page.all("button", type="button")) == 8
    assert {"0.285", "0.0107"} <= {cell.get("data-value") for cell in page.all("td")}


def test_rates_stand_as_percent_and_p_values_do_not(make: Make) -> None:
    text = Page(make()).text
    assert "28.50" in text
    assert "0.0312" in text
    assert "3.3e-04" in text


def test_statistics_are_behind_a_switch_and_published_numbers_set_apart(make: Make) -> None:
    page = Page(make())
    assert len(page.all("input", type="checkbox", **{"class": "show-0"})) == 1
    assert "Statistics of DiR" in page.text
    assert "section:not(:has(.show-0:checked)) .part-0 { display: none; }" in page.text
    assert len(page.all("td", **{"class": "statistics"})) == 3 * 3
    assert len(page.all("td", **{"class": "published"})) == 3


def test_simulated_data_are_named_at_the_top_and_marked_below(make: Make) -> None:
    page = Page(make())
    assert page.all("p", **{"class": "banner"})
    assert "Simulated data. Pavia (simulated)" in page.text
    assert page.text.count("partly simulated") == 1
    assert not Page(make(names=Names())).all("p", **{"class": "banner"})


def test_scale_contents_and_anchors_stand_in_the_page(make: Make) -> None:
    page = Page(make())
    assert "demo scale" in page.text
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids)), "two figures from one file must not share ids"
    targets = [(a["href"] or "")[1:] for a in page.all("a") if (a["href"] or "").startswith("#")]
    assert {"table4", "figure_a", "figure_b", "provenance"} <= set(targets) <= set(ids)


def test_figures_keep_their_references_and_lose_everything_that_acts(make: Make) -> None:
    text = make()
    page = Page(text)
    assert [use["xlink:href"] for use in page.all("use")] == ["#f-1-m", "#f-2-m"]
    assert "url(#f-1-c)" in text
    assert "#f-1 *{stroke-linecap:butt}" in text
    assert "alert(1)" not in text
    assert "purl.org" not in text
    assert [svg["role"] for svg in page.all("svg")] == ["img", "img"]


def test_styles_that_are_equal_become_one_rule_and_ids_that_nothing_names_go(tmp_path: Path) -> None:
    hostile = "fill: red } body { display: none"
    (tmp_path / "f.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9pt"><g id="a">'
        '<path id="b" d="M 1.23456 2" style="fill: #123"/>'
        '<path d="M 0 7.891" style="fill: #123"/><path class="own" style="fill: #456"/>'
        f'<path transform="scale(0.00123)" style="{hostile}"/></g><use href="#a" style="stroke: url(#b)"/></svg>'
    )
    text = inlined(tmp_path / "f.svg", "f7", "A figure")
    tags = {tag: [own for name, own in Page(text).tags if name == tag] for tag in ("g", "path", "use")}
    assert [one["id"] for one in (*tags["g"], tags["path"][0])] == ["f7-a", "f7-b"]
    assert [one.get("class") for one in tags["path"]] == ["s0", "s0", "own", None]
    assert [one.get("style") for one in tags["path"]] == [None, None, "fill: #456", hostile]
    assert text[text.index("<style>") :].count("{") == 2, "the two rules"
    assert "#f7 .s0{fill: #123}" in text
    assert "#f7 .s1{stroke: url(#f7-b)}" in text
    assert [one.get("d") for one in tags["path"]][:2] == ["M 1.23 2", "M 0 7.89"]
    assert tags["path"][3]["transform"] == "scale(0.00123)", "a scale is not cut"


def test_hostile_text_stays_text(make: Make, tmp_path: Path) -> None:
    hostile = "<script>alert('x')</script>\"' onload=\"&amp;"
    table = tmp_path / "hostile.csv"
    cell = '"' + hostile.replace('"', '""') + '"'
    table.write_text(f"dataset,tool,dir,{cell}\n{cell},{cell},0.5,{cell}\n", encoding="utf-8")
    columns = (key("dataset", "Dataset"), key("tool", "Tool"), RATES["dir"], Column(hostile, hostile, "text", hostile))
    names = Names({"sim_pavia": hostile}, frozenset({"sim_pavia"}))
    page = Page(make(title=hostile, table=table, columns=columns, names=names))
    assert len(page.all("script")) == 1
    assert not any("onload" in attributes for _, attributes in page.tags)
    assert page.text.count("<script>alert('x')</script>\"'") >= 4


def test_a_download_holds_no_formula_and_is_otherwise_the_file(make: Make, tmp_path: Path) -> None:
    def downloaded(table: Path, columns: Columns = COLUMNS) -> bytes:
        [link] = Page(make(table=table, columns=columns)).all("a", download="table4.csv")
        return b64decode((link["href"] or "").removeprefix("data:text/csv;charset=utf-8;base64,"))

    table = tmp_path / "formula.csv"
    table.write_text("tool,shift\n=cmd|' /C calc'!A0,-0.5\n", encoding="utf-8")
    columns = (key("tool", "Tool"), Column("shift", "Shift"))
    assert downloaded(table, columns).splitlines() == [b"tool,shift", b"'=cmd|' /C calc'!A0,-0.5"]
    assert downloaded(tmp_path / "t.csv") == (tmp_path / "t.csv").read_bytes()


def test_a_table_without_rows_says_so(make: Make, tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text("dataset,dir\n", encoding="utf-8")
    assert "no rows" in Page(make(table=tmp_path / "none.csv")).text


def test_a_table_means_what_is_stated_beside_it(make: Make, tmp_path: Path) -> None:
    data = pd.DataFrame({"dir": [0.25], "spent": [12]})
    spent = Column("spent", "Spent", "seconds", "Of a clock that nobody reads.")
    write(Table(data, (RATES["dir"], spent)), "T", "", tmp_path / "own", Names(), {}, {})
    text = Page(make(table=tmp_path / "own.csv", columns=())).text
    assert "25.00" in text
    assert "Spent\xa0s" in text
    assert spent.meaning in text
    (tmp_path / "own.columns.json").unlink()
    with pytest.raises(QuantriftError, match=r"own\.columns\.json: No such file or directory; make its table again"):
        make(table=tmp_path / "own.csv", columns=())


def test_unreadable_files_are_named(make: Make, tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match=r"missing\.csv.*make its target first"):
        make(table=tmp_path / "missing.csv")
    (tmp_path / "ragged.csv").write_text("a,b\n1\n", encoding="utf-8")
    with pytest.raises(QuantriftError, match=r"ragged\.csv has rows of different length"):
        make(table=tmp_path / "ragged.csv")
    (tmp_path / "f.svg").write_text("<html/>", encoding="utf-8")
    with pytest.raises(QuantriftError, match=r"f\.svg is not an SVG file"):
        make()
