"""Outcomes of claims in the kept run, as the page on what reproduces has them."""

from tools.documents.kept_results import claims_text

CLAIM = {
    "work": "DiverGet",
    "place": "Table 4",
    "sentence": "It finds 50 % | more.",
    "outcome": "fails",
    "published": "83.97",
    "why": "The interval is wide.",
    "claim": "more",
    "cells_holds": "0",
    "cells_fails": "2",
    "cells_undecided": "1",
}
CELL = {"claim": "more", "cell": "salinas", "values": "sr 0.1 [0, 0.2]"}


def test_a_claim_is_a_row_with_its_outcome_its_cells_and_the_first_of_them() -> None:
    text = claims_text([CLAIM, CLAIM | {"work": "Thesis", "why": "", "outcome": "holds"}], [CELL])
    assert "**DiverGet**" in text
    claim = "| It finds 50 % \\| more. (Table 4) *The interval is wide.* | 83.97 | **fails** | 0, 2, 1 |"
    assert f"{claim} salinas: sr 0.1 [0, 0.2] |" in text.replace("\\[", "[").replace("\\]", "]")
    assert text.count("| holds | 0, 2, 1 |") == 1
