"""Publications that targets reproduce."""

from collections.abc import Mapping

from quantrift.study.planning.collection import members
from quantrift.study.results.targets.target import Target

COMMON = "Networks, compression, repair"
WORKS = {
    "diverget": "DiverGet",
    "diffchaser": "DiffChaser",
    "triggerfinder": "TriggerFinder",
    "heterogeneous": "Thesis on heterogeneous bit widths",
    "claims": "Claims of the papers",
}
"""First word of a target's id -> the publication that it reproduces, or the claims of all of them."""


def work_of(name: str, targets: Mapping[str, Target]) -> str:
    """The publication that a target reproduces; that of a collection is its first member's."""
    first = [*members(targets[name]), name][0]
    return WORKS.get(first.partition("_")[0], COMMON)
