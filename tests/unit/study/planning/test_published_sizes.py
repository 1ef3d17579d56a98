"""Sizes that the four works state, against the configuration of paper scale.

Each case quotes the work. What is not as published says so in a reason.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from quantrift.study.planning.root import Config

DIVERGET, DIFFCHASER, TRIGGERFINDER, THESIS = "DiverGet", "DiffChaser", "TriggerFinder", "thesis"


@dataclass(frozen=True)
class Size:
    """A published size."""

    work: str
    section: str
    quote: str
    published: Any
    ours: Callable[[Config], Any]
    instead: Any = None
    """Our value, where it is not the published size."""
    reason: str = ""


def protocol(name: str, *fields: str) -> Callable[[Config], Any]:
    def read(config: Config) -> Any:
        values = tuple(getattr(config.protocols[name], field) for field in fields)
        return values if len(values) > 1 else values[0]

    return read


def pool(name: str) -> Callable[[Config], tuple[int, Any]]:
    """Run seeds, and the seed inputs of all of them together."""

    def read(config: Config) -> tuple[int, Any]:
        one = config.protocols[name]
        assert isinstance(one.inputs, int)
        return one.run_seeds, one.run_seeds * one.inputs

    return read


def setting(field: str, *tools: str) -> Callable[[Config], set[Any]]:
    """Values of a searcher's setting in some tools."""
    return lambda config: {config.tools[tool].searcher.params[field] for tool in tools}


def of_studies(read: Callable[[Any], Any]) -> Callable[[Config], set[Any]]:
    """Values of the thesis's studies, without those beyond it."""
    return lambda config: {read(one) for name, one in config.bit_studies.items() if not name.endswith("matched")}


def shares(bits: tuple[int, ...]) -> Callable[[Config], list[tuple[float, ...]]]:
    """Shares of the seven distributions over some bits, in percent."""

    def read(config: Config) -> list[tuple[float, ...]]:
        names = [f"heterogeneous_{bits[0]}_{bits[-1]}_{number}" for number in range(1, 8)]
        found = [config.compressions[name].model_dump() for name in names]
        assert all(one["bits"] == bits for one in found)
        return [tuple(round(100 * share) for share in one["shares"]) for one in found]

    return read


def strengths(dataset: str) -> Callable[[Config], set[tuple[float, ...]]]:
    return of_studies(lambda study: tuple(strength for strength in study.strengths[dataset] if strength))


def each(compressions: str, field: str, *ids: str) -> Callable[[Config], list[Any]]:
    return lambda config: [config.compressions[f"{compressions}_{one}"].model_dump()[field] for one in ids]


def of_target(name: str, *fields: str) -> Callable[[Config], tuple[Any, ...]]:
    return lambda config: tuple(getattr(config.targets[name], field) for field in fields)


CLOCK = "Nothing that a clock measures may shape what is computed, so a search ends after evaluations."
DIVERGETS = ("pso_div", "pso_cov", "ga_div", "ga_cov")
CHASERS = tuple(["diffchaser", *(f"diffchaser_{k}" for k in range(2, 10)), "diffchaser_code"])
DISTRIBUTIONS = [
    (60, 0, 0, 40), (40, 0, 30, 30), (25, 25, 25, 25), (10, 35, 35, 20), (15, 35, 35, 15), (10, 40, 35, 15),
    (10, 35, 40, 15),
]  # fmt: skip
SIZES = [
    Size(DIVERGET, "5.1, Table 2", "PU	SSRN	Train, Val: 4281; Test: 34214", (0.1, 0.1),
         lambda config: (config.models.ssrn.split.train, config.models.ssrn.split.validation)),
    Size(DIVERGET, "5.1, Table 2", "HybridSN	Train: 12832; Test: 29944", 29944 / (12832 + 29944),
         lambda config: pytest.approx(config.models.hybridsn.split.test, abs=1e-4)),
    Size(DIVERGET, "5.2", "we randomly select 10 seeds from a pool of 800 original inputs", (10, 800), pool("rq1")),
    Size(DIVERGET, "5.3", "50 random seeds from a pool of 8000 original inputs", (50, 8000), pool("rq2")),
    Size(
        DIVERGET,
        "5.3",
        "All the original test inputs are sampled from the subset of test datasets, for which the original model "
        "correctly predicts their corresponding labels",
        {True},
        lambda config: {config.protocols[name].correct for name in ("rq1", "rq2", "rq3_first")},
    ),
    Size(
        DIVERGET,
        "5.4",
        "with the same population size, 10",
        {10},
        lambda config: setting("swarm", "pso_div", "pso_cov")(config)
        | setting("population", "ga_div", "ga_cov", "diffchaser_hsi", "diffchaser_hsi_code", "random")(config),
    ),
    Size(DIVERGET, "5.4", "with the same number of iterations, 25", 25, protocol("rq2", "generations")),
    Size(DIVERGET, "5.4", "of $10 \\times 25 \\times 8000$ synthetic samples", 10 * 25 * 8000,
         lambda config: 10 * config.protocols["rq2"].generations * pool("rq2")(config)[1]),
    Size(DIVERGET, "5.4", "a subset of 3 seeds (from the 50, previously mentioned, seeds)", (3, 3 * 160, True),
         lambda config: (*pool("rq3_first")(config), config.protocols["rq3_first"].first_attack)),
    Size(DIVERGET, "6", "$nb\\_samples = population\\_size \\times nb\\_iterations$", 250,
         lambda config: 10 * config.protocols["rq1"].generations),
    Size(DIVERGET, "4.3", "If the PSNR of distorted patches is less than 20dB", {20.0},
         lambda config: {config.tools[tool].constraint.params["min_db"] for tool in (*DIVERGETS, "random")}),
    Size(DIVERGET, "5.3", "of more than 10000 transformation vectors (the experience was repeated 3times)", (10000, 3),
         of_target("diverget_table6", "vectors", "draws")),
    Size(DIFFCHASER, "4.1", "the size of the population is set to 1,000", {1000}, setting("population", *CHASERS)),
    Size(DIFFCHASER, "4.1", "randomly sampling 1% of weights and truncating 32-bit floating point to 16-bit",
         [0.01, 0.5, 1.0], each("float16_truncation", "share", "1", "50", "100")),
    Size(DIFFCHASER, "4.2", "we randomly select 50 seed inputs from the test data", 50,
         protocol("diffchaser_q1", "inputs")),
    Size(DIFFCHASER, "4.2", "correctly predicted in both of the original model and the quantized version",
         (True, ["float16_truncation_100"]), protocol("diffchaser_q1", "correct", "agree")),
    Size(DIFFCHASER, "4.2", "the value of *k* ranges from 1 to 9", [*range(1, 10)],
         lambda config: [config.tools[tool].objective.params["k"] for tool in ("diffchaser_code", *CHASERS[1:9])]),
    Size(DIFFCHASER, "4.2", "the maximum iteration (see Algorithm 1) is set to 100", 100,
         protocol("diffchaser_q1", "generations")),
    Size(DIFFCHASER, "4.3", "we randomly select 100 seed inputs from the test data", 100,
         protocol("diffchaser_q2", "inputs")),
    Size(DIFFCHASER, "4.3", "If a tool generates a disagreement for the seed, it returns the success status",
         True, protocol("diffchaser_q2", "first_attack")),
    Size(DIFFCHASER, "4.3", "each seed was run with a timeout (*i.e.*, 120 seconds)", (120,),
         of_target("diffchaser_table1", "timeout")),
    Size(DIFFCHASER, "4.3", "each seed was run with a timeout (*i.e.*, 120 seconds)", "120 seconds",
         protocol("diffchaser_q2", "evaluations"), 870 * 120, CLOCK),
    Size(DIFFCHASER, "4.3", "predicted with the same result by the original model and quantized models",
         (False, [f"float16_truncation_{share}" for share in (1, 50, 100)]),
         protocol("diffchaser_q2", "correct", "agree")),
    Size(DIFFCHASER, "4.4", "We select 100 seed inputs", 100, protocol("diffchaser_q3", "inputs")),
    Size(DIFFCHASER, "4.4", "with 180 seconds as the timeout", (180,), of_target("diffchaser_table2", "timeout")),
    Size(DIFFCHASER, "4.4", "with 180 seconds as the timeout", "180 seconds", protocol("diffchaser_q3", "evaluations"),
         870 * 180, CLOCK),
    Size(DIFFCHASER, "4.5", "We randomly select 10 seed inputs from the 10 different classes", (10, True),
         protocol("diffchaser_q4", "inputs", "per_class")),
    Size(DIFFCHASER, "4.5", "We set the maximum iterations to 300", 300, protocol("diffchaser_q4", "generations")),
    *[
        Size(TRIGGERFINDER, "Datasets and Seed Inputs", quote, published, protocol(f"triggerfinder_{group}", *fields))
        for group in ("diffchaser", "resnet20", "mnist", "cifar")
        for quote, published, fields in (
            ("we repeat the experiments five times using five unique random seeds", 5, ("run_seeds",)),
            ("we randomly select 50 non-triggering inputs from each class of the test set", (500, True),
             ("inputs", "per_class")),
            ("we use 500 seed inputs for evaluation", 500, ("inputs",)),
        )
    ],
    *[
        Size(TRIGGERFINDER, "Baseline and its Parameters", "we use 240s for both DiffChaser and TriggerFinder",
             "240 seconds", protocol(f"triggerfinder_{group}", "evaluations"), 870 * 240, CLOCK)
        for group in ("diffchaser", "resnet20", "mnist", "cifar", "full")
    ],
    Size(TRIGGERFINDER, "Baseline and its Parameters", "the value as stated in their paper, *i.e.*, 1,000", {1000},
         setting("population", "diffchaser_code")),
    Size(TRIGGERFINDER, "Effectiveness", "we use all the non-triggering inputs in the whole test set as seed inputs",
         "all", protocol("triggerfinder_full", "inputs")),
    Size(TRIGGERFINDER, "Difference from Adversarial Samples",
         "only 18.6 out of 10,000 adversarial samples are triggering inputs", {10000},
         lambda config: {attack.inputs for attack in config.attacks.values()}),
    Size(THESIS, "3.1", "used the Adam optimizer with a learning rate of $1 * 10^{-5}$", {("adam", 1e-5)},
         of_studies(lambda study: (study.training.optimizer, study.training.learning_rate))),
    Size(THESIS, "3.1", "performance was evaluated as the average accuracy across 5 tests", {5},
         of_studies(lambda study: study.repetitions)),
    Size(THESIS, "4.1", "each model was trained for 500 epochs", {500},
         of_studies(lambda study: study.training.epochs)),
    Size(THESIS, "3.1", "Heterogeneous Distributions for bits 3,4,5,6 with total memory 5p", (DISTRIBUTIONS, {5}),
         lambda config: (shares((3, 4, 5, 6))(config), {*each("heterogeneous_3_6", "budget", *"1234567")(config)})),
    Size(THESIS, "3.1", "Heterogeneous Distributions for bits 6,7,8,9 with total memory 8p", (DISTRIBUTIONS, {8}),
         lambda config: (shares((6, 7, 8, 9))(config), {*each("heterogeneous_6_9", "budget", *"1234567")(config)})),
    Size(THESIS, "4.1.1", "quantized homogeneously at the values of 1 bit, 2 bits, 3 bits, 4 bits, 5 bits, 8 bits",
         [1, 2, 3, 4, 5, 8, 32], lambda config: [config.compressions[name].model_dump()["bits"]
                                                 for name in config.bit_studies["bits_homogeneous"].settings]),
    Size(THESIS, "4.2.1", "different strengths of FGSM attack: .03, .06, .1", {(0.03, 0.06, 0.1)}, strengths("mnist")),
    Size(THESIS, "4.2.1", ".01, .03, .045, .06, .075, and .1", {(0.01, 0.03, 0.045, 0.06, 0.075, 0.1)},
         strengths("cifar10")),
    Size(THESIS, "3.2", "heterogeneous quantization distributions 1,3,5, and 7 for both models", {(1, 3, 5, 7)},
         lambda config: {tuple(int(name[-1]) for name in config.bit_studies[study].attacked or ())
                         for study in ("bits_3_6", "bits_6_9")}),
]  # fmt: skip


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.work} {size.section}: {size.quote[:60]}")
def test_paper_scale_has_the_published_size_or_a_reason_why_not(size: Size, paper: Config) -> None:
    if size.reason:
        assert size.ours(paper) == size.instead != size.published
    else:
        assert size.ours(paper) == size.published
