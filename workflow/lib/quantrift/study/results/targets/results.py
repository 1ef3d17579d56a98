"""Files that targets are made from, by dataset, network, compression and other ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from quantrift.study.results.targets.target import (
        BitTarget,
        CalibrationTarget,
        Searching,
        SecondsTarget,
        SubjectTarget,
    )

Key = tuple[str, ...]
"""Ids: of dataset, network and compression, and of tool, protocol, attack, calibration or study."""
Files = Mapping[Key, Sequence[Path]]
"""Ids -> files, in the order in which a target shows them."""


class Results(Protocol):
    """Files that the workflow makes; kinds ask for files (``needs``) and for settings beside their own (``states``)."""

    def networks(self, settings: SubjectTarget, *files: str, trained: bool = False) -> Files:
        """(dataset, model) -> files of the folder of the network; ``trained``: of those that are trained here alone."""

    def block_splits(self, settings: SubjectTarget) -> Files:
        """(dataset, model) -> accuracy under a spatially disjoint split, of networks with one, and its seconds."""

    def calibrations(self, settings: CalibrationTarget) -> Files:
        """(dataset, model, calibration) -> strengths of distortions on the inputs of the network."""

    def compressed(self, settings: SubjectTarget | Searching, file: str = "compression.json") -> Files:
        """(dataset, model, compression) -> description of the compressed network, or another file beside it."""

    def verdicts(self, settings: SubjectTarget, attacks: Sequence[str]) -> Files:
        """(dataset, model, compression, attack) -> labels that both models give to adversarial samples."""

    def robustness(self, settings: Searching) -> Files:
        """(dataset, model, compression) -> accuracies under attack; of the original with an empty compression."""

    def metrics(
        self, settings: Searching, beside: Sequence[str] = (), experiments: Sequence[str] | None = None
    ) -> Files:
        """(dataset, model, compression, tool, protocol) -> metrics of each run seed, and CSV files beside them.

        Args:
            settings: of the target.
            beside: names of these files: ``intervals``, ``timing``.
            experiments: restricts the experiments that the target names.
        """

    def counts(self, settings: Searching) -> Files:
        """(dataset, model, compression, tool, protocol) -> tables of single searches, a block each."""

    def isolated(self, settings: SecondsTarget) -> Files:
        """The same of the searches by themselves, of which the protocol is ``isolated_of`` that of the others."""

    def records(self, settings: Searching) -> Files:
        """(dataset, model, compression, tool, protocol) -> tables of candidates, a block each."""

    def searched(self, settings: Searching) -> Files:
        """(dataset, model, compression, tool, protocol) -> networks and seed inputs that a replay of records reads."""

    def inputs(self, settings: Searching) -> Files:
        """(dataset, model) -> the inputs that the vectors of candidates distort."""

    def made_of_searches(self, settings: Searching, what: Literal["dii_layers", "shrunk", "repaired"]) -> Files:
        """(dataset, model, compression, tool, protocol) -> a file that is made of difference-inducing inputs.

        ``dii_layers``: errors of layers on them; ``shrunk``: smallest sets of distortions that they need;
        ``repaired``: repairs by training on them.
        """

    def bits(self, settings: BitTarget, name: str, *, attacked: bool = False) -> Files:
        """(dataset, model, study) -> the files of one name of its blocks of networks.

        ``attacked``: of blocks with a network that is attacked alone.
        """

    def checked(self) -> Files:
        """(network, kind of files) -> what checkers say of its planted pairs, and their seconds."""

    def tables(self, names: Sequence[str]) -> Files:
        """(target,) -> the CSV of another table, its meaning, and its details, but for times."""

    def tables_of_all(self, names: Sequence[str]) -> Files:
        """The same, of those that ``all`` names."""

    def titles(self) -> dict[str, dict[str, Any]]:
        """Display names by id, of everything that tables name, for ``states``; simulated datasets say that they are."""

    def stated(self, section: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Resolved settings of some entries of a section of the configuration, as plain values."""

    def setting(self, place: str) -> Any:
        """A resolved setting by its place, ``protocols.rq1.inputs``. Raises ``KeyError``, ``AttributeError``."""


def asks(*more: str | Sequence[str], **files: Callable[..., Files]) -> Callable[[Any, Results], Mapping[str, Files]]:
    """``needs`` of a kind: files by name, each from a method of ``Results``, with what it takes beside the settings."""

    def needs(settings: Any, results: Results) -> Mapping[str, Files]:
        return {name: getattr(results, method.__name__)(settings, *more) for name, method in files.items()}

    return needs
