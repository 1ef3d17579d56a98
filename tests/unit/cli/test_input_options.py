"""Options for the layout and scale of inputs; values that are no numbers or do not fit are refused."""

import argparse

import pytest

from quantrift.cli.input_options import FORM, form_of
from quantrift.cli.main import add_options
from quantrift.core.base.errors import QuantriftError
from quantrift.judge.intake.input_form import FROM_FILES, InputForm


def said(*words: str) -> InputForm:
    parser = argparse.ArgumentParser()
    add_options(parser, FORM)
    parser.add_argument("--space")
    return form_of(parser.parse_args(words))


def test_nothing_said_leaves_everything_to_the_files() -> None:
    assert said() == FROM_FILES


def test_everything_can_be_said() -> None:
    words = ("--layout", "channels_first", "--range", "-1", "1", "--mean", "0.4,0.5,0.6", "--std", "0.2,0.2,0.2")
    expected = InputForm("channels_first", (-1, 1), (0.4, 0.5, 0.6), (0.2, 0.2, 0.2), "image_distortions")
    assert said(*words, "--space", "image_distortions") == expected


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(QuantriftError, match="--mean is '0,4;0,5'; give numbers with commas between"):
        said("--mean", "0,4;0,5", "--std", "1")
