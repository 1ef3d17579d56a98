"""Verdict on inputs that nothing was chosen by: an assessment, and counts of the networks that are compared."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.files import sha256, write_file
from quantrift.core.statistics.mended_networks import GIVEN, MENDED, WHOLE
from quantrift.judge.intake.given_inputs import FEATURES, NAMES, Arrays
from quantrift.judge.mend.mending import OnFresh
from quantrift.judge.mend.mixed_search import Search
from quantrift.judge.mend.sample import GivenPair, Sample
from quantrift.judge.mend.trials import Trials
from quantrift.judge.verdict import assessment as told
from quantrift.judge.verdict.diagnoses import Diagnoses
from quantrift.judge.verdict.run import assess
from quantrift.judge.verdict.verdict import sentence

INPUTS = "fresh.npz"
ASSESSMENT = "assessment"


def judged(
    root: Path,
    paths: tuple[Path, Path],
    pair: GivenPair,
    search: Search | None,
    diagnoses: Diagnoses,
) -> dict[str, Any]:
    """Write the mended file and an assessment of it on fresh inputs to ``root``.

    Args:
        root: folder of the results.
        paths: original and compressed network, as they were given.
        pair: the same, loaded.
        search: what was found; ``None`` where the compressed network kept its limits already.
        diagnoses: computes what the result can do without, and takes in what failed in the assessment.

    Returns:
        Fields of ``Mending`` on fresh inputs.
    """
    _write_inputs(root / INPUTS, pair.arrays, pair.parts["fresh"])
    rows = diagnoses("networks compared on fresh inputs", [], _rows, pair, search, diagnoses)
    candidates, mended = [paths[1]], root / f"{MENDED}{pair.base.suffix}"
    if search is not None and search.kept is not None:
        write_file(mended, search.builder.build(search.kept, search.chosen.trials.ranges))
        candidates.insert(0, mended)
    asked = replace(
        pair.settings,
        array=None,
        labels=None,
        command=f"part of: {pair.settings.command}" if pair.settings.command else "",
    )
    given = (paths[0], candidates, root / INPUTS, root / ASSESSMENT, asked)
    # What was found is worth keeping without a verdict; where there was nothing to mend, the verdict is all there is.
    found = assess(*given) if search is None else diagnoses("the verdict on fresh inputs", None, assess, *given)
    if found is not None:
        diagnoses.failed += [f"{ASSESSMENT}: {line}" for line in found.failed]
    if search is not None and search.kept is None:
        reason = "no network with a unit in 8 bits was shown to keep every limit on the inputs for the choice of layers"
        return {"fresh": rows, "mended": None, "verdict": "fail", "verdict_text": f"fail; {reason}"}
    if found is None:
        return {
            "fresh": rows,
            "mended": told.Model(mended.name, sha256(mended), mended.stat().st_size, pair.compressed.runtime),
            "verdict": "inconclusive",
            "verdict_text": "inconclusive; the assessment on fresh inputs failed",
        }
    first = found.candidates[0]
    return {
        "fresh": rows,
        "mended": None if search is None else first.model,
        "verdict": first.verdict,
        "verdict_text": sentence(first.name, first.judgements),
    }


def _write_inputs(path: Path, arrays: Arrays, numbers: np.ndarray) -> None:
    """Some of the given inputs, as they were given."""
    true = arrays.truth if arrays.labels is None else arrays.labels
    labels = {} if true is None else {"labels": true[numbers]}
    texts = {NAMES: arrays.class_names, FEATURES: arrays.feature_names}
    named = {name: np.array(one) for name, one in texts.items() if one}
    write_arrays(path, {"inputs": arrays.values[numbers]} | labels | named)


def _rows(pair: GivenPair, search: Search | None, diagnoses: Diagnoses) -> list[OnFresh]:
    """The network as given and, where there was something to mend, those that are compared with it."""
    sample = pair.sample("fresh", pair.settings.changes)
    others = (
        [] if search is None else diagnoses("networks quantized anew, on fresh inputs", [], _compared, search, sample)
    )
    return [_given(pair, sample), *others]


def _given(pair: GivenPair, sample: Sample) -> OnFresh:
    share = None
    if pair.compressed.runtime == "litert":
        from quantrift.core.networks.operation_audit import audit

        share = audit(pair.compressed.path)["int8_mac_share"]
    return OnFresh(GIVEN, None, pair.compressed.path.stat().st_size, share, *sample.count(pair.compressed.network).told)


def _compared(search: Search, sample: Sample) -> list[OnFresh]:
    """The networks in 8 bits throughout, mended, and by other orders at no larger size."""
    own = search.chosen.trials
    trials = Trials(own.builder, own.ranges, sample, own.runtime)
    kept_by: dict[str, Collection[str]] = {WHOLE: ()}
    if search.kept:
        kept_by[MENDED] = search.kept
        kept_by |= {f"{name}, equal size": kept for name, kept in search.of_equal_size().items()}
    return [OnFresh(name, *trials(kept).told) for name, kept in kept_by.items()]
