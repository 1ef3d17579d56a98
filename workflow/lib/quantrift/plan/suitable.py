"""Whether what a target shows can be told from what its protocols search for and store."""

from collections.abc import Iterator, Mapping

from quantrift.config.searches import Experiment, Protocol
from quantrift.config.target import Target

OTHERS = ("activation", "cooccurrence")
"""Kinds that compare what was found with the other valid candidates of the same seed input."""
ONE_SEARCH = ("first_attack", "compare_to_baseline", "compare_groups", "difference_counts", "boxes", "findings")
"""Kinds whose rates are shares of seed inputs, each of which is searched once in a run seed."""


def mistakes(
    targets: Mapping[str, Target], experiments: Mapping[str, Experiment], protocols: Mapping[str, Protocol]
) -> Iterator[str]:
    """One line for each experiment of a target whose searches do not tell what it shows."""
    for label, target in targets.items():
        kind = getattr(target, "kind", "")
        for name in getattr(target, "from_", ()):
            protocol = protocols[experiments[name].protocol]
            where = f"targets.{label}.from: experiment '{name}'"
            if kind in OTHERS and protocol.candidates == "found":
                yield f"{where} stores no candidates on which the models agree; take one with candidates: all"
            if kind in (*OTHERS, *ONE_SEARCH) and protocol.goal == "targeted":
                yield f"{where} searches each input once for every class; take one whose goal is not targeted"
            if kind == "first_attack" and protocol.goal != "differ":
                yield f"{where} ends searches with goal {protocol.goal}, not with a disagreement; take goal: differ"
