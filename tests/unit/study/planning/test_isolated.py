"""Protocols of isolated searches take all from another one but its number of inputs, and targets show their seconds."""

from pathlib import Path
from typing import Any

import pytest
from tests.factories import configurations
from tests.factories.configurations import overlaid

from quantrift.core.base.errors import ConfigError
from quantrift.core.base.paths import Paths
from quantrift.study.planning import work
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import committed, described
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config

TABLES = [
    "diverget_table10", "diffchaser_figure2_tests", "diffchaser_table1", "diffchaser_table2", "triggerfinder_table2",
]  # fmt: skip
OWN = {"isolated_of", "run_seeds", "inputs", "first_attack"}


def isolated(config: Config) -> dict[str, str]:
    """Protocol -> the one that it is isolated_of."""
    return {name: own.isolated_of for name, own in config.protocols.items() if own.isolated_of}


@pytest.mark.parametrize("scale", ["config", "sample", "paper"])
def test_isolated_searches_are_the_first_of_another_protocol_at_every_scale(scale: str) -> None:
    config = configurations.of_scale(scale)
    assert len(isolated(config)) >= 8
    for name, other in isolated(config).items():
        own, base = config.protocols[name], config.protocols[other]
        assert own.model_dump(exclude=OWN) == base.model_dump(exclude=OWN)
        assert own.run_seeds == 1
        assert isinstance(own.inputs, int)
        assert isinstance(base.inputs, int)
        # A sample may take fewer still, as searches run one by one take long.
        assert 1 <= own.inputs <= min(20, base.inputs)
        assert scale == "sample" or own.inputs == min(20, base.inputs)
        assert own.first_attack


def test_an_overlay_that_changes_a_protocol_changes_its_isolated_one(tmp_path: Path) -> None:
    changes = {"protocols": {"diffchaser_q3": {"inputs": 7, "evaluations": 1234, "agree": ["ptq_int8"]}}}
    own = overlaid(tmp_path, changes, "paper").protocols["diffchaser_q3_isolated"]
    assert (own.inputs, own.evaluations, own.agree) == (7, 1234, ["ptq_int8"])


def test_isolated_searches_of_all_inputs_are_of_as_many_as_they_state(tmp_path: Path) -> None:
    changes = {"protocols": {"mine": {"isolated_of": "triggerfinder_full", "inputs": 9}}}
    assert overlaid(tmp_path, changes).protocols["mine"].inputs == 9


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"isolated_of": "rq4"}, r"protocols\.mine\.isolated_of: unknown protocol 'rq4'; did you mean 'rq"),
        ({"isolated_of": "rq3_first"}, r"'rq3_first_isolated' is isolated_of 'rq3_first' already"),
        ({"isolated_of": "rq3_first_isolated"}, r"'rq3_first_isolated' is isolated itself; name 'rq3_first'"),
        (
            {"isolated_of": "rq1", "generations": 3},
            r"protocols\.mine\.generations: isolated searches are those of 'rq1'",
        ),
        ({"isolated_of": "rq1", "run_seeds": 2}, r"protocols\.mine\.run_seeds: isolated .* in one run seed"),
        ({"isolated_of": "own", "inputs": 2}, r"a search by itself has one seed input, got batch: 2"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, stated: dict[str, Any], message: str) -> None:
    protocols = {"own": {"run_seeds": 1, "inputs": 4, "batch": 2}, "mine": stated}
    with pytest.raises(ConfigError, match=message):
        overlaid(tmp_path, {"protocols": protocols})


def test_a_target_without_isolated_searches_to_show_is_named(tmp_path: Path) -> None:
    changes = {"targets": {"triggerfinder_full": {"isolated": True}}}
    with pytest.raises(ConfigError, match=r"triggerfinder_full\.isolated: no protocol is isolated_of"):
        overlaid(tmp_path, changes)


@pytest.mark.parametrize("target", TABLES)
def test_a_table_of_seconds_needs_the_same_searches_by_themselves(target: str) -> None:
    paper = configurations.of_scale("paper")
    needed = Results(paper, Paths(Path("results"))).of(target)
    together = [
        (*subject, paper.protocols[protocol].isolated_of or protocol) for *subject, protocol in needed["searches"]
    ]
    alone = [(*subject, paper.protocols[protocol].isolated_of) for *subject, protocol in needed["isolated"]]
    assert alone == together
    assert all(paper.protocols[protocol].isolated_of for *_, protocol in needed["isolated"])
    assert all(paper.protocols[key[-1]].inputs == 20 for key in needed["isolated"])


def test_a_table_without_them_needs_none(tmp_path: Path) -> None:
    config = overlaid(tmp_path, {"targets": {"diverget_table10": {"isolated": False}}})
    assert set(Results(config, Paths(tmp_path)).of("diverget_table10")) == {"searches"}
    assert work.isolated_of(config, config.targets["diverget_table10"]) == []


def test_rates_of_isolated_searches_and_of_others_are_kept_apart() -> None:
    sample = configurations.of_scale("sample")
    for protocol, until in (("rq3_first", "first attack"), ("rq3_first_isolated", "first attack, isolated")):
        names = {"dataset": "salinas_a", "model": "ssrn", "compression": "ptq_int8", "tool": "pso_div"}
        job = Job("search", {**names, "protocol": protocol, "block": "seeds_000-000"})
        found = committed().serving(sample, described(sample, job))
        assert found
        assert found.until == until
    assert "isolated_of" not in sample.protocols["rq3_first"].model_dump()
