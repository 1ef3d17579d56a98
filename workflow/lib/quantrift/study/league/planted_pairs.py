"""Answers of every checker on the planted pairs of a network, and the truth about these pairs."""

import contextlib
import io
import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from quantrift.core.base.errors import on_one_line
from quantrift.core.networks import layer_comparison
from quantrift.core.networks.runtime import load_runtime, runtime_of
from quantrift.study.league import checker as checks
from quantrift.study.league.planted.graded_pairs import Format, GradedPair, pairs
from quantrift.study.league.planted.tinted_digits import Images
from quantrift.study.league.planted.trained_networks import FAMILY, Kind, Trained
from quantrift.study.league.planted.truth import HeldOut, Truth, held_out, truth

EVERY = 8
"""Held-out images, of which ten show one digit, are thinned by this."""
TRUTH = "truth"
"""Name of the truth among what is said of a pair."""
Said = dict[str, Any]
Ask = Callable[[GradedPair, str, Callable[[], Said]], Said]
"""From a pair, the name of a checker or ``TRUTH``, and what finds it out, to what it is."""


def rows(
    net: Trained,
    data: Images,
    form: Format,
    files: Path,
    draws: int,
    ask: Ask = lambda pair, name, find: find(),
) -> Iterator[Said]:
    """A row for each pair of a network in one kind of files, good ones first.

    Args:
        net: the network.
        data: images with as many channels as it takes.
        form: kind of files.
        files: folder of the files of this network; those that are not there are made.
        draws: of layer, channels and class for each fault that has them.
        ask: may give what was found out before.

    Yields:
        Names of pair and network; ``state`` and the rates of the truth; ``layer``, in which the fault lies; and in
        ``checkers`` the score of each checker that reads such files and runs here, the layer that it names, its
        processor seconds, and the reason where it failed.
    """
    seen = Seen(net.kind, data)
    name = f"{net.kind.name}: {form.suffix}"
    made = list(tqdm(pairs(net, form, files, draws), desc=f"{name} files", unit="pair"))
    for pair in tqdm(made, desc=f"{name}, checkers", unit="pair"):
        about = {
            "family": FAMILY[net.kind.name],
            "network": net.kind.name,
            "format": form.suffix[1:],
            "fault": pair.fault,
            "strength": pair.strength,
            "seed": pair.seed,
            "conditional": pair.conditional,
        }
        said = {name: ask(pair, name, partial(seen.said, name, pair)) for name in readers(form.suffix)}
        yield about | ask(pair, TRUTH, partial(seen.truth, pair)) | {"checkers": said}


def readers(suffix: str) -> list[str]:
    """The checkers that read such files and run here."""
    found = {name: checks.load(name) for name in checks.names()}
    return [name for name, one in found.items() if suffix in one.suffixes and checks.runs_here(one)]


class Seen:
    """The images that checkers of a network's pairs see, and those that decide the truth."""

    def __init__(self, kind: Kind, data: Images, every: int = EVERY) -> None:
        """Images of a network; of those that decide the truth, one of ``every`` so many."""
        self.given = kind.inputs(data.given, data.given_labels)
        self._others = kind.inputs(data.held_out[::every], data.held_out_labels[::every])
        self._x = self.given.take(self.given.test)
        self._truths: dict[Path, HeldOut] = {}

    def measured(self, original: Path, compressed: Path) -> Truth:
        """Rates of a pair on held-out images."""
        if original not in self._truths:
            self._truths[original] = held_out(self.given, self._others, load_runtime(runtime_of(original), original))
        return truth(self._truths[original], load_runtime(runtime_of(compressed), compressed))

    def truth(self, pair: GradedPair) -> Said:
        """State of a pair by held-out images, their rates, and the layer in which its fault lies, if it is one."""
        found = self.measured(pair.original, pair.compressed)
        return {
            "state": found.state,
            **{name: share["value"] for name, share in asdict(found).items() if isinstance(share, dict)},
            "layer": None if pair.base is None else first_changed(pair.original, pair.base, pair.compressed, self._x),
        }

    def said(self, name: str, pair: GradedPair) -> Said:
        """Score, named layer and processor seconds of a checker; the reason where it failed."""
        found = checks.load(name)
        given = pair.original, pair.compressed, self._x, self.given.labels
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            begin = time.process_time()
            try:
                score = found.score(*given)
                seconds = time.process_time() - begin
                named = found.layer(*given) if found.layer else None
            # A checker of somebody else may fail in any way.
            except Exception as error:
                reason = on_one_line(f"{type(error).__name__}: {error}", 200)
                return {"score": None, "layer": None, "seconds": None, "failed": reason}
        # JSON has no infinite numbers.
        shown = None if math.isnan(score) else float(np.clip(score, -1e300, 1e300))
        return {"score": shown, "layer": named, "seconds": round(seconds, 3), "failed": None}


def first_changed(original: Path, base: Path, compressed: Path, x: np.ndarray) -> str | None:
    """Layer in which two files of the same operations first differ, by its name in the original.

    Args:
        original: of both.
        base: a compressed file.
        compressed: the same with a fault in one layer.
        x: inputs, float32 (n, H, W, C), of which a few are run.
    """
    few = x[:32]
    first, good, faulty = (layer_comparison.layered(path, len(few)) for path in (original, base, compressed))
    before, after = good(few), faulty(few)
    both = ((layer.name, match.name) for layer, match in layer_comparison.pairs(first, good) if match.name in after)
    return next((name for name, own in both if not np.array_equal(before[own], after[own])), None)
