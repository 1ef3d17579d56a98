"""The documents on what reproduces and on errors of the papers say the same as the files behind them."""

import re

import pytest
from tests.factories.configurations import of_scale
from tests.factories.places import CONFIG, PUBLISHED, ROOT
from tools.documents import thesis

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.arrangement import records

ERRATA, QUANTIZATION = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("docs/errata.md", "docs/quantization.md")
)


def test_a_perceptron_that_is_not_the_least_robust_along_the_margin_is_no_entry_of_the_errata() -> None:
    rows = dict(thesis.measured())
    rows["fgsm_margin", 0.1, 1] = dict(rows["fgsm_margin", 0.1, 1]) | {"accuracy": 0.9}
    with pytest.raises(QuantriftError, match="the numbers no longer say what the entry in .*errata.md says"):
        thesis.entry(rows)


def test_the_errata_say_what_inputs_that_disagree_beforehand_add_to_the_published_dir() -> None:
    def cells(name: str, column: str, **where: str) -> list[float]:
        rows = records(PUBLISHED / f"{name}.csv")
        return [float(row[column]) for row in rows if where.items() <= row.items()]

    subject = {"dataset": "pavia_university", "compression": "ptq_int8"}
    (before,) = cells("diverget_table3", "original_n_dii", model="ssrn", **subject)
    (vr,) = cells("diverget_table7", "pso_vr", **subject)
    ssrn, hybridsn = (cells("diverget_table9", "pso_dir", model=model, **subject)[0] for model in ("ssrn", "hybridsn"))
    added = before / 800 * vr
    text = " ".join(ERRATA.split())
    assert f"17 % of PSO's VR of {100 * vr:.2f} % (Table 7) are {100 * added:.1f} points of PSO's DiR" in text
    assert f"DiR of {100 * ssrn:.2f} % on SSRN-PU-PTQ (Table 9)" in text
    without, with_them = (ssrn - added + hybridsn) / 2, (ssrn + hybridsn) / 2
    assert f"is then {100 * without:.1f} instead of {100 * with_them:.1f} %" in text


def test_the_thesis_trains_as_many_networks_as_the_document_says() -> None:
    studies = of_scale("paper").bit_studies
    own = [one for name, one in studies.items() if not name.endswith("_matched")]
    number = sum(len(one.dataset) * len(one.model) * len(one.settings) * one.repetitions for one in own)
    assert re.findall(r"thesis trains (\d+) networks", QUANTIZATION) == [str(number)]
    assert re.findall(r"thesis's (\d+) trainings", QUANTIZATION) == [str(number)]


def test_the_paper_scale_makes_every_target_but_those_that_it_names() -> None:
    paper, sample = of_scale("paper"), of_scale("sample")
    collections = {name for name, target in paper.targets.items() if target.kind == "collection"}
    assert {*paper.targets} == {*paper.shown} | collections
    comment = (
        (CONFIG / "paper.yaml").read_text(encoding="utf-8").partition("# Every target but ")[2].partition("\nall:")[0]
    )
    named = {name for name in re.findall(r"\w+", comment) if name in sample.targets}
    assert named == {*sample.targets} - {*paper.targets}


def test_the_sample_scale_makes_every_target() -> None:
    sample = of_scale("sample")
    made = {name for name, target in sample.targets.items() if target.kind != "collection"}
    assert made == {name for name in sample.shown if sample.targets[name].kind != "collection"}


def test_the_page_on_searching_says_which_searches_store_disagreements_alone() -> None:
    protocols = of_scale("paper").protocols
    found = {name for name, one in protocols.items() if one.candidates == "found"}
    assert {name for name in protocols if name.startswith(("diffchaser", "triggerfinder"))} <= found
    assert not {name for name in found if name.startswith("rq")}
    assert (
        "Protocols with `candidates: found`, like all of DiffChaser's and TriggerFinder's, keep only candidates on "
        "which the models disagree"
    ) in " ".join((ROOT / "docs/searching.md").read_text(encoding="utf-8").split())


def test_the_reason_for_16_56_is_the_same_in_both_places() -> None:
    reason = "a run seed has 160 inputs, so a median over 50 run seeds is a multiple of 0.3125"
    for page in (ERRATA, (PUBLISHED / "README.md").read_text(encoding="utf-8")):
        assert reason in " ".join(page.split()).replace("A run seed", "a run seed")


@pytest.mark.parametrize("distributions", [(1, 3, 5, 7)])
def test_the_errata_count_the_distributions_that_figure_4_25_attacks(distributions: tuple[int, ...]) -> None:
    attacked = of_scale("paper").bit_studies["bits_1_4"].attacked
    assert attacked == [f"heterogeneous_1_4_{number}" for number in distributions]
    assert "of the four attacked (1, 3, 5 and 7)" in " ".join(ERRATA.split())
