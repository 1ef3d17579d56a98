"""Tables and figures of bit studies: our and published numbers stay apart, and each test is reported in full."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest
from scipy import stats
from tests.factories import datasets, targets
from tests.factories.places import PUBLISHED

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.arrangement import Names
from quantrift.core.settings.bit_studies import BitStudy
from quantrift.study.compression.methods.heterogeneous import Settings as Heterogeneous
from quantrift.study.compression.methods.homogeneous import Settings as Homogeneous
from quantrift.study.results.tables.answer_words import Words
from quantrift.study.results.tables.kinds import bit_robustness
from quantrift.study.results.targets.given_files import Given

DATASETS = {"mine": datasets.digits("mnist", "Mine", "ab")}
SAME = {f"homogeneous_{bits}": Homogeneous(bits=bits) for bits in (1, 3)}
SHARES = {1: (0.6, 0, 0, 0.4), 4: (0.1, 0.35, 0.35, 0.2)}
LOW = {f"heterogeneous_3_6_{n}": Heterogeneous(bits=(3, 4, 5, 6), shares=own, budget=5) for n, own in SHARES.items()}
HIGH = {f"heterogeneous_6_9_{n}": Heterogeneous(bits=(6, 7, 8, 9), shares=own, budget=8) for n, own in SHARES.items()}
MATCHED = {"matched": Heterogeneous(bits=(4, 5), shares=(0.8, 0.2), budget=5)}
SETTINGS: Mapping[str, Mapping[str, Homogeneous | Heterogeneous]] = {
    "bits_homogeneous": SAME,
    "bits_3_6": LOW,
    "bits_6_9": HIGH,
    "bits_3_6_matched": MATCHED,
}
STUDIES = {
    name: BitStudy(dataset=["mine"], model=["mlp"], settings=list(own), strengths={"mine": [0, 0.1]})
    for name, own in SETTINGS.items()
}
Rows = Sequence[tuple[Any, ...]]
Write = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """Writes a file of a study on the perceptron, as the rules ``train_bits`` and ``attack_bits`` do."""

    def write(study: str, name: str, columns: Sequence[str], rows: Rows) -> Path:
        path = tmp_path / "bits" / "mine" / "mlp" / study / "networks_000-099" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows, columns=list(columns)).to_parquet(path)
        return path

    return write


@pytest.fixture
def accuracies(written: Write) -> Callable[[str, Mapping[str, Sequence[int]]], Path]:
    """Writes accuracies: setting -> inputs of 1000 that are labelled correctly in each repetition."""

    def write(study: str, correct: Mapping[str, Sequence[int]]) -> Path:
        rows = [(name, place, "none", 0.0, one, 1000) for name, own in correct.items() for place, one in enumerate(own)]
        return written(study, "accuracies", ["setting", "repetition", "attack", "strength", "correct", "inputs"], rows)

    return write


@pytest.fixture
def attacks(written: Write) -> Callable[[str, Mapping[tuple[str, str], Mapping[float, Sequence[int]]]], Path]:
    """Writes outcomes of attacks: (setting, attack) -> strength -> the same; no input of which is moved by FGSM."""
    columns = ["setting", "repetition", "attack", "strength", "correct", "inputs", "unmoved"]

    def write(study: str, correct: Mapping[tuple[str, str], Mapping[float, Sequence[int]]]) -> Path:
        rows = [
            (setting, place, attack, strength, one, 1000, 1000 if attack == "fgsm" else 0)
            for (setting, attack), own in correct.items()
            for strength, counts in own.items()
            for place, one in enumerate(counts)
        ]
        return written(study, "robustness", columns, rows)

    return write


def given(files: Mapping[str, Sequence[Path]], published: str | None) -> Given:
    """Files of studies by the names that a kind gives them."""
    keyed = {own: {file.parts[-5:-2]: file for file in paths} for own, paths in files.items()}
    stated = {
        "studies": {study: one.model_dump(mode="json") for study, one in STUDIES.items()},
        "compressions": {name: one.model_dump(mode="json") for part in SETTINGS.values() for name, one in part.items()},
    }
    titles = {"fgsm": "FGSM", "fgsm_margin": "FGSM along the margin"}
    papers = [PUBLISHED / published] if published else []
    return targets.given(keyed, DATASETS, scale="test", published=papers, stated=stated, titles=titles)


def table(folder: Path, name: str, files: Sequence[Path], published: str | None = None, **stated: Any) -> Path:
    """A table made of files that its kind needs by a name; its path without suffix."""
    return targets.table(folder, given({name: files}, published), **stated)


def draw(folder: Path, needs: Mapping[str, Sequence[Path]], published: str | None = None, **stated: Any) -> Path:
    """A figure, as SVG."""
    return targets.figure(folder, given(needs, published), **stated).with_suffix(".svg")


def test_accuracies_stand_beside_the_published_ones(
    accuracies: Callable[[str, Mapping[str, Sequence[int]]], Path], tmp_path: Path
) -> None:
    file = accuracies("bits_homogeneous", {"homogeneous_1": [940, 950, 960], "homogeneous_3": [980, 980, 980]})
    stated: dict[str, Any] = {"kind": "bit_accuracies", "studies": ["bits_homogeneous"]}
    stem = table(tmp_path, "accuracies", [file], "thesis_accuracies.csv", **stated)
    one, three = pd.read_csv(stem.with_suffix(".csv")).to_dict("records")
    assert (one["setting"], one["mean_bits"], one["repetitions"], one["inputs"]) == ("homogeneous_1", 1, 3, 1000)
    assert (one["accuracy"], one["accuracy_sd"]) == pytest.approx((0.95, 0.01))
    assert one["published_accuracy"] == 0.949
    assert one["accuracy_difference"] == pytest.approx(0.001)
    assert (three["accuracy_low"], three["accuracy_high"]) == pytest.approx((0.98, 0.98))
    page = targets.markdown(stem)
    assert "| bits_homogeneous | homogeneous_1 | 95.00 [92.52, 97.48] | 94.90 | 1 | 1.00 | +0.10 | 3 | 1 000 |" in page
    assert "| bits_homogeneous | homogeneous_3 | 98.00 [98.00, 98.00] | 97.50 | 3 | 0.00 | +0.50 | 3 | 1 000 |" in page
    assert "| published Accuracy % |" in page
    assert "published/thesis_accuracies.csv" in stem.with_suffix(".provenance.json").read_text()


def test_significance_within_and_between_studies_is_compared_with_the_thesis(
    accuracies: Callable[[str, Mapping[str, Sequence[int]]], Path], tmp_path: Path
) -> None:
    first, fourth = "heterogeneous_{}_1", "heterogeneous_{}_4"
    files = [
        accuracies("bits_3_6", {first.format("3_6"): [900, 901, 902, 903, 904], fourth.format("3_6"): [950] * 5}),
        accuracies("bits_6_9", {first.format("6_9"): [950, 951, 949, 950, 950], fourth.format("6_9"): [950] * 5}),
    ]
    stated: dict[str, Any] = {"studies": ["bits_3_6", "bits_6_9"], "against": {"bits_3_6": "bits_6_9"}}
    stem = table(tmp_path, "accuracies", files, "thesis_significance.csv", kind="bit_significance", **stated)
    tests = pd.read_csv(stem.with_suffix(".csv"), dtype={"distribution": str})
    assert tests["study"].tolist() == ["bits_3_6", "bits_6_9", "bits_3_6", "bits_3_6"]
    assert tests["distribution"].fillna("").tolist() == ["", "", "1", "4"]
    assert tests["other_setting"].fillna("").tolist() == ["", "", first.format("6_9"), fourth.format("6_9")]
    # Perceptron on MNIST: 3-6 significant, 6-9 not, distributions 1 and 4 not.
    assert tests["published_significant"].tolist() == [1, 0, 0, 0]
    assert tests["significant"].tolist() == ["yes", "no", "yes", "no"]
    assert tests["verdict"].tolist() == ["agrees", "agrees", "differs", "agrees"]
    assert tests["verdict_discussion"].fillna("").tolist() == ["", "", "differs", "agrees"]
    assert tests["accuracy_difference"].tolist()[2:] == pytest.approx([0.048, 0])
    assert (tests["p_holm"] >= tests["p"]).all()
    page = targets.markdown(stem)
    assert "| Mine | mlp | 3 | 1 | 0 | 1 | 1 | 0 |" in page
    assert "chapter 4: agrees | chapter 4: differs | chapter 4: undecided | chapter 5: agrees |" in page
    assert "| heterogeneous_6_9_1 | 2 | 90.20 | 95.00 | +4.80 [" in page


def test_a_control_is_the_counterpart_of_the_same_mean(
    accuracies: Callable[[str, Mapping[str, Sequence[int]]], Path], tmp_path: Path
) -> None:
    files = [
        accuracies("bits_3_6", {"heterogeneous_3_6_1": [900, 910], "heterogeneous_3_6_4": [950, 940]}),
        accuracies("bits_3_6_matched", {"matched": [930, 920]}),
    ]
    against = {"bits_3_6": "bits_3_6_matched"}
    stated: dict[str, Any] = {"kind": "bit_significance", "studies": ["bits_3_6"], "within": False}
    stem = table(tmp_path, "accuracies", files, **stated, against=against)
    [row] = pd.read_csv(stem.with_suffix(".csv")).to_dict("records")
    assert (row["setting"], row["other_setting"]) == ("heterogeneous_3_6_1", "matched")
    assert row["accuracy_difference"] == pytest.approx(0.02)
    assert "published" not in targets.markdown(stem)
    assert "Statements of the thesis" not in targets.markdown(stem)
    with pytest.raises(ValueError, match="nothing is compared"):
        table(tmp_path, "accuracies", files, **stated)


def test_claims_are_tested_at_each_strength_and_attack(
    attacks: Callable[[str, Mapping[tuple[str, str], Mapping[float, Sequence[int]]]], Path], tmp_path: Path
) -> None:
    good, bad = [800, 805, 810, 800, 805], [500, 505, 510, 500, 505]
    file = attacks(
        "bits_homogeneous",
        {
            ("homogeneous_1", "fgsm"): {0: good, 0.1: good},
            ("homogeneous_1", "pgd"): {0: good, 0.1: bad},
            ("homogeneous_3", "fgsm"): {0: good, 0.1: bad},
            ("homogeneous_3", "pgd"): {0: good, 0.1: good},
        },
    )
    claim = {"sentence": "1 bit is best.", "study": "bits_homogeneous", "dataset": ["mine"], "model": "mlp"}
    stated: dict[str, Any] = {"kind": "bit_robustness", "studies": ["bits_homogeneous"]}
    claimed = {"one": claim | {"best": ["homogeneous_1"]}}
    stem = table(tmp_path, "outcomes", [file], "thesis_robustness.csv", **stated, claims=claimed)
    claims = pd.read_csv(f"{stem}.claims.csv")
    assert claims[["attack", "strength", "verdict"]].values.tolist() == [
        ["fgsm", 0.1, "agrees"],
        ["pgd", 0.1, "differs"],
    ]
    assert claims["unmoved_share"].tolist() == [1, 0]
    assert claims["p"].tolist() == pytest.approx(claims["p_reverse"].tolist()[::-1])
    rows = pd.read_csv(stem.with_suffix(".csv"))
    assert len(rows) == 8
    assert rows.loc[rows["attack"] == "pgd", "unmoved_share"].tolist() == [0] * 4
    # The thesis states nothing of the perceptron on MNIST.
    assert rows["published_accuracy"].isna().all()
    page = targets.markdown(stem)
    assert "| one | Mine | mlp | bits_homogeneous | FGSM | 0.100 | homogeneous_1 | homogeneous_3 | 80.40 |" in page
    assert "| 80.40 | 50.40 | 100.00 |" in page
    assert "Claim one: 1 bit is best." in page
    others = {"one": claim | {"best": ["homogeneous_1"], "others": ["homogeneous_5"]}}
    stem = table(tmp_path, "outcomes", [file], **stated, claims=others)
    assert len(pd.read_csv(f"{stem}.claims.csv")) == 0, "the study has no such other setting"
    nobody = {"one": claim | {"best": ["homogeneous_2"]}}
    stem = table(tmp_path, "outcomes", [file], **stated, claims=nobody)
    assert len(pd.read_csv(f"{stem}.claims.csv")) == 0


def test_a_claim_quotes_its_weakest_setting_and_the_strongest_other_at_each_strength(
    attacks: Callable[[str, Mapping[tuple[str, str], Mapping[float, Sequence[int]]]], Path], tmp_path: Path
) -> None:
    counts = {  # At .1 and at .2, in repetitions.
        "homogeneous_1": ([900, 902], [700, 702]),
        "homogeneous_2": ([850, 852], [750, 752]),
        "homogeneous_3": ([500, 504], [600, 604]),
        "homogeneous_5": ([540, 544], [590, 594]),
    }
    file = attacks(
        "bits_homogeneous",
        {(name, "pgd"): {0: [950, 950], 0.1: few, 0.2: more} for name, (few, more) in counts.items()},
    )
    claim = {"sentence": "Few bits.", "study": "bits_homogeneous", "dataset": ["mine"], "model": "mlp"}
    stem = table(
        tmp_path,
        "outcomes",
        [file],
        kind="bit_robustness",
        studies=["bits_homogeneous"],
        claims={"few": claim | {"best": ["homogeneous_1", "homogeneous_2"]}},
    )
    rows = pd.read_csv(f"{stem}.claims.csv")
    quoted = rows[["strength", "setting", "other_setting", "accuracy", "other_accuracy"]].to_numpy().tolist()
    assert quoted == [
        [0.1, "homogeneous_2", "homogeneous_5", pytest.approx(0.851), pytest.approx(0.542)],
        [0.2, "homogeneous_1", "homogeneous_3", pytest.approx(0.701), pytest.approx(0.602)],
    ]
    # A claim that names the others is tested against these alone.
    named = {"few": claim | {"best": ["homogeneous_2"], "others": ["homogeneous_3"]}}
    stem = table(tmp_path, "outcomes", [file], kind="bit_robustness", studies=["bits_homogeneous"], claims=named)
    alone = pd.read_csv(f"{stem}.claims.csv")
    assert alone[["setting", "other_setting"]].to_numpy().tolist() == [["homogeneous_2", "homogeneous_3"]] * 2
    # p is the largest of the four one-sided tests, its reverse the smallest of the other four times their number.
    pairs = [(one, other) for one in ("homogeneous_1", "homogeneous_2") for other in ("homogeneous_3", "homogeneous_5")]
    for place, row in enumerate(rows.to_dict("records")):
        tests = [
            [stats.ttest_ind(counts[one][place], counts[other][place], equal_var=False, alternative=side).pvalue
             for one, other in pairs]
            for side in ("greater", "less")
        ]  # fmt: skip
        assert (row["p"], row["p_reverse"]) == pytest.approx((max(tests[0]), min(1, 4 * min(tests[1]))))


def test_the_answer_on_attacks_quotes_the_extremes_at_the_greatest_strength_of_each() -> None:
    columns = bit_robustness.COLUMNS

    def row(attack: str, strength: str, setting: str, accuracy: str) -> dict[str, str]:
        named = {"dataset": "mine", "model": "mlp", "study": "s", "setting": setting}
        return (
            {one.name: "" for one in columns} | named | {"attack": attack, "strength": strength, "accuracy": accuracy}
        )

    rows = [
        row("fgsm", "0.05", "a", "0.2"),
        row("fgsm", "0.05", "b", "0.9"),
        row("fgsm", "0.1", "a", "0.7"),
        row("fgsm", "0.1", "b", "0.5"),
        row("fgsm", "0.1", "c", ""),
        row("pgd", "0.3", "a", "0.25"),
        row("pgd", "0.1", "a", "0.6"),
        row("pgd", "0.3", "b", "0.35"),
    ]
    words = Words(columns, Names({"fgsm": "FGSM", "pgd": "PGD"}, frozenset()))
    assert bit_robustness.answer(cast(Any, None), rows, words) == [
        "mine \u00b7 mlp: under FGSM of 0.100, accuracy from 50\u00a0% with b to 70\u00a0% with a.",
        "mine \u00b7 mlp: under PGD of 0.300, accuracy from 25\u00a0% with a to 35\u00a0% with b.",
    ]


def test_what_was_drawn_stands_beside_distribution_and_budget(
    written: Write, tmp_path: Path, answers_say_what_their_tables_say: list[str]
) -> None:
    counts = {0: (61, 39), 1: (58, 42)}
    rows = [
        ("heterogeneous_3_6_1", repetition, bits, count)
        for repetition, own in counts.items()
        for bits, count in zip((3, 6), own, strict=True)
    ]
    file = written("bits_3_6", "drawn", ["setting", "repetition", "bits", "weights"], rows)
    stem = table(tmp_path, "drawn", [file], kind="bit_distributions", studies=["bits_3_6"])
    [row] = pd.read_csv(stem.with_suffix(".csv")).to_dict("records")
    assert (row["mean_bits"], row["variance_bits"], row["budget_bits"]) == pytest.approx((4.2, 2.16, 5))
    assert (row["weights"], row["expected_total"], row["budget_total"]) == pytest.approx((100, 420, 500))
    assert (row["drawn_total_least"], row["drawn_total_most"]) == (417, 426)
    assert [row[f"drawn_{bits}_share"] for bits in (3, 4, 5, 6)] == pytest.approx([0.595, 0, 0, 0.405])
    assert (row["deviation_share"], row["spent_share"]) == pytest.approx((0.02, 426 / 500))
    assert pd.read_csv(f"{stem}.drawn.csv")["share"].tolist() == [0.61, 0.39, 0.58, 0.42]
    page = targets.markdown(stem)
    assert (
        "| heterogeneous_3_6_1 | 4.20 | 2.16 | 5 | 60.00 | 0.00 | 0.00 | 40.00 | 100 | 420 | 500 | 417 | 426 |" in page
    )
    assert "| 59.50 | 0.00 | 0.00 | 40.50 | 2.00 | 85.20 |" in page
    assert (
        "drawn shares of bits differ from the stated ones by 2\u00a0% at most, and spend 85.2\u00a0% of the budget."
        in answers_say_what_their_tables_say[0]
    )


def test_without_networks_tables_of_bits_are_empty(tmp_path: Path) -> None:
    for kind, name in (
        ("bit_distributions", "drawn"),
        ("bit_accuracies", "accuracies"),
        ("bit_robustness", "outcomes"),
    ):
        stem = table(tmp_path, name, [], kind=kind, studies=["bits_3_6"])
        header, *rows = stem.with_suffix(".csv").read_text().splitlines()
        assert header.startswith("dataset,model,study,setting,")
        assert rows == []


def test_figures_of_accuracies_show_controls_and_published_numbers(
    accuracies: Callable[[str, Mapping[str, Sequence[int]]], Path], tmp_path: Path
) -> None:
    files = [
        accuracies("bits_3_6", {"heterogeneous_3_6_1": [900, 910], "heterogeneous_3_6_4": [950, 940]}),
        accuracies("bits_3_6_matched", {"matched": [930, 920]}),
    ]
    mixed: dict[str, Any] = {"studies": ["bits_3_6"], "controls": {"bits_3_6": "bits_3_6_matched"}}
    kind, papers = "accuracy_by_bits", "thesis_accuracies.csv"
    found = set(targets.texts(draw(tmp_path, {"accuracies": files}, papers, kind=kind, **mixed)))
    assert {"distribution", "control: two adjacent bits, same mean", "1", "4", "mlp \u00b7 bits_3_6"} <= found
    # Of the perceptron on MNIST, distributions 3 and 6 alone are published.
    assert not {"published", "published, approximate"} & found
    file = accuracies("bits_homogeneous", {"homogeneous_1": [900], "homogeneous_3": [950]})
    same = draw(tmp_path, {"accuracies": [file]}, papers, kind=kind, studies=["bits_homogeneous"])
    assert {"published", "bits of each weight", "1 repetitions; scale: test"} <= set(targets.texts(same))
    before = same.read_bytes()
    draw(tmp_path, {"accuracies": [file]}, papers, kind=kind, studies=["bits_homogeneous"])
    assert same.read_bytes() == before
    with pytest.raises(QuantriftError, match="no networks were trained"):
        draw(tmp_path, {"accuracies": []}, kind=kind, studies=["bits_homogeneous"])


def test_figures_of_attacks_have_a_panel_for_each_attack(
    attacks: Callable[[str, Mapping[tuple[str, str], Mapping[float, Sequence[int]]]], Path], tmp_path: Path
) -> None:
    outcomes = {
        ("homogeneous_3", attack): {0.0: [900, 910], 0.1: [500, 520]} for attack in ("fgsm", "fgsm_margin", "pgd")
    }
    file = attacks("bits_homogeneous", outcomes)
    stated: dict[str, Any] = {"kind": "robustness_by_strength", "studies": ["bits_homogeneous"]}
    stated["attack"] = ["fgsm", "fgsm_margin"]
    found = set(targets.texts(draw(tmp_path, {"outcomes": [file]}, "thesis_robustness.csv", **stated)))
    assert {
        "3 bits",
        "mlp \u00b7 bits_homogeneous",
        "FGSM",
        "FGSM along the margin",
        "0",
        "0.1",
    } <= found
    assert "mlp \u00b7 bits_homogeneous \u00b7 PGD" not in found
    with pytest.raises(QuantriftError, match="no networks were attacked"):
        draw(tmp_path, {"outcomes": []}, **stated)


def test_shares_need_no_network(tmp_path: Path) -> None:
    path = draw(tmp_path, {}, kind="bit_shares", studies=["bits_3_6", "bits_6_9"])
    assert {"3 bits", "9 bits", "4.65", "± 1.47"} <= set(targets.texts(path))
