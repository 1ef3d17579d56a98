"""The report page in a real browser, opened from disk."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from tests.e2e.browser import RESULTS, WIDTHS, serious, steps

from quantrift.core.page.arrangement import Names
from quantrift.core.page.results_page import FOLDED, ClaimMark, Section, render
from quantrift.core.page.shared_columns import RATES, RUN_SEEDS, SEARCHED
from quantrift.core.page.style import STYLE, save
from quantrift.core.statistics import statistics
from quantrift.core.statistics.column import Column, key, published
from quantrift.study.results.figures.kinds.gallery import COLUMNS
from quantrift.study.results.tables.finished_table import Table, write

pytestmark = pytest.mark.slow

Requests = Callable[[Chrome, Path], set[str]]
Resize = Callable[[Chrome, int], None]
METRICS = [RATES[name] for name in ("dir", "dir_unique", "dir_valid", "vr")]
STATISTICS = [column for metric in METRICS for column in statistics.columns(metric.label, f"{metric.name}_")]
OF_EACH = sum(column.group == "statistics" for column in statistics.columns("DiR"))
"""Columns of the statistics of a metric, ends of intervals aside."""
INPUTS = Column("inputs", "Inputs", "count", group="runs")
MANY = (*SEARCHED, RUN_SEEDS, INPUTS, *METRICS, *STATISTICS, published(RATES["dir"]))
ACCURACY = Column("accuracy", "Accuracy", "fraction", "Of the test split.")
FEW = (*SEARCHED[:2], ACCURACY, published(ACCURACY))


COMMAND = "quantrift replay --number 12 results/demo/search/sim_pavia/hybridsn/ptq_int8/pso/rq1/seeds_000-009.parquet"
SHOWN_INPUT = f"""{",".join(COLUMNS)}
1,A group of a long name,7,Self-blocking bricks,Asphalt,Bare soil,20.5,3,"zoom, rotation",{COMMAND},Asphalt,0.6,0.4
1,A group of a long name,7,Self-blocking bricks,Asphalt,Bare soil,20.5,3,"zoom, rotation",{COMMAND},Bare soil,0.4,0.6
"""


def table() -> str:
    """Three subjects with five tools each, statistics of four metrics, and rows that have only published numbers."""
    lines = [",".join(column.name for column in MANY)]
    for dataset in ("sim_pavia", "sim_salinas", "pavia_university"):
        for number, tool in enumerate(("random", "pso_div", "ga_div", "random_feasible", "diverget")):
            ran = dataset != "pavia_university" and tool != "ga_div"
            rates = [f"{0.1 * number + 0.001}"] * len(METRICS) if ran else [""] * len(METRICS)
            values = ["0.25"] * len(STATISTICS) if ran and number else [""] * len(STATISTICS)
            counts = ["10", "80"] if ran else ["", ""]
            lines.append(",".join([dataset, "hybridsn", "ptq_int8", tool, *counts, *rates, *values, "0.0843"]))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a table of many columns, a small one and a figure."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "many.csv").write_text(table(), encoding="utf-8")
    (folder / "few.csv").write_text(
        "dataset,model,accuracy,published_accuracy\nsalinas,b,,\npavia,a,0.9,1\nmnist,c,0.95,1\n", encoding="utf-8"
    )
    data = pd.DataFrame({"accuracy": [0.75]})
    told = Table(data, (ACCURACY,))
    write(
        told, "T", "", folder / "told", Names(), {}, {}, lambda rows, words: [f"It is {words.cells(rows, 'accuracy')}."]
    )
    (folder / "boxes.shown.csv").write_text(SHOWN_INPUT, encoding="utf-8")
    figure, axes = plt.subplots(figsize=(9, 4))
    axes.boxplot([[0.1, 0.2, 0.4], [0.3, 0.5, 0.6]])
    axes.set_title("Divergence rate")
    figure.savefig(folder / "boxes.svg")
    plt.close(figure)
    sections = [
        Section(
            "many",
            "Many columns",
            "A caption.",
            "Table 4",
            folder / "many.csv",
            datasets=("sim_pavia",),
            columns=MANY,
            work="A work",
            question="Are there many?",
        ),
        Section(
            "few",
            "Few columns",
            table_csv=folder / "few.csv",
            notes=("A note.",),
            columns=FEW,
            work="A work",
            question="Are there few?",
        ),
        Section(
            "boxes",
            "Boxes",
            figure_svg=folder / "boxes.svg",
            shown_csv=folder / "boxes.shown.csv",
            work="A work",
            question="Are there few?",
        ),
        Section("told", "An answer", table_csv=folder / "told.csv", work="Another", question="Is it told?"),
    ]
    claims = [
        ClaimMark("A work", "Table 1", "There are many.", "many", "holds"),
        ClaimMark("A work", "Table 2", "There are few.", "few", "fails", "There are three."),
        ClaimMark("Another", "Table 3", "Nobody knows.", "elsewhere", "missing"),
    ]
    provenance = {"commit": "0" * 40, "dirty": False, "data_sha256": {"hsi/pavia_university/PaviaU.mat": "f" * 64}}
    out = folder / "report.html"
    render(
        "Results",
        "demo",
        ["An introduction."],
        sections,
        provenance,
        out,
        names=Names(simulated=frozenset({"sim_pavia"})),
        claims=claims,
        steps={"Ask your own model.": "quantrift assess --original MODEL"},
    )
    return out


@pytest.fixture
def opened(chromium: Chrome, page: Path, resize: Resize) -> Chrome:
    """The browser with the page freshly opened, 1280 pixels wide."""
    resize(chromium, 1280)
    chromium.get(page.as_uri())
    return chromium


HOSTILE = "<img src=x onerror=document.title='hacked'> $x_{ a|b \u202e"


def test_names_of_any_kind_stay_text(chromium: Chrome, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"dataset,tool,dir\nd,{HOSTILE},0.5\n=cmd(),t,0.1\n", encoding="utf-8")
    with mpl.rc_context(STYLE):
        figure = Figure()
        figure.subplots().set_title(HOSTILE)
        save(figure, tmp_path / "f", (".svg",))
    names = Names({"d": HOSTILE})
    columns = (key("dataset", "Dataset"), key("tool", HOSTILE), RATES["dir"])
    section = Section(
        "t",
        HOSTILE,
        HOSTILE,
        HOSTILE,
        tmp_path / "t.csv",
        tmp_path / "f.svg",
        (HOSTILE,),
        columns=columns,
    )
    render(HOSTILE, "demo", [HOSTILE], [section], {"commit": HOSTILE}, tmp_path / "report.html", names=names)
    chromium.get((tmp_path / "report.html").as_uri())
    assert chromium.find_elements(By.TAG_NAME, "img") == []
    assert chromium.title == f"{HOSTILE} (demo scale)"
    assert chromium.get_log("browser") == []
    assert HOSTILE in column(chromium, "t", 0) + column(chromium, "t", 1)
    drawn = chromium.find_elements(By.CSS_SELECTOR, "#t svg text")
    assert HOSTILE in [text.get_attribute("textContent") for text in drawn]


def heading(browser: Chrome, section: str, label: str) -> WebElement:
    path = f"//section[@id='{section}']//tr[@class='columns']//button[starts-with(normalize-space(.), '{label}')]"
    return browser.find_element(By.XPATH, path)


def column(browser: Chrome, section: str, number: int, body: int = 0) -> list[str]:
    """Texts of a column in one of the table's bodies, without the subject's own row."""
    cells: list[str] = browser.execute_script(
        "const [section, number, body] = arguments;"
        "const rows = document.querySelectorAll(`#${section} tbody`)[body].querySelectorAll('tr:not(.subject)');"
        "return [...rows].map((row) => row.cells[number].innerText);",
        section,
        number,
        body,
    )
    return cells


def test_the_browser_complains_of_nothing_and_asks_for_nothing_but_the_file(
    opened: Chrome, page: Path, requests: Requests
) -> None:
    heading(opened, "many", "DiR").click()
    for box in opened.find_elements(By.CSS_SELECTOR, "input[type=checkbox]"):
        box.click()
    assert opened.get_log("browser") == []
    asked = requests(opened, page)
    assert page.as_uri() in asked, "the log would be empty if nothing were logged"
    assert {url for url in asked if urlsplit(url).scheme != "data"} == {page.as_uri()}


@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_never_scrolls_sideways(opened: Chrome, width: int, resize: Resize) -> None:
    resize(opened, width)
    opened.refresh()
    fits = "return document.scrollingElement.scrollWidth <= innerWidth && innerWidth === arguments[0]"
    assert opened.execute_script(fits, width)
    opened.execute_script("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    for box in opened.find_elements(By.CSS_SELECTOR, "input[type=checkbox]"):
        box.click()
    assert opened.execute_script(fits, width), "with everything shown"
    assert opened.execute_script("const t = document.querySelector('.table'); return t.scrollWidth > t.clientWidth")


def test_a_click_sorts_within_each_subject_and_gaps_stay_last(opened: Chrome) -> None:
    dir_heading = heading(opened, "many", "DiR")
    for order, expected in (
        ("descending", ["40.10", "30.10", "10.10", "0.10", "not run"]),
        ("ascending", ["0.10", "10.10", "30.10", "40.10", "not run"]),
        ("descending", ["40.10", "30.10", "10.10", "0.10", "not run"]),
    ):
        dir_heading.click()
        assert dir_heading.find_element(By.XPATH, "..").get_attribute("aria-sort") == order
        assert column(opened, "many", 1) == column(opened, "many", 1, body=1) == expected
    assert column(opened, "many", 1, body=2) == ["not run"] * 5
    for expected in (["95.00", "90.00", "not run"], ["90.00", "95.00", "not run"]):
        heading(opened, "few", "Accuracy").click()
        assert column(opened, "few", 2) == expected
    opened.find_element(By.CSS_SELECTOR, "#many .fold").click()
    headings = opened.find_elements(By.CSS_SELECTOR, "#many tr.subject")
    assert [one.text.split(" ")[0] for one in headings] == ["sim_pavia", "sim_salinas", "pavia_university"]


def test_the_keyboard_sorts_too(opened: Chrome) -> None:
    first = heading(opened, "few", "Dataset")
    assert column(opened, "few", 0) == ["salinas", "pavia", "mnist"]
    opened.execute_script("document.querySelector('#few .table').focus()")
    opened.switch_to.active_element.send_keys(Keys.TAB)
    assert opened.switch_to.active_element == first
    opened.switch_to.active_element.send_keys(Keys.ENTER)
    assert column(opened, "few", 0) == ["mnist", "pavia", "salinas"]
    opened.switch_to.active_element.send_keys(Keys.SPACE)
    assert column(opened, "few", 0) == ["salinas", "pavia", "mnist"]


def test_statistics_are_shown_metric_by_metric_and_brought_into_sight(opened: Chrome) -> None:
    boxes = opened.find_elements(By.CSS_SELECTOR, "#many input[type=checkbox]")
    assert [box.find_element(By.XPATH, "..").text for box in boxes] == [
        f"{label} {OF_EACH}" for label in ("DiR", "DiR distinct", "DiR valid", "VR")
    ]

    def shown() -> int:
        cells = "[...document.querySelectorAll('#many tbody td.statistics')]"
        return int(opened.execute_script(f"return {cells}.filter((cell) => cell.offsetWidth > 0).length"))

    opened.find_element(By.CSS_SELECTOR, "#many .fold").click()
    assert shown() == 0
    boxes[2].send_keys(Keys.SPACE)
    assert shown() == 15 * OF_EACH
    left, first, start, end = opened.execute_script(
        "const at = (s) => document.querySelector(`#many ${s}`).getBoundingClientRect();"
        "return [at('.columns .part-2').left, at('tbody th[scope=row]').right, at('.table').left, at('.table').right];"
    )
    assert first - 1 <= left < end, "right of the first column"
    assert start < first, "which stays where it was"
    boxes[2].click()
    assert shown() == 0


def test_what_is_focused_is_never_hidden_behind_the_first_column(opened: Chrome, resize: Resize) -> None:
    resize(opened, 400)
    table = opened.find_element(By.CSS_SELECTOR, "#many .table")
    opened.execute_script("arguments[0].scrollLeft = 1000", table)
    opened.execute_script("arguments[0].focus()", heading(opened, "many", "DiR"))
    edges = "const at = (s) => document.querySelector(`#many ${s}`).getBoundingClientRect();"
    edges += "return [at('.columns th').right, document.activeElement.getBoundingClientRect().left];"
    first, focused = opened.execute_script(edges)
    assert focused >= first - 1


def test_headings_stay_in_sight_while_a_long_table_scrolls(opened: Chrome, resize: Resize) -> None:
    resize(opened, 400)
    opened.execute_script("document.querySelector('#many .table').style.maxHeight = '12rem'")
    top = "return document.querySelector('#many .columns th').getBoundingClientRect().top"
    before = opened.execute_script(top)
    opened.execute_script("document.querySelector('#many .table').scrollTop = 150")
    assert opened.execute_script("return document.querySelector('#many .table').scrollTop") == 150
    assert opened.execute_script(top) == before


SHOWN = "return [...document.querySelectorAll('#many tbody tr:not(.subject)')].filter((row) => row.offsetHeight).length"


def test_a_long_table_begins_with_ten_rows_and_shows_all_when_asked(opened: Chrome) -> None:
    fold = opened.find_element(By.CSS_SELECTOR, "#many .fold")
    assert (fold.text, fold.get_attribute("aria-expanded")) == ("Show all 15 rows", "false")
    assert opened.execute_script(SHOWN) == FOLDED
    assert not opened.find_elements(By.CSS_SELECTOR, "#many tbody:has(tr.subject)")[2].is_displayed()
    heading(opened, "many", "DiR").click()
    assert opened.execute_script(SHOWN) == FOLDED, "sorted, the first ten are others"
    fold.send_keys(Keys.ENTER)
    assert (fold.text, fold.get_attribute("aria-expanded")) == ("Show the first 10 rows", "true")
    assert opened.execute_script(SHOWN) == 15
    fold.click()
    assert opened.execute_script(SHOWN) == FOLDED
    assert opened.find_elements(By.CSS_SELECTOR, "#few .fold, #few .filter") == []


def test_a_filter_looks_at_all_rows_and_at_the_names_of_their_subjects(opened: Chrome) -> None:
    box = opened.find_element(By.CSS_SELECTOR, "#many .filter input")
    found = opened.find_element(By.CSS_SELECTOR, "#many .found")
    for words, number in (("pavia_UNIV", 5), ("pavia_univ random", 2), ("nothing", 0), ("ga_div", 3)):
        box.clear()
        box.send_keys(words)
        assert opened.execute_script(SHOWN) == number
        assert found.text == f"{number} row{'' if number == 1 else 's'} found"
    box.clear()
    box.send_keys(" ")
    assert opened.execute_script(SHOWN) == FOLDED


def test_paper_and_a_browser_without_scripts_show_all_rows(opened: Chrome, page: Path) -> None:
    opened.find_element(By.CSS_SELECTOR, "#many .filter input").send_keys("ga_div")
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert opened.execute_script(SHOWN) == 15
        assert not opened.find_element(By.CSS_SELECTOR, "#many .fold").is_displayed()
    finally:
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    opened.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened.get(page.as_uri())
        rows = opened.find_elements(By.CSS_SELECTOR, "#many tbody tr:not(.subject)")
        assert [row.is_displayed() for row in rows] == [True] * 15
        assert not opened.find_element(By.CSS_SELECTOR, "#many .filter").is_displayed(), "it would do nothing"
    finally:
        opened.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_answers_come_first_with_claims_and_lead_to_their_sections(opened: Chrome) -> None:
    first = opened.find_element(By.CSS_SELECTOR, "main > *")
    assert first.get_attribute("id") == "answers"
    # The driver gives a space for one that does not break.
    assert "75 %" in first.text
    marks = [mark.text for mark in first.find_elements(By.CSS_SELECTOR, ".told .mark")]
    assert marks == ["\u2713 holds", "\u2717 fails"]
    assert "There are three." in first.text
    first.find_element(By.LINK_TEXT, "Is it told?").click()
    assert opened.execute_script("return document.querySelector(':target').textContent") == "Is it told?"
    assert [one.text for one in opened.find_elements(By.CSS_SELECTOR, "h2.work")] == ["A work", "Another"]


def test_the_contents_follow_the_scroll(opened: Chrome) -> None:
    current = "return [...document.querySelectorAll('nav [aria-current]')].map((link) => link.hash)"
    for section in ("#few", "#answers", "#boxes"):
        opened.execute_script("document.querySelector(arguments[0]).scrollIntoView()", section)
        WebDriverWait(opened, 10).until(
            lambda browser, wanted=section: browser.execute_script(current) == [wanted]  # type: ignore[misc]
        )


def test_a_command_to_replay_an_input_is_copied_or_selected(opened: Chrome) -> None:
    opened.find_element(By.CSS_SELECTOR, "#boxes .replays summary").click()
    opened.find_element(By.CSS_SELECTOR, "#boxes .copy").click()
    said = opened.find_element(By.CSS_SELECTOR, "#boxes .command [role=status]")
    WebDriverWait(opened, 10).until(lambda _: said.text)
    if said.text == "selected":
        assert opened.execute_script("return getSelection().toString()") == COMMAND
    else:
        assert said.text == "copied"


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_can_read_it(opened: Chrome, width: int, scheme: str, resize: Resize) -> None:
    resize(opened, width)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    try:
        opened.refresh()
        found = serious(opened)
    finally:
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert found == []
    assert opened.get_log("browser") == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("question", [name for name, answer in RESULTS.items() if answer != "#layer_errors"])
def test_a_newcomers_question_is_answered_within_two_steps(
    chromium: Chrome, small_run: Path, width: int, question: str, resize: Resize
) -> None:
    resize(chromium, width)
    chromium.get((small_run / "results" / "small" / "report.html").as_uri())
    taken = steps(chromium, RESULTS[question])
    assert taken is not None
    assert taken <= 2
