"""Decode every stored vector of a records file again and run both models on it.

Every difference-inducing input must come back bit for bit, with both labels as recorded. On another type of processor
labels may differ where two classes are almost equally probable; the largest difference of the fitness says how much.
"""

import argparse
from pathlib import Path

from quantrift.records.replay import replay

EXAMPLES = """example:
  quantrift replay results/demo/search/sim_pavia/hybridsn/ptq_int8/pso_div/rq1/seeds_000-004.parquet
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("records", type=Path, nargs="+", help="a seeds_*.parquet file in a results folder")


def run(given: argparse.Namespace) -> int:
    """0 where everything came back as recorded, 1 where something did not."""
    complete = True
    for path in given.records:
        found = replay(path)
        complete &= found.complete
        print(
            f"{path}: {found.rows} stored difference-inducing inputs, {found.same_input} decode to the same input, "
            f"{found.same_labels} get the same two labels, largest fitness difference {found.largest_difference:.2g}"
        )
        if found.changed:
            print(f"  not the files the records were made from: {', '.join(found.changed)}")
    return 0 if complete else 1
