"""Targets with seconds of searches: charged shares of what ran together, and those of searches by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import SecondsTarget

if TYPE_CHECKING:
    from quantrift.study.results.targets.protocol_checks import Whole


def needs(settings: SecondsTarget, results: Results) -> Mapping[str, Files]:
    """Counts of every single search, and of those by themselves where the target shows them."""
    searches = {"searches": results.counts(settings)}
    return searches | {"isolated": results.isolated(settings)} if settings.isolated else searches


def mistakes(settings: SecondsTarget, whole: Whole) -> Iterator[str]:
    """One line for each protocol of which no other is ``isolated_of``, where the target shows these."""
    if not settings.isolated:
        return
    known = {protocol.isolated_of for protocol in whole.protocols.values()}
    for name in dict.fromkeys(whole.experiments[name].protocol for name in settings.experiments):
        if name not in known:
            yield f"isolated: no protocol is isolated_of '{name}'; add one, or remove isolated"
