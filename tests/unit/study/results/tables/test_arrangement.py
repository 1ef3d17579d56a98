"""Arrangement of a table for people: groups of columns, and labels."""

from tests.property.test_report_numbers import parsed

from quantrift.core.page.arrangement import Arranged, Names, arrange
from quantrift.core.statistics import statistics
from quantrift.core.statistics.column import Column, end, frame, key, published, remark, with_interval

RATE = Column("sr", "SR", "fraction", "Seed inputs with a success.")
NAMES = Names({"pso": "Particle swarm", "digits": "Digits"}, frozenset({"sim"}))


def shown(rows: list[dict[str, str]], *columns: Column, divide: bool = True) -> Arranged:
    return arrange(rows, columns, NAMES, divide=divide)


def texts(table: Arranged) -> list[list[str]]:
    return [[cell.text for cell in row] for body in table.bodies for row in body.rows]


def test_the_ends_of_an_interval_stand_in_the_cell_of_their_value_and_in_no_column() -> None:
    columns = with_interval(RATE, rests_on="sr_rests_on")
    row = {"sr": "0.5", "sr_low": "0.25", "sr_high": "0.75", "sr_rests_on": "two seed inputs"}
    table = shown([row, {**row, "sr_low": "", "sr_rests_on": ""}], *columns)
    assert [column.name for column in table.columns] == ["sr"]
    assert texts(table) == [["50.00 [25.00, 75.00] (two seed inputs)"], ["50.00"]]
    assert table.bodies[0].rows[0][0].value == "0.5", "sorted by the number"


def test_ids_read_as_titles_flags_as_words_and_texts_as_they_are() -> None:
    columns = [key("tool", "Tool"), Column("exact", "Exact", "flag"), Column("word", "Word", "text")]
    rows = [{"tool": "pso", "exact": "True", "word": "x"}, {"tool": "ga", "exact": "False", "word": "y"}]
    assert texts(shown(rows, *columns)) == [["Particle swarm", "yes", "x"], ["ga", "no", "y"]]


def test_groups_stand_in_one_order_with_published_numbers_beside_ours_and_statistics_last() -> None:
    columns = [
        *statistics.columns("SR", "sr_"),
        Column("inputs", "Inputs", "count", group="runs"),
        published(RATE),
        RATE,
        key("tool", "Tool"),
    ]
    table = shown([{column.name: "" for column in columns}], *columns)
    assert [span.heading for span in table.spans] == ["", "Measured here", "Published", "Runs", "Statistics of SR"]
    assert table.parts == {"SR": 9}


def test_a_table_of_tools_is_divided_by_subject_for_the_page_and_not_for_markdown() -> None:
    columns = [key(name, name) for name in ("dataset", "model", "compression", "tool")] + [RATE]
    rows = [
        {"dataset": dataset, "model": "net", "compression": "q", "tool": tool, "sr": "1"}
        for dataset in ("digits", "sim")
        for tool in ("pso", "ga")
    ]
    divided = shown(rows, *columns)
    assert [(body.heading, body.simulated) for body in divided.bodies] == [
        ("Digits · net · q", False),
        ("sim · net · q", True),
    ]
    assert [column.name for column in divided.columns] == ["tool", "sr"]
    [whole] = shown(rows, *columns, divide=False).bodies
    assert len(whole.rows) == 4
    assert whole.rows[2][0].text == "sim (simulated)"


def test_an_empty_cell_says_why() -> None:
    columns = [key("tool", "Tool"), RATE, Column("vr", "VR", "fraction"), published(RATE)]
    rows = [
        {"tool": "pso", "sr": "0.5", "vr": "", "published_sr": ""},
        {"tool": "ga", "sr": "", "vr": "", "published_sr": "0.25"},
    ]
    [body] = shown(rows, *columns).bodies
    assert [[cell.empty for cell in row[1:]] for row in body.rows] == [
        ["", "not published", "no value"],
        ["not run", "", "not run"],
    ]


def test_a_p_value_has_one_format_and_reads_back() -> None:
    column = Column("p", "p", "p")
    values = [1.0, 0.0312, 0.001, 3.3e-4, 2e-12]
    cells = texts(shown([{"p": repr(value)} for value in values], column))
    assert cells == [["1.0000"], ["0.0312"], ["0.0010"], ["3.3e-04"], ["2.0e-12"]]
    assert all(abs(parsed(cell) - value) <= 0.05 * value for [cell], value in zip(cells, values, strict=True))


def test_a_frame_has_the_declared_columns_in_their_order_each_of_its_type() -> None:
    columns = (key("tool", "Tool"), Column("n", "N", "count"), RATE, Column("ok", "OK", "flag"), remark("why"))
    found = frame([{"n": 3, "tool": "pso", "sr": 1}, {"ok": True}], columns)
    assert found.columns.tolist() == ["tool", "n", "sr", "ok", "why"]
    assert [str(kind) for kind in found.dtypes] == ["object", "Int64", "float64", "boolean", "object"]
    assert found.to_csv(index=False) == "tool,n,sr,ok,why\npso,3,1.0,,\n,,,True,\n"


def test_statistics_are_named_for_what_is_compared() -> None:
    columns = {column.name: column for column in statistics.columns("VR", "vr_", shift="number")}
    assert columns["vr_shift"].low == "vr_shift_low"
    assert columns["vr_shift_low"] == end("vr_shift_low", columns["vr_shift"])
    assert columns["vr_a12"].part == "VR"
    assert columns["vr_p"].meaning == "VR: two-sided p-value, before correction."
