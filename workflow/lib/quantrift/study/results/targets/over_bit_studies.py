"""Targets over networks whose weights have a given number of bits, as in the thesis on that."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from quantrift.core.settings.bit_studies import BitStudy
from quantrift.core.settings.compressions import Heterogeneous, Homogeneous
from quantrift.core.statistics.bit_study_accuracy import Distribution, distribution
from quantrift.study.results.targets.results import Files, Results, asks
from quantrift.study.results.targets.target import BitTarget, StudyTarget

accuracies = asks("accuracies.parquet", accuracies=Results.bits)
"""``needs``: accuracies of the networks of each study."""


def outcomes(settings: BitTarget, results: Results) -> Mapping[str, Files]:
    """``needs``: outcomes of attacks on the networks of each study, without blocks in which no network is attacked."""
    return {"outcomes": results.bits(settings, "robustness.parquet", attacked=True)}


def states(settings: StudyTarget, results: Results) -> dict[str, dict[str, Any]]:
    """Settings of the studies, and of the compressions that these name (``studies``, ``distributions``)."""
    studies = results.stated("bit_studies", settings.needed)
    named = dict.fromkeys(name for study in studies.values() for name in study["settings"])
    return {"studies": studies, "compressions": results.stated("compressions", [*named])}


def studies(stated: Mapping[str, Mapping[str, Any]]) -> dict[str, BitStudy]:
    """Settings of the studies, as ``states`` gave them (``Given.stated``)."""
    return TypeAdapter(dict[str, BitStudy]).validate_python(stated["studies"])


def distributions(stated: Mapping[str, Mapping[str, Any]]) -> dict[str, Distribution]:
    """The bits of the weights, by the compressions that these studies name."""
    settings = TypeAdapter(dict[str, Homogeneous | Heterogeneous]).validate_python(stated["compressions"])
    return {name: distribution(one) for name, one in settings.items()}
