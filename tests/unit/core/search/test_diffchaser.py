"""DiffChaser's genetic algorithm: halves, tournaments, exchange of pixels, mutation, and the best that live on."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.pairs.pair import Pair
from quantrift.core.search.engine import Engine, Step
from quantrift.core.search.evaluator import Evaluator
from quantrift.core.search.messages import Ask, Problem
from quantrift.core.search.searchers import diffchaser
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import pixels
from quantrift.core.search.tool import Tool, build

SHAPE = (6, 5, 2)
GENES = 60
GRID = np.divide(np.arange(256, dtype=np.uint8), 255, dtype=np.float32)
SEED = GRID[np.random.default_rng(0).integers(256, size=(1, *SHAPE))]
SEED.reshape(-1)[:8] = GRID[[0, 0, 3, 255, 255, 250, 128, 1]]
Verdict = Any


def problem_of(generations: int, levels: int | None = 256, **changes: Any) -> Problem:
    space = pixels.bind(pixels.Params(levels), Domain(SHAPE, 0.0, 1.0))
    return replace(Problem("some", 0, (0,), SEED, (0,), space, generations), **changes)


def brightness(candidates: np.ndarray) -> np.ndarray:
    """The first model likes bright inputs, the second dark ones."""
    total = candidates.sum(axis=1, dtype=np.float64)
    return np.stack([total, -total], axis=1)


def run(
    params: diffchaser.Params, problem: Problem, judge: Any = brightness, invalid: Any = None, seed: int = 7
) -> Any:
    """All asks of a search, and its fitness, by evaluation."""
    search = diffchaser.search(problem, params, np.random.default_rng(seed))
    asks, told = [next(search)], []
    while True:
        candidates = asks[-1].candidates
        valid = np.ones(len(candidates), bool) if invalid is None else ~invalid(candidates)
        fitness = np.where(valid[:, None], judge(candidates), np.nan)
        told.append(fitness)
        try:
            asks.append(search.send(SimpleNamespace(valid=valid, fitness=fitness)))  # type: ignore[arg-type]
        except StopIteration:
            return asks, np.concatenate(told)


def generations(asks: list[Ask], parts: int) -> list[list[np.ndarray]]:
    """Of each generation the evaluation numbers of each half's members, the best of the one before first."""
    found, asked = [], 0
    for ask in asks:
        numbers = asked + np.arange(len(ask.candidates))
        asked += len(numbers)
        if ask.survivors is None:
            # As the searcher lays them out: the first of each half, then the rest of each.
            best, numbers = numbers[:parts], numbers[parts:]
        else:
            best = ask.survivors
        found.append([np.r_[first, own] for first, own in zip(best, np.split(numbers, parts), strict=True)])
    return found


def levels_off(candidates: np.ndarray) -> np.ndarray:
    """Levels between candidates and the seed input."""
    levels = candidates.astype(np.float64) * 255
    assert np.abs(levels - np.rint(levels)).max() < 1e-3
    return np.abs(np.rint(levels) - np.rint(SEED.reshape(-1) * 255.0))


@pytest.mark.parametrize(("black_box", "parts"), [("both", 2), ("original", 1)])
def test_the_best_of_each_half_lives_on_and_all_others_are_replaced(black_box: Any, parts: int) -> None:
    params = diffchaser.Params(population=20, black_box=black_box)
    asks, fitness = run(params, problem_of(8))
    assert [len(ask.candidates) for ask in asks] == [20] + [20 - parts] * 7
    assert asks[0].survivors is None
    for before, ask in zip(generations(asks, parts)[:-1], asks[1:], strict=True):
        assert ask.survivors is not None
        for half, (members, survivor) in enumerate(zip(before, ask.survivors, strict=True)):
            assert survivor in members
            assert fitness[survivor, half] == fitness[members, half].max()


def test_as_listed_all_members_with_the_best_fitness_stay_and_others_are_replaced() -> None:
    params = diffchaser.Params(population=20, listing=True)
    # Many members are equally good.
    asks, fitness = run(params, problem_of(8), lambda candidates: np.rint(5 * brightness(candidates)))
    assert any(len(ask.survivors) > 2 for ask in asks[1:])
    counted = 20
    for before, ask in pairwise(asks):
        stayed = len(ask.survivors)
        assert len(ask.candidates) == 20 - stayed
        known = set(range(counted - len(before.candidates), counted)) | set(
            before.survivors if before.survivors is not None else []
        )
        assert set(ask.survivors) <= known
        best = {fitness[sorted(known), half].max() for half in (0, 1)}
        assert all(set(fitness[number]) & best for number in ask.survivors)
        counted += len(ask.candidates)


def test_as_listed_a_member_that_is_overwritten_is_no_parent_any_more() -> None:
    """Of the members b and c of a half, b is overwritten first: c's child is b with 1 in 9 in place of 1 in 3."""
    copies = {}
    for listing in (False, True):
        params = diffchaser.Params(population=6, tournament=1, crossover=0, mutation=0, listing=listing)
        found = 0
        for seed in range(400):
            asks, fitness = run(params, problem_of(2), seed=seed)
            first, second = asks[0].candidates, asks[1].candidates
            # Of the first half: its first member, then places 2 and 3.
            members = [0, 2, 3]
            b, _ = sorted(set(members) - {members[int(np.argmax(fitness[members, 0]))]})
            found += np.array_equal(second[1], first[b])
        copies[listing] = found / 400
    assert copies[False] == pytest.approx(1 / 3, abs=0.08)
    assert copies[True] == pytest.approx(1 / 9, abs=0.05)


def test_as_listed_a_population_of_equals_changes_no_more() -> None:
    asks, _ = run(diffchaser.Params(population=20, listing=True), problem_of(8), lambda rows: np.zeros((len(rows), 2)))
    assert len(asks) == 1


def test_each_half_follows_its_own_model() -> None:
    params = diffchaser.Params(population=40)
    asks, fitness = run(params, problem_of(20))
    ends = [fitness[members, 0].mean() for members in generations(asks, 2)[-1]]
    assert ends[0] > SEED.sum() + 0.5
    assert ends[1] < SEED.sum() - 0.5
    # What the other model says changes nothing.
    other, _ = run(params, problem_of(20), lambda candidates: brightness(candidates) * [1, -1])
    for (one, _), (same, _), ask, changed in zip(
        generations(asks, 2)[1:], generations(other, 2)[1:], asks[1:], other[1:], strict=True
    ):
        assert np.array_equal(one, same)
        assert np.array_equal(ask.candidates[:19], changed.candidates[:19])
    assert not np.array_equal(asks[-1].candidates[19:], other[-1].candidates[19:])


def test_with_the_original_alone_the_population_is_not_divided() -> None:
    params = diffchaser.Params(population=40, black_box="original")
    asks, fitness = run(params, problem_of(20), lambda candidates: brightness(candidates)[:, :1])
    assert fitness[-39:, 0].mean() > SEED.sum() + 0.5
    assert len(generations(asks, 1)[-1]) == 1


def test_the_paper_keeps_all_candidates_within_the_radius_and_the_range() -> None:
    asks, _ = run(diffchaser.Params(population=30, mutation=0.2), problem_of(12))
    everything = np.concatenate([ask.candidates for ask in asks])
    assert everything.dtype == np.float32
    off = levels_off(everything)
    assert off.max() == 8
    assert (everything >= 0).all()
    assert (everything <= 1).all()
    # Mutants outside are put on the edge, not left out.
    assert (levels_off(asks[-1].candidates) == 8).mean() > 0.1


def test_the_code_keeps_the_first_population_alone_within_the_radius() -> None:
    asks, _ = run(diffchaser.Params("code", population=30), problem_of(12))
    assert levels_off(asks[0].candidates).max() == 8
    assert levels_off(asks[-1].candidates).max() > 100
    assert all((ask.candidates >= 0).all() and (ask.candidates <= 1).all() for ask in asks)


def test_without_levels_candidates_stay_within_the_radius_too() -> None:
    asks, _ = run(diffchaser.Params(population=30, mutation=0.2, radius=0.1), problem_of(12, levels=None))
    everything = np.concatenate([ask.candidates for ask in asks])
    off = np.abs(everything - SEED.reshape(-1))
    assert 0.0999 < off.max() < 0.1001
    assert everything.min() >= 0
    assert everything.max() <= 1


def test_the_first_population_is_the_seed_input_with_uniform_noise() -> None:
    [ask], _ = run(diffchaser.Params(population=4000), problem_of(1))
    middle = (SEED.reshape(-1) * 255 >= 8) & (SEED.reshape(-1) * 255 <= 247)
    noise = np.rint((ask.candidates - SEED.reshape(-1))[:, middle] * 255).ravel()
    values, counts = np.unique(noise, return_counts=True)
    assert values.tolist() == list(range(-8, 9))
    # Both ends get half of a level's share, as noise is drawn before it is rounded.
    expected = np.r_[0.5, np.ones(15), 0.5] / 16
    np.testing.assert_allclose(counts / counts.sum(), expected, atol=0.003)


def test_members_win_tournaments_as_often_as_their_rank_says() -> None:
    params = diffchaser.Params(population=20, black_box="original", crossover=0, mutation=0)
    wins = np.zeros(20)
    for seed in range(400):
        asks, fitness = run(params, problem_of(2), seed=seed)
        order = np.argsort(-fitness[:20, 0])
        for child in asks[1].candidates:
            wins[np.flatnonzero((asks[0].candidates[order] == child).all(axis=1))[0]] += 1
    left = np.arange(20, -1, -1) / 20
    np.testing.assert_allclose(wins / wins.sum(), left[:-1] ** 4 - left[1:] ** 4, atol=0.015)


@pytest.mark.parametrize("crossover", [0.5, 0.2])
def test_children_take_each_gene_from_one_of_two_parents_of_their_half(crossover: float) -> None:
    params = diffchaser.Params(population=400, mutation=0, tournament=1, crossover=crossover)
    # Without a grid no two members share a gene.
    asks, _ = run(params, problem_of(2, levels=None, inputs=SEED * 0 + GRID[100]))
    halves = [asks[0].candidates[members] for members in generations(asks, 2)[0]]
    for half, children in zip(halves, np.split(asks[1].candidates, 2), strict=True):
        taken = np.sort((children[:, None] == half[None]).sum(axis=2), axis=1)
        assert (taken[:, -2:].sum(axis=1) == GENES).all()
        two = taken[taken[:, -1] < GENES, -2:]
        assert len(two) > 0.97 * len(children)
        # At one half, by how much a binomial number differs from its mean on average.
        spread = np.sqrt(GENES / (2 * np.pi)) if crossover == 0.5 else 0.3 * GENES
        np.testing.assert_allclose(two.mean(axis=0), [GENES / 2 - spread, GENES / 2 + spread], atol=1)


@pytest.mark.parametrize("mutation", [0.0, 0.01, 0.3])
def test_genes_mutate_to_any_level_at_the_given_rate(mutation: float) -> None:
    params = diffchaser.Params("code", population=2000, crossover=0, mutation=mutation)
    constant = SEED * 0 + GRID[100]
    near = replace(params, radius=1e-9)
    asks, _ = run(near, problem_of(2, inputs=constant))
    assert (asks[0].candidates == GRID[100]).all()
    changed = asks[1].candidates[asks[1].candidates != GRID[100]]
    rate = changed.size / asks[1].candidates.size
    assert abs(rate - mutation * 255 / 256) <= 5 * np.sqrt(mutation / (1998 * GENES))
    if mutation:
        assert abs(changed.mean() - 0.5) < 0.05
        assert changed.min() < 0.02
        assert changed.max() > 0.98


def test_what_is_not_valid_is_the_worst() -> None:
    def dim(candidates: np.ndarray) -> np.ndarray:
        return candidates[:, 0] < GRID[4]

    # The second model likes dark inputs; those whose first gene is dark are not valid.
    asks, fitness = run(diffchaser.Params(population=40), problem_of(15), invalid=dim)
    assert np.isnan(fitness[:40]).any()
    for ask in asks[1:]:
        assert not np.isnan(fitness[ask.survivors]).any()
    assert dim(asks[-1].candidates).mean() < dim(asks[0].candidates).mean() / 2


def test_a_search_without_valid_candidates_goes_on() -> None:
    asks, _ = run(diffchaser.Params(population=8), problem_of(5), invalid=lambda candidates: candidates[:, 0] > -1)
    assert len(asks) == 5


@pytest.mark.parametrize(("evaluations", "steps"), [(1000, 1), (1997, 1), (1998, 2), (10_000, 10)])
def test_a_cap_on_evaluations_is_never_passed(evaluations: int, steps: int) -> None:
    params = diffchaser.Params()
    assert params.sizes == (1000, 998)
    assert problem_of(100, evaluations=evaluations).steps(*params.sizes) == steps


def test_an_odd_population_has_no_halves() -> None:
    with pytest.raises(ValueError, match="population: 7 members have no halves of equal size; add one"):
        diffchaser.Params(population=7)
    assert diffchaser.Params(population=7, black_box="original").sizes == (7, 6)


def test_an_objective_with_one_value_is_refused_for_two_halves() -> None:
    with pytest.raises(QuantriftError, match="its objective has one value, but each model needs its own"):
        run(diffchaser.Params(population=8), problem_of(3), lambda candidates: brightness(candidates)[:, :1])


def test_batches_are_refused() -> None:
    with pytest.raises(QuantriftError, match="changes the pixels of one input"):
        run(diffchaser.Params(population=8), problem_of(3, inputs=np.repeat(SEED, 2, axis=0)))


class Linear:
    """A network of one layer that computes row by row."""

    input_shape, classes = SHAPE, 4

    def __init__(self, seed: int) -> None:
        weights = np.random.default_rng(0).normal(size=(GENES, 4))
        self._weights = (weights + 0.02 * np.random.default_rng(seed).normal(size=weights.shape)).astype(np.float32)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        logits = [(row.reshape(-1, 1) * self._weights).sum(axis=0) for row in x]
        return np.array(logits, np.float32).reshape(-1, 4)


def tool(population: int) -> Tool:
    names = {"space": "pixels", "constraint": "linf", "objective": "k_uncertainty", "searcher": "diffchaser"}
    parts: dict[str, Any] = {kind: {"name": name, "params": {}} for kind, name in names.items()}
    parts["searcher"]["params"] = {"population": population}
    return build("mine", parts, Domain(SHAPE, 0.0, 1.0))


def searched(population: int, inputs: list[int], rows: int = 256, memory_mb: float = 500) -> dict[int, list[Step]]:
    """Steps of the searches of some inputs, by input."""
    mine = tool(population)
    images = GRID[np.random.default_rng(1).integers(256, size=(9, 1, *SHAPE))]
    given = [Problem("d", 0, (i,), images[i], (0,), mine.space, 6) for i in inputs]
    found: dict[int, list[Step]] = {i: [] for i in inputs}
    for event in Engine(Evaluator(mine, Pair(Linear(1), Linear(2)), rows=rows), memory_mb=memory_mb).run(given):
        if isinstance(event, Step):
            found[inputs[event.number]].append(event)
    return found


@pytest.mark.parametrize("population", [10, 100])
def test_a_search_is_the_same_alone_and_among_others_in_little_memory_and_in_much(population: int) -> None:
    wanted = searched(population, [3])[3]
    assert len(wanted) == 6
    assert all(step.evaluated.tell.valid.all() for step in wanted)
    for memory_mb in (1e-3, 0.05, 500):
        for rows in (16, 256):
            own = searched(population, [0, 1, 2, 3, 4, 5, 6], rows, memory_mb)[3]
            for one, other in zip(wanted, own, strict=True):
                assert one.candidates.tobytes() == other.candidates.tobytes()
                assert np.array_equal(one.evaluated.digests, other.evaluated.digests)
                assert np.array_equal(one.evaluated.psnr, other.evaluated.psnr)
                for name, values in vars(one.evaluated.tell).items():
                    np.testing.assert_array_equal(values, getattr(other.evaluated.tell, name), err_msg=name)


def test_a_search_comes_nearer_to_where_each_model_cannot_decide() -> None:
    for steps in searched(100, [0, 1, 2]).values():
        first, last = (np.abs(steps[place].evaluated.tell.fitness) for place in (0, -1))
        # Of later generations the first 49 are children of the original's half.
        assert last[:49, 0].min() < first[:, 0].min()
        assert last[49:, 1].min() < first[:, 1].min()
