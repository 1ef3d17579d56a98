"""Mistakes in targets over records are found before anything runs."""

from pathlib import Path

import pytest
from tests.factories.configurations import overlaid

from quantrift.core.base.errors import QuantriftError

TABLE = {"kind": "vector_distances", "title": "Mine", "from": ["rq2"]}


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (TABLE | {"metaheuristics": {"PSO": {"f_div": "pso_div"}}}, "two fitness functions are compared, got 1"),
        (TABLE | {"metaheuristics": {"PSO": {"f_div": "pso_div", "f_cov": "pso_cow"}}}, "did you mean 'pso_cov'"),
        (TABLE | {"metaheuristics": {}}, "metaheuristics"),
        ({"kind": "minimal_distortions", "title": "Mine", "from": ["rq1"], "tools": ["pso"]}, "unknown tool 'pso'"),
        ({"kind": "activation", "title": "Mine", "from": ["rq1"], "groups": {"x": ["pso"]}}, "unknown tool 'pso'"),
        (
            {"kind": "activation", "title": "Mine", "from": ["rq1"], "groups": {"pso_div": ["pso_cov"]}},
            "'pso_div' is a tool; give the group a name of its own",
        ),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, target: dict[str, object], message: str) -> None:
    with pytest.raises(QuantriftError, match=message) as refused:
        overlaid(tmp_path, {"targets": {"mine": target}, "all": ["mine"]})
    assert "targets.mine" in str(refused.value)
