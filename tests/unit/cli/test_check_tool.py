"""The check of tools: what comes with the package passes, and each promise that a tool breaks is named."""

import re
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import yaml
from tests.factories.places import ROOT

from quantrift.cli.main import main
from quantrift.core.search.messages import Ask, Problem, Search
from quantrift.core.search.searchers import random as random_sampling

STEP = random_sampling.Params().population


def draws(problem: Problem, rng: np.random.Generator, generations: int) -> Search:
    for _ in range(generations):
        yield Ask(problem.space.sample(STEP, rng))


def unseeded(problem: Problem, params: random_sampling.Params, rng: np.random.Generator) -> Search:
    yield from draws(problem, np.random.default_rng(), problem.steps(STEP, STEP))


class Shared:
    """A searcher that draws from one stream for all searches, begun anew with the first input's."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def __call__(self, problem: Problem, params: random_sampling.Params, rng: np.random.Generator) -> Search:
        if problem.indices == (0,):
            self.rng = np.random.default_rng(0)
        for _ in range(problem.steps(STEP, STEP)):
            yield Ask(problem.space.sample(STEP, self.rng))


def wasteful(problem: Problem, params: random_sampling.Params, rng: np.random.Generator) -> Search:
    yield from draws(problem, rng, problem.steps(STEP, STEP) + 1)


def endless(problem: Problem, params: random_sampling.Params, rng: np.random.Generator) -> Search:
    for _ in count():
        yield Ask(problem.space.sample(STEP, rng))


def lines(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    printed = capsys.readouterr().out.splitlines()
    return {name: verdict for name, verdict, _ in (line.split(": ", 2) for line in printed)}


@pytest.mark.parametrize(
    "tool", ["random", "random_feasible", "pso_div", "ga_cov", "diffchaser_targeted", "triggerfinder_code"]
)
def test_tools_of_the_package_keep_all_three(tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-tool", tool, "--shape", "6,6,3"]) == 0
    assert lines(capsys) == dict.fromkeys(("determinism", "batch independence", "budget"), "holds")


@pytest.mark.parametrize(
    ("searcher", "broken"),
    [
        (unseeded, {"determinism", "batch independence"}),
        (Shared(), {"batch independence"}),
        (wasteful, {"budget"}),
        (endless, {"budget"}),
    ],
    ids=["unseeded", "shared stream", "one generation too many", "endless"],
)
def test_each_broken_promise_is_named(
    searcher: object, broken: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(random_sampling, "search", searcher)
    assert main(["check-tool", "random", "--shape", "6,6,3"]) == 1
    assert {name for name, verdict in lines(capsys).items() if verdict == "BROKEN"} == broken


def test_a_tool_of_your_own_configuration_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overlay = tmp_path / "my.yaml"
    overlay.write_text(
        yaml.safe_dump(
            {
                "scale": "mine",
                "all": ["models"],
                "tools": {"wide": {"like": "pso_div", "searcher": {"pso": {"swarm": 200}}}},
            }
        )
    )
    assert main(["check-tool", "wide", "--configfile", str(overlay), "--shape", "6,6,3"]) == 0
    assert "600 allowed" in capsys.readouterr().out, "a population larger than the budget is no fault"


def test_the_tool_of_the_documents_keeps_all_three(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    example, *_ = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(example, encoding="utf-8")
    assert main(["check-tool", "pso_blur", "--configfile", str(overlay)]) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["pso_dvi"], "did you mean 'pso_div'?"),
        (["random", "--shape", "6x6x3"], "give rows, columns and channels"),
        (["deepxplore"], "follows gradients"),
    ],
)
def test_what_cannot_be_checked_is_said_in_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-tool", *arguments]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert says in line


def test_a_tool_that_raises_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def failing(problem: Problem, params: random_sampling.Params, rng: np.random.Generator) -> Search:
        raise KeyError("mine")
        yield

    monkeypatch.setattr(random_sampling, "search", failing)
    assert main(["check-tool", "random"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "KeyError" in line
