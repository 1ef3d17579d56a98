"""Figures made from the records of searches: co-occurrence and vectors in the plane."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories import datasets, targets

from quantrift.core.base.errors import QuantriftError

DATASETS = {"tiny": datasets.scene(None, "Tiny scene", "abc")}
PAIRS = {"kind": "cooccurrence", "title": "Together", "from": ["rq1"]}
PLANE = {"kind": "tsne", "title": "Vectors", "from": ["rq2"], "vectors": 40, "perplexity": 8,
         "metaheuristics": {"PSO": {"f_cov": "ga_div", "f_div": "pso_div"}}}  # fmt: skip


def draw(folder: Path, files: list[Path], stated: dict[str, Any]) -> Path:
    """A figure of some records; its path without suffix."""
    given = targets.given({"records": targets.of_searches(files)}, DATASETS, titles={"pso_div": "PSO"})
    return targets.figure(folder, given, **stated)


def test_a_panel_names_its_tool_and_both_kinds_of_candidates(
    tiny_searches: dict[str, list[Path]], tmp_path: Path
) -> None:
    stem = draw(tmp_path, [*tiny_searches["random_feasible"], *tiny_searches["pso_div"]], PAIRS)
    found = targets.texts(stem)
    for words in ("Tiny scene", "hybridsn \u00b7 ptq_int8 \u00b7 PSO",
                  "hybridsn \u00b7 ptq_int8 \u00b7 random_feasible",
                  "salt and pepper",
                  "difference-inducing", "inputs of 4 run seeds", "log odds ratio", "scale: demo"):  # fmt: skip
        assert any(words in text for text in found), words
    assert stem.with_suffix(".png").stat().st_size > 0


@pytest.mark.parametrize("form", ["raw", "scaled"])
def test_both_embeddings_are_drawn_and_their_settings_stated(
    tiny_searches: dict[str, list[Path]], tmp_path: Path, form: str
) -> None:
    files = [*tiny_searches["pso_div"], *tiny_searches["ga_div"]]
    stem = draw(tmp_path, files, PLANE | {"form": form, "seed": 3})
    found = targets.texts(stem)
    for words in ("hybridsn \u00b7 ptq_int8 \u00b7 PSO: t-SNE", "vectors a fitness function", "4 run seeds: PCA",
                  "f_cov", "f_div",
                  "first component", f"{form} genes; perplexity 8, seed 3; scale: demo"):  # fmt: skip
        assert any(words in text for text in found), words
    # Points are an image.
    assert stem.with_suffix(".svg").stat().st_size < 1_000_000


def test_a_perplexity_too_large_for_the_vectors_is_lowered_and_said(
    tiny_searches: dict[str, list[Path]], tmp_path: Path
) -> None:
    files = [*tiny_searches["pso_div"], *tiny_searches["ga_div"]]
    stem = draw(tmp_path, files, PLANE | {"vectors": 8, "perplexity": 30})
    assert "perplexity 5: few vectors" in targets.texts(stem)


@pytest.mark.slow
def test_equal_records_give_equal_files(tiny_searches: dict[str, list[Path]], tmp_path: Path) -> None:
    files = [*tiny_searches["pso_div"], *tiny_searches["ga_div"]]
    for stated in (PAIRS, PLANE):
        stem = draw(tmp_path, files, stated)
        before = [stem.with_suffix(suffix).read_bytes() for suffix in (".svg", ".png")]
        draw(tmp_path, files, stated)
        assert [stem.with_suffix(suffix).read_bytes() for suffix in (".svg", ".png")] == before


def test_nothing_to_draw_is_an_error_that_says_what_to_do(tiny_searches: dict[str, list[Path]], tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="name others in `from`"):
        draw(tmp_path, [], PAIRS)
    with pytest.raises(QuantriftError, match="lack its tools; name others in `from`"):
        draw(tmp_path, tiny_searches["pso_div"], PLANE)
