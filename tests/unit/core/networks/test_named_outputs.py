"""Outputs of a file by name: chosen, matched between two networks, and kept in the file."""

from pathlib import Path

import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import INPUTS, OUTPUTS, Choices, at_end, with_note
from quantrift.core.networks.graphs.ends import ChosenOutputs, chosen_outputs, matched_outputs

FILE = Path("net")
WANTED = ChosenOutputs(("logits",), ("embedding", "logits"))


def test_an_output_is_chosen_by_its_name_with_or_without_what_converters_add() -> None:
    outputs = ["serve_a:0", "b"]
    assert chosen_outputs(FILE, outputs, ["a"]) == ChosenOutputs(("serve_a:0",), ("serve_a:0", "b"))
    assert chosen_outputs(FILE, outputs, ["b", "serve_a:0"]).names == ("b", "serve_a:0")
    with pytest.raises(QuantriftError, match=r"net: has no output 'c'; name one of 'a', 'b' with --output"):
        chosen_outputs(FILE, outputs, ["c"])


MATCHED = {
    "by name": (["logits", "embedding"], "logits"),
    "by name, without what converters add": (["embedding", "serve_logits:0"], "serve_logits:0"),
    "as it has no other": (["output_0"], "output_0"),
    "by their order, as names differ": (["output_0", "output_1"], "output_1"),
}


@pytest.mark.parametrize("how", MATCHED)
def test_an_output_stands_for_that_of_the_original(how: str) -> None:
    outputs, name = MATCHED[how]
    found, told = matched_outputs(FILE, outputs, WANTED)
    assert found == ChosenOutputs((name,), tuple(outputs))
    assert told == ("by name" if "converters" in how else how)


@pytest.mark.parametrize("outputs", [["a", "b", "c"], []])
def test_outputs_that_nothing_matches_are_one_line(outputs: list[str]) -> None:
    with pytest.raises(QuantriftError, match="'logits' of the original"):
        matched_outputs(FILE, outputs, WANTED)


def test_choices_of_inputs_and_outputs_stand_side_by_side() -> None:
    written = with_note(with_note(b"net", ".pte", INPUTS, ["a", "b"]), ".pte", OUTPUTS, ["quantrift.outputs", "c"])
    before, notes = at_end(written)
    assert before == b"net"
    assert Choices.of(notes) == Choices(None, ("a", "b"), ("quantrift.outputs", "c"))


def test_places_of_compared_outputs_are_in_the_order_of_the_choice() -> None:
    names = ["a", "b", "c"]
    assert Choices().compared(FILE, names) == [0, 1, 2]
    assert Choices(outputs=("c", "a")).compared(FILE, names) == [2, 0]
    with pytest.raises(QuantriftError, match="has outputs a, b, c, not d; make the assessment again"):
        Choices(outputs=("d",)).compared(FILE, names)
