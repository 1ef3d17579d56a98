"""Settings of bit studies: networks trained several times with a given number of bits for each weight."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, model_validator

from quantrift.core.base.errors import first_mistake
from quantrift.core.base.merge import merged
from quantrift.core.settings.attacks import Strengths
from quantrift.core.settings.compressions import Compression, Rounding
from quantrift.core.settings.fields import Id, Strict
from quantrift.core.settings.networks import ImageNetwork, Networks
from quantrift.core.settings.references import CompressionId, DatasetId, ModelId
from quantrift.core.settings.training import Network, Training

THESIS = Training(epochs=500, batch=32, learning_rate=0.00001, threads=1)
"""500 epochs (Section 4.1) of Adam at 1e-5 (Section 3.1); the batch is chosen. Two jobs of one thread each train more
networks in the same time than one of two threads."""


class BitTraining(Strict):
    """How the networks of one dataset and model are trained."""

    training: Training = THESIS
    """Without augmentation, as in the thesis (Section 5.2); its ``seed`` has no effect, that of the study has."""
    width: Annotated[float | None, Field(gt=0, le=1)] = None
    """Factor on the numbers of filters and hidden units; that of ``models.<id>`` where it is not given."""
    dense: tuple[Annotated[int, Field(ge=1)], ...] | None = None
    """Units of VGG-16's dense layers before the last; those of ``architectures.vgg16`` where it is not given."""
    inputs: Annotated[int | None, Field(ge=1)] = None
    """Training inputs, drawn once for the study; all where it is not given or there are fewer."""

    def shaped(self, network: Network) -> Network:
        """A network's settings with the width and the dense layers of its own here."""
        form = {"width": self.width, "dense": self.dense}
        own = {name: value for name, value in form.items() if value is not None and hasattr(network, name)}
        return network.model_copy(update=own)

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        return {"networks of bit studies are trained without augmentation; take augment away": self.training.augment}


class BitStudy(BitTraining):
    """A bit study: networks with several settings of bits, each trained several times with new bits and weights."""

    dataset: list[DatasetId]
    model: list[ModelId]
    settings: Annotated[list[CompressionId], Field(min_length=1)]
    """Compressions of method ``homogeneous`` or ``heterogeneous``; of these, the bits, shares and budget count."""
    repetitions: Annotated[int, Field(ge=1)] = 5
    """Trainings of each network (thesis, Section 4.1)."""
    seed: int = 0
    """Seed of all draws. Together with the dataset, model, setting and repetition it fixes a network, whatever else
    is in the study."""
    per_network: dict[DatasetId, dict[ModelId, dict[str, Any]]] = Field(default_factory=dict)
    """Dataset -> model -> the settings among ``training``, ``width``, ``dense`` and ``inputs`` that differ there."""
    strengths: dict[DatasetId, Strengths] = Field(default_factory=dict)
    """Dataset -> strengths of attacks, from 0, no attack, upwards."""
    attacked: list[Id] | None = None
    """Settings whose networks are attacked; all where it is not given."""

    @model_validator(mode="after")
    def _differences_are_settings(self) -> Self:
        for dataset, models in self.per_network.items():
            for model in models:
                try:
                    self.trained(dataset, model)
                except ValidationError as error:
                    raise ValueError(f"per_network.{dataset}.{model}: {first_mistake(error)}") from None
        return self

    def trained(self, dataset: str, model: str) -> BitTraining:
        """How the networks of one dataset and model are trained."""
        common = self.model_dump(include=set(BitTraining.model_fields))
        return BitTraining.model_validate(merged(common, self.per_network.get(dataset, {}).get(model, {})))

    @property
    def attacked_settings(self) -> list[str]:
        """Settings whose networks are attacked."""
        return self.settings if self.attacked is None else self.attacked


def mistakes(
    studies: Mapping[str, BitStudy], networks: Networks, compressions: Mapping[str, Compression]
) -> Iterator[str]:
    """One line for each study that cannot be trained or attacked as it stands; names in it exist."""
    able = [name for name, own in networks.trained.items() if isinstance(own, ImageNetwork)]
    for label, study in studies.items():
        where = f"bit_studies.{label}"
        for key, names in (("dataset", study.dataset), ("model", study.model), ("settings", study.settings)):
            twice = sorted({name for name in names if names.count(name) > 1})
            yield from (f"{where}.{key}: '{name}' stands twice; name each once" for name in twice)
        yield from (
            f"{where}.model: '{name}' is a {'file' if name in networks.files else 'network for scenes'} and cannot be "
            f"trained on images; valid: {', '.join(able)}"
            for name in study.model
            if name not in able
        )
        methods = {name: compressions.get(name) for name in study.settings}
        yield from (
            f"{where}.settings: '{name}' is of method {own.method if own else 'file'}; take compressions of method "
            "homogeneous or heterogeneous"
            for name, own in methods.items()
            if not isinstance(own, Rounding)
        )
        yield from (
            f"{where}.attacked: '{name}' is no setting of the study; valid: {', '.join(study.settings)}"
            for name in study.attacked or ()
            if name not in study.settings
        )
        yield from (
            f"{where}.strengths: none for dataset '{name}'; give it a list that begins with 0"
            for name in study.dataset
            if name not in study.strengths
        )
