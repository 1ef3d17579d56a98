"""Accuracies over repetitions, and their tests, against scipy, a textbook example and cases worked out by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.factories import configurations

from quantrift.core.statistics import bit_study_accuracy
from quantrift.core.statistics.bit_study_accuracy import counterpart, distribution
from quantrift.core.statistics.bit_tests import against_published, anova, larger_p, significant, welch
from quantrift.study.compression.methods.heterogeneous import Settings as Heterogeneous
from quantrift.study.compression.methods.homogeneous import Settings as Homogeneous

# Welch (1947) as in R's documentation of sleep: t.test(extra ~ group) gives t = -1.8608, df = 17.776, p = 0.07939.
FIRST = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SECOND = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])


def test_welch_is_that_of_the_textbook() -> None:
    found = welch(FIRST, SECOND)
    assert found["statistic"] == pytest.approx(1.8608, abs=5e-5)
    assert found["freedom"] == pytest.approx(17.776, abs=5e-4)
    assert found["p"] == pytest.approx(0.07939, abs=5e-6)
    assert (found["accuracy_difference"], found["difference_low"], found["difference_high"]) == pytest.approx(
        (1.58, -0.2054832, 3.3654832)
    )
    assert found["kruskal_p"] == pytest.approx(stats.kruskal(FIRST, SECOND).pvalue)


def test_two_groups_of_equal_variance_give_the_same_p_in_both_tests() -> None:
    first, second = np.array([0.90, 0.91, 0.92, 0.93]), np.array([0.92, 0.93, 0.94, 0.95])
    both, pair = anova([first, second]), welch(first, second)
    assert both["p"] == pytest.approx(pair["p"])
    assert both["statistic"] == pytest.approx((pair["statistic"] or 0) ** 2)
    # Sums of squares: between 2 * 4 * 0.01^2, within 2 * 5e-4.
    assert both["effect"] == pytest.approx(8e-4 / (8e-4 + 10e-4))
    assert both["freedom"] == 6


def test_equal_accuracies_differ_in_nothing() -> None:
    same = [np.full(5, 0.1), np.full(5, 0.1)]
    assert (anova(same)["p"], welch(*same)["p"], larger_p(*same)) == (1, 1, 1)
    assert welch(*same)["accuracy_difference"] == 0


@pytest.mark.parametrize("empty", [[], [[], []], [[0.5, 0.6], []], [[], [0.5, 0.6, 0.7]], [[0.5, 0.6], [0.7, 0.8], []]])
def test_an_empty_group_gets_no_test(empty: list[list[float]]) -> None:
    assert anova([np.array(one) for one in empty]) == {"p": None}


def test_anova_of_three_groups_is_that_of_the_textbook() -> None:
    # Sums of squares: between 84, within 68; 2 and 15 degrees of freedom (F = 42 / 4.5333).
    groups = [np.array(one, float) for one in ([6, 8, 4, 5, 3, 4], [8, 12, 9, 11, 6, 8], [13, 9, 11, 8, 7, 12])]
    found = anova(groups)
    assert (found["statistic"], found["freedom"], found["effect"]) == pytest.approx((9.264706, 15, 84 / 152))
    assert found["p"] == pytest.approx(0.0023988, abs=1e-6)


def test_rounding_errors_are_no_variance() -> None:
    assert anova([np.array([0.1 + 0.2] * 5), np.full(5, 0.3)])["p"] == 1


def test_groups_that_vary_in_nothing_but_differ_get_no_p() -> None:
    apart = [np.full(5, 0.1), np.full(5, 0.2)]
    assert (anova(apart)["p"], welch(*apart)["p"], larger_p(*apart)) == (None, None, None)
    assert welch(*apart)["accuracy_difference"] == pytest.approx(0.1)
    assert anova(apart)["effect"] == 1


def test_one_group_may_be_constant(recwarn: pytest.WarningsRecorder) -> None:
    found = welch(np.full(5, 0.3), np.array([0.1, 0.2, 0.1, 0.2, 0.15]))
    # The t-test of one sample against a number.
    assert found["p"] == pytest.approx(stats.ttest_1samp([0.1, 0.2, 0.1, 0.2, 0.15], 0.3).pvalue)
    assert not recwarn.list


def test_a_single_repetition_gets_no_test() -> None:
    one = np.array([0.9])
    assert anova([one, one]) == {"p": None}
    assert welch(np.array([0.5]), np.array([0.25])) == {"p": None, "accuracy_difference": -0.25}
    assert larger_p(one, one) is None
    assert welch(one, np.array([])) == {"p": None}


def test_the_one_sided_test_is_half_of_the_two_sided_one() -> None:
    assert larger_p(SECOND, FIRST) == pytest.approx((welch(FIRST, SECOND)["p"] or 0) / 2)
    assert (larger_p(SECOND, FIRST) or 0) + (larger_p(FIRST, SECOND) or 0) == pytest.approx(1)


@pytest.mark.parametrize(
    ("p", "adjusted", "ours", "published", "verdict"),
    [
        (0.001, 0.04, "yes", 1, "agrees"),
        (0.001, 0.04, "yes", 0, "differs"),
        (0.01, 0.2, "undecided", 1, "undecided"),
        (0.3, 1.0, "no", 0, "agrees"),
        (0.3, 1.0, "no", 1, "differs"),
        (0.3, 1.0, "no", None, ""),
        (None, None, None, 1, ""),
    ],
)
def test_a_finding_stands_beside_the_published_one(
    p: float | None, adjusted: float | None, ours: str | None, published: float | None, verdict: str
) -> None:
    assert significant(p, adjusted) == ours
    assert against_published(significant(p, adjusted), published) == verdict


def test_rows_say_whose_accuracies_they_are(tmp_path: Path) -> None:
    file = tmp_path / "bits" / "mnist" / "mlp" / "bits_3_6" / "networks_000-099" / "accuracies.parquet"
    file.parent.mkdir(parents=True)
    rows = {"setting": ["a", "a", "b"], "repetition": [1, 0, 0], "attack": "none", "strength": 0.0}
    pd.DataFrame({**rows, "correct": [90, 80, 50], "inputs": 100}).to_parquet(file)
    found = bit_study_accuracy.load({("mnist", "mlp", "bits_3_6"): [file]})
    assert found[["dataset", "model", "study"]].drop_duplicates().values.tolist() == [["mnist", "mlp", "bits_3_6"]]
    assert bit_study_accuracy.values(found, "bits_3_6", "a").tolist() == [0.8, 0.9]
    assert found["unmoved"].isna().all()
    several, single = bit_study_accuracy.summary(found, ["setting"]).to_dict("records")
    assert (several["repetitions"], several["accuracy"], several["inputs"]) == (2, pytest.approx(0.85), 100)
    assert several["accuracy_sd"] == pytest.approx(np.sqrt(0.005))
    # t with one degree of freedom: 12.7062 * 0.05; cut where no accuracy can be.
    assert (several["accuracy_low"], several["accuracy_high"]) == pytest.approx((0.85 - 0.635310, 1), abs=1e-6)
    assert np.isnan([single["accuracy_sd"], single["accuracy_low"], single["accuracy_high"]]).all()
    assert len(bit_study_accuracy.load({})) == 0


@pytest.mark.parametrize(
    ("settings", "short"),
    [
        (["heterogeneous_3_6_1", "heterogeneous_3_6_7"], ["1", "7"]),
        (["homogeneous_3", "homogeneous_32"], ["3", "32"]),
        (["homogeneous_1"], ["1"]),
        (["homogeneous_1", "heterogeneous_3_6_1"], ["homogeneous_1", "heterogeneous_3_6_1"]),
        (["my", "my_own"], ["my", "my_own"]),
    ],
)
def test_short_names_are_what_tells_settings_apart(settings: list[str], short: list[str]) -> None:
    assert list(bit_study_accuracy.short_names(settings).values()) == short


def test_mean_and_variance_of_the_distributions_are_those_of_the_errata() -> None:
    compressions = configurations.of_scale("paper").compressions
    found = []
    for number in range(1, 8):
        settings = compressions[f"heterogeneous_3_6_{number}"]
        assert isinstance(settings, Heterogeneous)
        found.append(distribution(settings))
    assert [one.mean for one in found] == pytest.approx([4.2, 4.5, 4.5, 4.65, 4.5, 4.55, 4.6])
    assert [one.variance for one in found] == pytest.approx([2.16, 1.65, 1.25, 0.8275, 0.85, 0.7475, 0.74])
    assert all(one.mean < (one.budget or 0) for one in found)
    same = distribution(Homogeneous(bits=3))
    assert (same.mean, same.variance, same.budget) == (3, 0, None)


def test_every_distribution_has_its_counterparts() -> None:
    config = configurations.of_scale("paper")
    bits = {}
    for name, settings in config.compressions.items():
        if isinstance(settings, Homogeneous | Heterogeneous):
            bits[name] = distribution(settings)

    def partners(study: str, other: str) -> list[str | None]:
        candidates = {name: bits[name] for name in config.bit_studies[other].settings}
        return [counterpart(bits[name], candidates) for name in config.bit_studies[study].settings]

    assert partners("bits_3_6", "bits_6_9") == [f"heterogeneous_6_9_{number}" for number in range(1, 8)]
    for low in (3, 6):
        study = f"bits_{low}_{low + 3}"
        for name, partner in zip(config.bit_studies[study].settings, partners(study, f"{study}_matched"), strict=True):
            assert partner is not None
            assert bits[partner].mean == pytest.approx(bits[name].mean)
            widths = [width for width, share in bits[partner].shares.items() if share]
            assert widths == [low + 1, low + 2]
    assert counterpart(bits["homogeneous_1"], {"x": bits["heterogeneous_3_6_1"]}) is None
