"""The page of targets is the one that the configuration makes."""

import re
from itertools import chain

import pytest
from tests.factories.configurations import digest, of_scale
from tools.documents.artifact import configurations
from tools.documents.targets_page import folded, text

from quantrift.study.planning.root import Config


@pytest.fixture(scope="module")
def configs() -> dict[str, Config]:
    return configurations()


def test_every_target_is_on_the_page_with_its_question(configs: dict[str, Config]) -> None:
    page = text(configs)
    rows = re.findall(r"^\| `(\w+)`(?: … `(\w+)`)? \| ([^|]+) \|", page, re.MULTILINE)
    stated = {name for row in rows for name in row[:2] if name}
    for config in configs.values():
        for group in folded(list(config.targets), config.targets):
            assert {group[0], group[-1]} <= stated
    assert all(question.strip().endswith("?") for *_, question in rows)


def test_what_differs_in_a_last_number_and_answers_one_question_is_one_row(configs: dict[str, Config]) -> None:
    targets = configs["paper"].targets
    groups = folded(list(targets), targets)
    assert list(chain(*groups)) == list(targets)
    assert [f"heterogeneous_figure4_{number}" for number in range(1, 13)] in groups
    assert ["diverget_table5"] in groups, "its neighbour answers another question"


def test_another_question_is_no_change_of_settings_so_that_nothing_runs_again() -> None:
    known = of_scale()
    other = of_scale(targets={"models": {"question": "Why?"}})
    assert other.targets["models"].question == "Why?"
    assert digest(other) == digest(known)
    assert other.targets["models"].model_dump() == known.targets["models"].model_dump()
