"""Files of a mending: the network, the recipe that makes it again, tables, a figure and a page.

``mended.tflite`` or ``mended.onnx``; ``recipe.json`` with ``ranges.json`` and ``float.tflite`` or ``float.onnx``, of
which the quantizer makes it; ``fresh.npz`` and ``assessment``, inputs that nothing was chosen by and the verdict on
them; ``sensitivity.csv``, ``calibration.csv``, ``curve.csv``, ``fresh.csv``, ``curve.svg``, ``curve.png``;
``mend.json`` and ``report.html``.
"""

import shutil
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from quantrift.core.base.files import replacing, sha256, write_json
from quantrift.judge.mend import charts, mending, page
from quantrift.judge.mend.given_pair import GivenPair
from quantrift.judge.mend.mending import Mending
from quantrift.judge.mend.mixed_search import Search
from quantrift.judge.verdict.diagnoses import Diagnoses

RECIPE, RANGES = "recipe.json", "ranges.json"


def written(root: Path, found: Mending, search: Search | None, pair: GivenPair) -> Mending:
    """Write everything but what stands on fresh inputs, which is there already.

    Args:
        root: folder of the results.
        found: all results.
        search: where there was something to mend.
        pair: networks and inputs.

    Returns:
        The results, which also name the figure or the page if that failed.
    """
    if search is not None and found.mended is not None:
        base = root / f"float{search.builder.base.suffix}"
        with replacing(base) as temporary:
            shutil.copyfile(search.builder.base, temporary)
        write_json(root / RANGES, {name: list(ends) for name, ends in search.chosen.trials.ranges.items()})
        write_json(root / RECIPE, _recipe(found, search, pair, base))
    diagnoses = Diagnoses()
    if search is not None:
        diagnoses("figure 'curve'", None, charts.curve, found, root / charts.CURVE)
    found = replace(found, failed=[*found.failed, *diagnoses.failed])
    mending.write(found, root)
    diagnoses = Diagnoses()
    diagnoses(page.REPORT, None, page.write, root)
    if diagnoses.failed:
        found = replace(found, failed=[*found.failed, *diagnoses.failed])
        mending.write(found, root)
    return found


def _recipe(found: Mending, search: Search, pair: GivenPair, base: Path) -> Mapping[str, Any]:
    """Everything that makes the mended file again, with digests and versions."""
    built, kept = search.builder, search.kept or ()
    return {
        "versions": found.versions,
        "original": asdict(found.original),
        "compressed": asdict(found.compressed),
        "mended": None if found.mended is None else asdict(found.mended),
        "inputs": {"file": found.inputs, "sha256": found.inputs_sha256},
        "calibration": {
            "method": search.chosen.method,
            "inputs": search.chosen.inputs,
            "numbers": pair.parts.calibration.tolist(),
            "ranges": {"file": RANGES, "sha256": sha256(base.with_name(RANGES))},
        },
        "weights": found.weights,
        "in_float": {unit.name: list(unit.operations) for unit in built.units if unit.name in kept},
        "stay_in_float": built.floats,
        "quantizer": built.tool,
        "of": {"file": base.name, "sha256": sha256(base)},
        "recipe": built.recipe(kept),
    }
