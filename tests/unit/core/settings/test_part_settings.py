"""A part may be written as a name, or as a name with settings; layers of a configuration have one form of both."""

from typing import Any

import pytest

from quantrift.core.settings.part_settings import one_part
from quantrift.study.planning.abbreviations import with_parts


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("pso", {"name": "pso"}),
        ({"pso": {"swarm": 10}}, {"name": "pso", "params": {"swarm": 10}}),
        ({"pso": None}, {"name": "pso", "params": {}}),
        ({"name": "pso", "params": {"swarm": 10}}, {"name": "pso", "params": {"swarm": 10}}),
        ({"name": "pso"}, {"name": "pso"}),
    ],
)
def test_each_way_to_write_a_part_is_one_form(written: Any, part: dict[str, Any]) -> None:
    assert one_part(written) == part


@pytest.mark.parametrize("written", [5, [], {}, {"pso": {}, "ga": {}}, {"params": {}, "name": "pso", "more": 1}])
def test_what_is_no_part_is_refused(written: Any) -> None:
    with pytest.raises(ValueError, match="^expected one part: a name, or one name with its settings$"):
        one_part(written)


@pytest.mark.parametrize("section", ["tools", "calibrations"])
def test_parts_of_tools_and_calibrations_have_one_form_and_all_else_stays(section: str) -> None:
    layer = {
        section: {"mine": {"space": "pixels", "title": "Mine"}, "odd": 5},
        "subjects": {"one": {"space": "pixels"}},
    }
    assert with_parts(layer) == {
        section: {"mine": {"space": {"name": "pixels"}, "title": "Mine"}, "odd": 5},
        "subjects": {"one": {"space": "pixels"}},
    }
    assert with_parts({section: {"mine": {"space": 5}}}) == {section: {"mine": {"space": 5}}}
    assert with_parts({section: None}) == {section: None}
