"""One table of each kind is held word by word."""

from tests.unit.tables.conftest import AS_WRITTEN, HELD

from quantrift.targets import kinds


def test_there_is_one_of_each_kind() -> None:
    of_tables = {*kinds.names("tables")}
    assert set(HELD) == of_tables == {file.stem for file in AS_WRITTEN.iterdir()}
