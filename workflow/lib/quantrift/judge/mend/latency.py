"""Latency of the networks of a mending on this machine, beside their sizes; it decides nothing."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from timeit import repeat

import numpy as np

from quantrift.core.base.files import read_json, write_json
from quantrift.core.networks.runtime import load_runtime, load_values
from quantrift.core.statistics.mended_networks import MENDED
from quantrift.judge.mend.sample import GivenPair

FILE = "mend.timing.json"
"""Apart from ``mend.json``, which the same files and seed give again."""
WARM, RUNS = 3, 20
"""Runs before those that count, and these."""


def write(pair: GivenPair, folder: Path) -> None:
    """Write ``FILE``: of each network, and the mended one if there is one, the median of runs after warm-up."""
    load = load_runtime if pair.settings.task is None else load_values
    networks: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "original": pair.original.values,
        "as given": pair.compressed.values,
        **{one.stem: load(pair.compressed.runtime, one) for one in folder.glob(f"{MENDED}.*")},
    }
    ready = {name: partial(network, pair.inputs.take([0])) for name, network in networks.items()}
    taken = {name: repeat(run, number=1, repeat=WARM + RUNS) for name, run in ready.items()}
    write_json(folder / FILE, {"seconds": {name: median(own[WARM:]) for name, own in taken.items()}})


def read(folder: Path) -> Mapping[str, float]:
    """Network -> seconds for one input; empty where nothing was measured."""
    return dict(read_json(folder / FILE)["seconds"]) if (folder / FILE).is_file() else {}
