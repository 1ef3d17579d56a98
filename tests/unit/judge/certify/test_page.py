"""The page on certificates: every kind of neighbourhood, with the members that it really has."""

import re

from tests.factories.places import ROOT

from quantrift.judge.certify.asked_neighbourhoods import asked, usages
from quantrift.judge.certify.boxes import Boxes

ROWS = re.findall(
    r"^\| `([^`]+)` \| (.*) \| ([\d,]+|a box|[\d,]+ boxes) \|$",
    (ROOT / "docs" / "certifying.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def test_every_kind_is_on_the_page_as_the_help_writes_it() -> None:
    assert {usage for usage, *_ in ROWS} == {"A+B", *(usage for usage, _ in usages())}


def test_members_are_those_of_an_image_of_28_by_28_pixels() -> None:
    for usage, meaning, members in ROWS:
        text = usage.partition("[")[0] if usage != "A+B" else re.findall(r"`(.+)`", meaning)[0]
        [neighbourhood] = asked(text, (28, 28, 1))
        number, _, boxes = members.replace(",", "").replace("a box", "1 box").partition(" ")
        assert (neighbourhood.size, isinstance(neighbourhood, Boxes)) == (int(number), bool(boxes))
