"""Names of any kind in figures: they are drawn as they are."""

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from tests.factories import targets

from quantrift.core.base.files import write_json
from quantrift.core.page.made_safe import inlined
from quantrift.core.page.style import STYLE, save
from quantrift.study.datasets.kinds.embedded_digits import Settings as EmbeddedDigits

HOSTILE = [
    "$x_{ and $",
    "$100 or $200",
    r"\$5 and $\frac{1}{2}$",
    "<script>alert(1)</script>",
    "]]> &amp; --> '\"",
    "=cmd()",
    "a|b",
    "line\nend",
    "\u202eright to left\u200f",
    "_hidden",
    "",
    "bell\x07 and nothing\x00",
]


def drawn(name: str, stem: Path, forms: Sequence[str] = (".svg",)) -> ElementTree.Element:
    """A figure with the name in every place that a name has in one, beside a logarithmic axis, as SVG."""
    with mpl.rc_context(STYLE):
        figure = Figure(layout="constrained")
        part = figure.add_subfigure(figure.add_gridspec(1, 1)[0])
        axis = part.subplots()
        axis.set(xscale="log", xlim=(1, 1000), xlabel=name, ylabel=name, title=name)
        axis.set_yticks([0, 1], [name, name])
        axis.annotate(name, (10, 0.5))
        axis.legend(handles=[Line2D([], [], label=name)], title=name)
        part.suptitle(name)
        with warnings.catch_warnings():
            # Of characters that no font has, and of names longer than the figure.
            warnings.simplefilter("ignore")
            save(figure, stem, forms)
    return ElementTree.fromstring(stem.with_suffix(".svg").read_bytes())


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(one.itertext()) for one in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("name", [*HOSTILE, "very long " * 400])
def test_a_name_is_drawn_as_it_is_in_every_place(name: str, tmp_path: Path) -> None:
    written = texts(drawn(name, tmp_path / "figure", (".svg", ".png")))
    assert (tmp_path / "figure.png").stat().st_size > 0
    for line in filter(None, name.splitlines()):
        expected = line.replace("\x07", "\ufffd").replace("\x00", "\ufffd").strip()
        assert [text.strip() for text in written].count(expected) == 9, "two ticks, title, labels, legend and the rest"


# Python holds half characters, which no file can; the configuration refuses them.
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
@example("$x_{ and $")
@settings(max_examples=15, deadline=None)
@pytest.mark.slow
def test_any_name_gives_an_svg_that_a_page_can_hold(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    stem = tmp_path_factory.mktemp("any") / "figure"
    drawn(name, stem)
    assert inlined(stem.with_suffix(".svg"), "f", name).startswith("<svg")


def test_powers_of_ten_stay_formulas_beside_a_name_with_dollar_signs(tmp_path: Path) -> None:
    shown = "".join("".join(text.split()) for text in texts(drawn("$1$", tmp_path / "figure")))
    assert "100101102103" in shown
    assert "mathdefault" not in shown


def test_bounds_that_differ_in_their_last_bits_give_the_same_bytes(tmp_path: Path) -> None:
    saved = []
    for number, left in enumerate((0.1, np.nextafter(0.1, 1))):
        figure = Figure()
        for bottom in (0.1, 0.6):
            figure.add_axes((left, bottom, 0.8, 0.3)).plot([0, 1], [0, 1])
        with mpl.rc_context(STYLE):
            save(figure, tmp_path / f"{number}")
        saved.append((tmp_path / f"{number}.svg").read_text())
    assert saved[0] == saved[1]
    assert set(re.findall(r'clip-path="url\(#(\w+)\)"', saved[0])) == {"clip0", "clip1"}
    assert set(re.findall(r'<clipPath id="(\w+)">', saved[0])) == {"clip0", "clip1"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_figure_of_the_workflow_shows_titles_as_they_are(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "digits" / "net"
    write_json(folder / "model.json", {"accuracy": 0.9})
    pd.DataFrame({"epoch": [1, 2], "accuracy": [0.5, 0.8], "loss": [2.0, 1.0]}).to_csv(folder / "history.csv")
    dataset = EmbeddedDigits(kind="embedded_digits", title=name, class_names=[name] * 10)
    stated = targets.given({"histories": {("digits", "net"): folder / "history.csv"}}, {"digits": dataset})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stem = targets.figure(tmp_path, stated, kind="learning_curves", title=name)
    written = texts(ElementTree.fromstring(stem.with_suffix(".svg").read_bytes()))
    for line in filter(None, name.splitlines()):
        assert written.count(line.replace("\x07", "\ufffd").replace("\x00", "\ufffd")) == 2, "figure and panel"
