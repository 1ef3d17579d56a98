"""Targets with the seconds of searches: charged shares of what ran together, and those of searches by themselves."""

from collections.abc import Mapping

from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import SecondsTarget


def needs(settings: SecondsTarget, results: Results) -> Mapping[str, Files]:
    """Counts of every single search, and of those by themselves where the target shows them."""
    searches = {"searches": results.counts(settings)}
    return searches | {"isolated": results.isolated(settings)} if settings.isolated else searches
