"""Small hand-made searches tables and what is written of them, shared by the tests of metrics, tables and figures."""

from pathlib import Path

import pandas as pd

from quantrift.metrics import run_seeds

KEYS = {"dataset": "sim_pavia", "model": "hybridsn", "compression": "ptq_int8", "tool": "random", "protocol": "rq1"}


def search(run_seed: int, number: int, **counts: object) -> dict[str, object]:
    """One search of 100 candidates, 50 of them valid, that found nothing, with what ``counts`` says otherwise."""
    row: dict[str, object] = {
        "run_seed": run_seed,
        "input": number,
        "true_label": 1,
        "seed_disagrees": False,
        "generated": 100,
        "distinct": 100,
        "valid": 50,
        "dii": 0,
        "dii_distinct": 0,
        "memberships": 100,
        "dii_memberships": 0,
        "generations": 10,
        "first_dii": 0,
        "seconds": 0.5,
    }
    return row | counts


def found(run_seed: int, number: int, dii: int) -> dict[str, object]:
    """One search with ``dii`` distinct difference-inducing inputs."""
    first = 10 if dii else 0
    return search(run_seed, number, dii=dii, dii_distinct=dii, dii_memberships=dii, first_dii=first)


def write_metrics(folder: Path, tool: str, dii: list[int], dataset: str = "sim_pavia", protocol: str = "rq1") -> Path:
    """Metrics of a tool with two inputs a run seed, the first of which yields ``dii[run seed]``; returns the CSV."""
    rows = [found(seed, 2 * seed + place, count * (1 - place)) for seed, count in enumerate(dii) for place in (0, 1)]
    block = folder / "blocks" / dataset / tool / "seeds.searches.parquet"
    block.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_parquet(block)
    out = folder / "metrics" / dataset / tool / f"{protocol}.csv"
    run_seeds.write([block], KEYS | {"dataset": dataset, "tool": tool, "protocol": protocol}, out)
    return out
