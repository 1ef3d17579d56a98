"""Settings of one training run, and fields that all networks have."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from quantrift.core.base.errors import first_mistake
from quantrift.core.base.merge import merged
from quantrift.core.settings.fields import Strict
from quantrift.core.settings.references import DatasetId

Device = Literal["cpu", "gpu"]
"""Processors, or a graphics processor."""


class AllTrainings(Strict):
    """Settings of all trainings that do not state them themselves."""

    device: Device = "cpu"
    """Device that networks are trained, fine-tuned and repaired on. Everything else runs on processors."""
    preset: Literal["large_batch"] | None = None
    """``large_batch``: eight times the batch of all bit studies, 256 in place of 32, which is chosen anyway, and a
    learning rate that grows with it: eightfold for ``sgd`` (Goyal et al. 2017), else by the root of eight (Malladi et
    al. 2022)."""


class Training(Strict):
    """One training run."""

    epochs: Annotated[int, Field(ge=1)]
    batch: Annotated[int, Field(ge=1)]
    learning_rate: Annotated[float, Field(gt=0)]
    """Learning rate of the optimizer, before it falls."""
    optimizer: Literal["adam", "rmsprop", "sgd"] = "adam"
    """``sgd`` has a momentum of 0.9."""
    decay: Annotated[float, Field(ge=0)] = 0.0
    """Inverse-time decay per step: rate = learning_rate / (1 + decay * step)."""
    drops: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Epochs after which the rate falls to a tenth; instead of decay."""
    # Left out of parameters and digests where it is off, so that these are those of the time before it.
    cosine: Annotated[bool, Field(exclude_if=lambda cosine: not cosine)] = False
    """The rate falls to 0 along half a cosine (Loshchilov and Hutter 2017, Section 3), without restarts; instead of
    decay and drops."""
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    """Weight decay: half of it, times the sum of the squares of all kernels, is added to the loss."""
    augment: tuple[Literal["mirror", "shift"], ...] = ()
    """Random changes of each training image: left to right half of the time; up to 4 pixels each way, black beyond."""
    seed: int = 0
    """Seed of initial weights, dropout, shuffling and augmentation."""
    threads: Annotated[int, Field(ge=1)] = 2
    """Intra-op threads; part of the result, as floating-point sums depend on it, so never taken from the machine."""
    # Left out of parameters and digests on processors, so that these are those of the time before devices.
    device: Annotated[Device, Field(exclude_if=lambda device: device == "cpu")] = "cpu"
    """``gpu`` trains on a graphics processor; part of the result, as sums there have another order. That of the section
    ``training`` where it is not given."""

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        return {
            "decay, drops and cosine all lower the learning rate; give one of them": (
                bool(self.decay) + bool(self.drops) + self.cosine > 1
            ),
            "drops must be epochs in rising order, each once": list(self.drops) != sorted(set(self.drops)),
        }


class Network(Strict):
    """Settings of all networks."""

    width: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Factor on the numbers of filters and hidden units; below 1 only for demonstrations."""
    training: Training
    per_dataset: dict[DatasetId, dict[str, Any]] = Field(default_factory=dict)
    """Dataset -> settings that differ there."""

    @model_validator(mode="after")
    def _differences_are_settings(self) -> Self:
        for dataset, settings in self.per_dataset.items():
            if "per_dataset" in settings:
                raise ValueError(
                    f"per_dataset.{dataset}: the settings of a dataset cannot have a 'per_dataset' of their own"
                )
            try:
                self.for_dataset(dataset)
            except ValidationError as error:
                raise ValueError(f"per_dataset.{dataset}: {first_mistake(error)}") from None
        return self

    def for_dataset(self, dataset: str) -> Self:
        """The settings on one dataset."""
        common = self.model_dump(exclude={"per_dataset"})
        return type(self).model_validate(merged(common, self.per_dataset.get(dataset, {})))

    @property
    def id(self) -> str:
        """The network's id: the name of its settings in lower case, as in ``Networks``."""
        return type(self).__name__.lower()
