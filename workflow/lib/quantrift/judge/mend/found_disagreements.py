"""Disagreements that the natural tools of an assessment find on the inputs for calibration, which training learns."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.temporary_folders import temporary_folder
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.runtimes.onnxruntime import ONNXRuntime
from quantrift.core.search.records import dii
from quantrift.judge.mend.given_pair import GivenPair
from quantrift.judge.mend.parts import part_of
from quantrift.judge.verdict.candidate_searches import Subject, place, prepare, search
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.profiles import plan

FEW = 2
"""Findings that are reduced to what they need, and inputs on which layers are compared: neither is used here."""


@dataclass(frozen=True, eq=False)
class Found:
    """Inputs to learn from; n disagreements, each once."""

    given: Inputs
    """The inputs for calibration."""
    disagreements: np.ndarray
    """float32 (n, H, W, C): the networks agree on what each was made of."""
    seeds: np.ndarray
    """The input that each was made of, float32 (n, H, W, C)."""


def found(pair: GivenPair, content: bytes) -> Found:
    """Search the inputs for calibration.

    Args:
        pair: networks and inputs.
        content: file of the compressed network that is compared with the original.
    """
    given = part_of(pair.inputs, pair.parts.calibration)
    asked = replace(pair.asked, seeds=pair.settings.seeds, generations=pair.settings.generations)
    whole = plan(asked, given)
    planned = replace(whole, size=replace(whole.size, shrunk=FEW, layer_inputs=FEW))
    kinds: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
    with temporary_folder() as folder:
        path = Path(folder) / f"whole{pair.base.suffix}"
        path.write_bytes(content)
        network = cast("LiteRT | ONNXRuntime", load_runtime(pair.compressed.runtime, path))
        second = replace(pair.compressed, file=path, path=path, network=network)
        subject = Subject("whole", Paths(Path(folder) / "records"), pair.original, second)
        if prepare(subject.paths, given, pair.original, planned):
            place(subject)
            for tool in (one for one in planned.tools if one.judged):
                stored = dii.load([search(subject, tool, planned, Diagnoses()).records])
                for seed, one in zip(*stored.pairs(stored.rows), strict=True):
                    kinds.setdefault(one.tobytes(), (seed, one))
    nothing = np.empty((0, *given.shape), np.float32)
    seeds, distorted = (np.stack(side) for side in zip(*kinds.values(), strict=True)) if kinds else (nothing, nothing)
    return Found(given, distorted, seeds)
