"""Settings of networks and of their compression; the defaults are the papers' values."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from quantrift.config.base import Fraction, Strict


class Training(Strict):
    """One training run."""

    epochs: Annotated[int, Field(ge=1)]
    batch: Annotated[int, Field(ge=1)]
    learning_rate: Annotated[float, Field(gt=0)]
    """Of Adam."""
    decay: Annotated[float, Field(ge=0)] = 0.0
    """Inverse-time decay per step: rate = learning_rate / (1 + decay * step)."""
    seed: int = 0
    """Seed of initial weights, dropout and shuffling."""
    threads: Annotated[int, Field(ge=1)] = 2
    """Intra-op threads; part of the result, as floating-point sums depend on it, so never taken from the machine."""


class SceneSplit(Strict):
    """How the labelled pixels of a scene are divided, at random."""

    kind: Literal["per_class", "overall"]
    """``per_class``: ceil(share) of each class is taken; ``overall``: ceil(test share) of all, stratified by class."""
    train: Fraction | None = None
    """Training share of each class (``per_class``)."""
    validation: Fraction | None = None
    """Validation share of each class (``per_class``)."""
    test: Fraction | None = None
    """Test share (``overall``); the rest trains."""
    seed: int = 0

    @model_validator(mode="after")
    def _shares_fit_kind(self) -> "SceneSplit":
        needed = ["train", "validation"] if self.kind == "per_class" else ["test"]
        given = [name for name in ("train", "validation", "test") if getattr(self, name) is not None]
        if given != needed:
            raise ValueError(f"kind {self.kind} takes {' and '.join(needed)}, got {' and '.join(given) or 'neither'}")
        return self


class Network(Strict):
    """What all networks state."""

    width: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Factor on the numbers of filters and hidden units; below 1 only for demonstrations."""
    training: Training


class HybridSN(Network):
    """HybridSN (Roy et al. 2020): 25x25 patches, 15 principal components, 30/70 % split."""

    patch: Annotated[int, Field(ge=9)] = 25
    """Side of the square patch, in pixels; odd."""
    components: Annotated[int, Field(ge=13)] = 15
    """Principal components kept of the spectrum, whitened; three unpadded 3-D convolutions take 12 of them."""
    pca_fit: Literal["train", "all"] = "train"
    """Pixels on which standardisation and PCA are fitted; the published code used all, test pixels included."""
    split: SceneSplit = SceneSplit(kind="overall", test=0.7)
    training: Training = Training(epochs=100, batch=256, learning_rate=0.001, decay=1e-6)

    @field_validator("patch")
    @classmethod
    def _patch_has_a_centre(cls, patch: int) -> int:
        if patch % 2 == 0:
            raise ValueError("a patch needs an odd side, so that it has a pixel in its centre")
        return patch


class LeNet5(Network):
    """LeNet-5 on 28x28 grey images; the training recipe is chosen, the papers state none."""

    training: Training = Training(epochs=12, batch=128, learning_rate=0.001)


class Networks(Strict):
    """Settings of each network, by its id."""

    hybridsn: HybridSN = HybridSN()
    lenet5: LeNet5 = LeNet5()


class PtqInt8(Strict):
    """Post-training 8-bit quantization of weights and activations of the 2-D twin."""

    representative: Annotated[int, Field(ge=1)] = 200
    """Training inputs on which activation ranges are measured."""
    min_int8_mac_share: Fraction = 0.95
    """Below this share of multiply-accumulates in 8 bits the model is refused."""
    max_accuracy_loss: Fraction = 0.05
    """Largest loss of test accuracy, as a fraction, before the model is refused as broken."""
    seed: int = 0
    """Seed of the choice of representative inputs."""


class Compressions(Strict):
    """Settings of each compression, by its id."""

    ptq_int8: PtqInt8 = PtqInt8()
