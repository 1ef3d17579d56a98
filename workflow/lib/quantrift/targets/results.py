"""Files that targets are made from, by what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from quantrift.targets.over_bit_studies import BitTarget
    from quantrift.targets.target import Searching, SubjectTarget

Key = tuple[str, ...]
"""Ids: of dataset, network and compression, and of what was done with them."""
Files = Mapping[Key, Sequence[Path]]
"""What something is about -> its files, in the order of what a target shows."""


class Results(Protocol):
    """What the workflow makes; kinds ask it for files (``needs``) and for settings beside their own (``states``)."""

    def networks(self, settings: SubjectTarget) -> Files:
        """(dataset, model) -> facts about the network: model.json."""

    def block_splits(self, settings: SubjectTarget) -> Files:
        """(dataset, model) -> what the network is worth under a split by spatial blocks, of those with one."""

    def histories(self, settings: SubjectTarget) -> Files:
        """(dataset, model) -> the training of the network; those from files have none."""

    def calibrations(self, settings: SubjectTarget, names: Sequence[str]) -> Files:
        """(dataset, model, calibration) -> strengths of distortions on the inputs of the network."""

    def compressed(self, settings: SubjectTarget | Searching) -> Files:
        """(dataset, model, compression) -> facts about the compressed network."""

    def layer_errors(self, settings: SubjectTarget) -> Files:
        """(dataset, model, compression) -> how far its layers are from the original's."""

    def verdicts(self, settings: SubjectTarget, attacks: Sequence[str]) -> Files:
        """(dataset, model, compression, attack) -> what both models say of adversarial samples."""

    def robustness(self, settings: Searching) -> Files:
        """(dataset, model, compression) -> accuracies under attack; of the original with an empty compression."""

    def metrics(self, settings: Searching, experiments: Sequence[str] | None = None) -> Files:
        """(dataset, model, compression, tool, protocol) -> metrics of each run seed.

        ``experiments``: of these alone, of those that the target names.
        """

    def counts(self, settings: Searching) -> Files:
        """(dataset, model, compression, tool, protocol) -> tables of single searches, a block each."""

    def records(self, settings: Searching) -> Files:
        """(dataset, model, compression, tool, protocol) -> tables of candidates, a block each."""

    def inputs(self, settings: Searching) -> Files:
        """(dataset, model) -> the inputs that the vectors of candidates distort."""

    def layers_of_dii(self, settings: Searching) -> Files:
        """(dataset, model, compression, tool, protocol) -> how far layers are from the original's on what was found."""

    def shrunk(self, settings: Searching) -> Files:
        """(dataset, model, compression, tool, protocol) -> smallest sets of distortions of what was found."""

    def repaired(self, settings: Searching) -> Files:
        """(dataset, model, compression, tool, protocol) -> what training on what was found repairs."""

    def bits(self, settings: BitTarget, name: str, *, attacked: bool = False) -> Files:
        """(dataset, model, study) -> the files of one name of its blocks of networks.

        ``attacked``: of blocks with a network that is attacked alone.
        """

    def tables(self, names: Sequence[str]) -> Files:
        """(target,) -> the CSV of another table."""

    def stated(self, section: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Resolved settings of some entries of a section of the configuration, as plain values."""
