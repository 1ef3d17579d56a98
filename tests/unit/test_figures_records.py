"""Figures made from the records of searches: co-occurrence and vectors in the plane."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from quantrift.config.datasets import SimulatedScene
from quantrift.config.errors import QuantriftError
from quantrift.config.targets import CooccurrenceFigure, TsneFigure
from quantrift.figures import cooccurrence, tsne
from quantrift.metrics.given import Given

SVG = "{http://www.w3.org/2000/svg}"
DATASETS = {
    "tiny": SimulatedScene(kind="simulated_scene", title="Tiny scene", class_names=["a", "b", "c"], bands=16),
}
PAIRS = CooccurrenceFigure.model_validate({"kind": "cooccurrence", "title": "Together", "from": ["rq1"]})


def plane(**changes: Any) -> TsneFigure:
    given = {"kind": "tsne", "title": "Vectors", "from": ["rq2"], "vectors": 40, "perplexity": 8,
             "metaheuristics": {"PSO": {"f_cov": "ga_div", "f_div": "pso_div"}}}  # fmt: skip
    return TsneFigure.model_validate(given | changes)


def given(files: list[Path]) -> Given:
    return Given(files=files, datasets=DATASETS, scale="demo", titles={"pso_div": "PSO"})


def texts(out: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(f"{out}.svg").getroot().iter(f"{SVG}text")]


def test_a_panel_names_its_tool_and_both_kinds_of_candidates(
    tiny_searches: dict[str, list[Path]], tmp_path: Path
) -> None:
    cooccurrence.make(PAIRS, given([*tiny_searches["random_feasible"], *tiny_searches["pso_div"]]), tmp_path / "pairs")
    found = texts(tmp_path / "pairs")
    for words in ("Tiny scene", "hybridsn, ptq_int8, PSO", "hybridsn, ptq_int8, random_feasible", "salt and pepper",
                  "difference-inducing", "inputs of 4 run seeds", "log odds ratio", "scale: demo"):  # fmt: skip
        assert any(words in text for text in found), words
    assert (tmp_path / "pairs.png").stat().st_size > 0


@pytest.mark.parametrize("form", ["raw", "scaled"])
def test_both_embeddings_are_drawn_and_their_settings_stated(
    tiny_searches: dict[str, list[Path]], tmp_path: Path, form: str
) -> None:
    files = [*tiny_searches["pso_div"], *tiny_searches["ga_div"]]
    tsne.make(plane(form=form, seed=3), given(files), tmp_path / "plane")
    found = texts(tmp_path / "plane")
    for words in ("hybridsn, ptq_int8, PSO: t-SNE", "vectors a fitness function", "4 run seeds: PCA", "f_cov", "f_div",
                  "first component", f"{form} genes; perplexity 8, seed 3; scale: demo"):  # fmt: skip
        assert any(words in text for text in found), words
    # Points are an image.
    assert (tmp_path / "plane.svg").stat().st_size < 1_000_000


def test_a_perplexity_too_large_for_the_vectors_is_lowered_and_said(
    tiny_searches: dict[str, list[Path]], tmp_path: Path
) -> None:
    files = [*tiny_searches["pso_div"], *tiny_searches["ga_div"]]
    tsne.make(plane(vectors=8, perplexity=30), given(files), tmp_path / "plane")
    assert "perplexity 5: few vectors" in texts(tmp_path / "plane")


def test_equal_records_give_equal_files(tiny_searches: dict[str, list[Path]], tmp_path: Path) -> None:
    files = [*tiny_searches["pso_div"], *tiny_searches["ga_div"]]
    for name in ("one", "other"):
        tsne.make(plane(), given(files), tmp_path / f"plane_{name}")
        cooccurrence.make(PAIRS, given(files), tmp_path / f"pairs_{name}")
    for kind in ("plane", "pairs"):
        for suffix in (".svg", ".png"):
            one, other = (tmp_path / f"{kind}_{name}{suffix}" for name in ("one", "other"))
            assert one.read_bytes() == other.read_bytes()


def test_nothing_to_draw_is_an_error_that_says_what_to_do(tiny_searches: dict[str, list[Path]], tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="name others in `from`"):
        cooccurrence.make(PAIRS, given([]), tmp_path / "x")
    with pytest.raises(QuantriftError, match="lack its tools; name others in `from`"):
        tsne.make(plane(), given(tiny_searches["pso_div"]), tmp_path / "x")
