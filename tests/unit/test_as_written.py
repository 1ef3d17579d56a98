"""One table and one figure of each kind are held word by word."""

from tests.factories.as_written import FIGURES, FOLDER, TABLES

from quantrift.study.results.targets import kinds


def test_there_is_one_of_each_kind() -> None:
    assert set(TABLES) == {*kinds.names("tables")} == {file.stem for file in (FOLDER / "tables").iterdir()}
    assert (
        {*FIGURES, "gallery"}
        == {*kinds.names("figures")}
        == {"gallery"} | {file.stem for file in (FOLDER / "figures").iterdir()}
    )
