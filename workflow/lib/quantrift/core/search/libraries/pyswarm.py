"""Runs the unmodified library pyswarm 1.1.2 for searches of the searcher ``pso``."""

import contextlib
import io

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.search.libraries.installed import library
from quantrift.core.search.messages import Evaluate, Problem, Verdict
from quantrift.core.search.searchers.pso import Params
from quantrift.core.search.space import Free

GENERATIONS = 2
"""Smallest number of generations: the library cannot end before its first move."""


class _Judge:
    """The constraint and the objective that pyswarm calls one after the other, from one evaluation of a position."""

    def __init__(self, free: Free, evaluate: Evaluate) -> None:
        self._free, self._evaluate = free, evaluate
        self._feasible: dict[bytes, Verdict] = {}
        self._pending = False

    def slack(self, genes: np.ndarray) -> np.ndarray:
        """Not negative where the constraint holds.

        pyswarm asks once more for the best position after its last move. So the constraint of a position known to be
        feasible is answered from memory, and evaluated again only if pyswarm goes on to the objective.
        """
        self._pending = genes.tobytes() in self._feasible
        if not self._pending:
            verdict = self._evaluate(self._free.full(genes[None])[0])
            if not verdict.valid:
                return -np.ones(1)
            self._feasible[genes.tobytes()] = verdict
        return np.zeros(1)

    def cost(self, genes: np.ndarray) -> float:
        """Minus the fitness of a feasible position."""
        if self._pending:
            self._feasible[genes.tobytes()] = self._evaluate(self._free.full(genes[None])[0])
        return -self._feasible[genes.tobytes()].fitness


def check(params: Params) -> None:
    """Refuse settings that the library does not support.

    Raises:
        QuantriftError: the setting to take instead, in one line.
    """
    refuse(
        (
            params.variant != "paper",
            "the library pyswarm has no variant 'code'; take `engine: lockstep` or `variant: paper`",
        ),
        (
            params.infeasible != "start",
            "in the library pyswarm a particle that was never feasible keeps to its start; take `engine: lockstep` or "
            "`infeasible: start`",
        ),
    )


def run(problem: Problem, params: Params, rng: np.random.Generator, evaluate: Evaluate) -> None:
    """Run one search; on the same stream it moves through the same positions as the lockstep searcher.

    Raises:
        QuantriftError: for what the library cannot do, or where it is not installed.
    """
    check(params)
    moves = problem.steps(*params.sizes) - 1
    refuse((not moves, "the library pyswarm needs two generations; give it two, or take `engine: lockstep`"))
    free = Free(problem.space)
    judge = _Judge(free, evaluate)
    # It writes to standard output when nothing was feasible; the records state that already.
    with contextlib.redirect_stdout(io.StringIO()):
        library("pyswarm").pso(
            judge.cost,
            free.lower,
            free.upper,
            f_ieqcons=judge.slack,
            swarmsize=params.swarm,
            omega=params.omega,
            phip=params.phip,
            phig=params.phig,
            maxiter=moves,
            minstep=params.minstep,
            minfunc=params.minfunc,
            # numpy's default_rng, to which pyswarm hands its seed, passes a generator through.
            seed=rng,
            init=free.of(problem.space.sample(params.swarm, rng)),
        )
