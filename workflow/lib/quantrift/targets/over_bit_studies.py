"""Targets over networks whose weights have a given number of bits, as in the thesis on that."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, TypeAdapter

from quantrift.config.bit_studies import BitStudy
from quantrift.config.compressions import Heterogeneous, Homogeneous
from quantrift.config.references import DatasetId, ModelId, StudyId
from quantrift.metrics.bit_moments import Distribution, distribution
from quantrift.targets.target import Published, Target

if TYPE_CHECKING:
    from quantrift.targets.results import Results


class StudyTarget(Target):
    """A target over the settings of bit studies."""

    studies: Annotated[list[StudyId], Field(min_length=1)]

    @property
    def paired(self) -> Mapping[str, str]:
        """Study -> the study that it is paired with."""
        return {}

    @property
    def needed(self) -> list[str]:
        """The studies it is made from, each once."""
        beside = [name for pair in self.paired.items() for name in pair]
        return list(dict.fromkeys([*self.studies, *beside]))


class BitTarget(StudyTarget, Published):
    """A target over the networks of bit studies."""

    dataset: list[DatasetId] | None = None
    """Datasets to show, where the studies have them; all of the studies by default."""
    model: list[ModelId] | None = None
    """Networks to show; all of the studies by default."""


def states(settings: StudyTarget, results: "Results") -> dict[str, dict[str, Any]]:
    """Settings of the studies, and of the compressions that these name (``studies``, ``distributions``)."""
    studies = results.stated("bit_studies", settings.needed)
    named = [name for study in studies.values() for name in study["settings"]]
    return {"studies": studies, "compressions": results.stated("compressions", list(dict.fromkeys(named)))}


def studies(stated: Mapping[str, Mapping[str, Any]]) -> dict[str, BitStudy]:
    """Settings of the studies, as ``states`` gave them (``Given.stated``)."""
    return TypeAdapter(dict[str, BitStudy]).validate_python(stated["studies"])


def distributions(stated: Mapping[str, Mapping[str, Any]]) -> dict[str, Distribution]:
    """The bits of the weights, by the compressions that these studies name."""
    settings = TypeAdapter(dict[str, Homogeneous | Heterogeneous]).validate_python(stated["compressions"])
    return {name: distribution(one) for name, one in settings.items()}
