"""Settings of networks for patches of hyperspectral scenes; the defaults are the papers' values."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator

from quantrift.core.settings.fields import Fraction, Strict
from quantrift.core.settings.training import Network, Training


class SceneSplit(Strict):
    """Split of the labelled pixels of a scene: pixel by pixel as published, or by blocks without a leak."""

    kind: Literal["per_class", "overall", "spatial_blocks"]
    """``per_class``: ceil(share) of each class is taken; ``overall``: ceil(test share) of all, stratified by class.

    Both draw single pixels, whose patches overlap. ``spatial_blocks``: square blocks train or test as a whole, and
    training pixels with a test pixel in their patch are dropped, so that the network has seen no test pixel.
    """
    train: Fraction | None = None
    """Training share of each class (``per_class``)."""
    validation: Fraction | None = None
    """Validation share of each class (``per_class``)."""
    test: Fraction | None = None
    """Test share (``overall``, and about that share for ``spatial_blocks``); the rest trains."""
    block: Annotated[int, Field(ge=1)] | None = None
    """Side of a block, in pixels (``spatial_blocks``); well above half the patch, or few pixels are left to train."""
    seed: int = 0

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        takes = {"per_class": ["train", "validation"], "overall": ["test"], "spatial_blocks": ["test", "block"]}
        needed = takes[self.kind]
        given = [name for name in ("train", "validation", "test", "block") if getattr(self, name) is not None]
        return {f"kind {self.kind} takes {' and '.join(needed)}, got {' and '.join(given) or 'none'}": given != needed}


class ScenePatchSettings(Strict):
    """Settings of the patches of a scene and of their split."""

    patch: Annotated[int, Field(ge=1)]
    """Side of the square patch, in pixels; odd."""
    components: int | None
    """Principal components kept of the spectrum, whitened; null for all bands, standardised one by one."""
    pca_fit: Literal["train", "all"] = "train"
    """Pixels on which standardisation and PCA are fitted; the published codes used all, test pixels included."""
    clip: Annotated[float, Field(gt=0)] | None = None
    """Standard deviations beyond which values are cut off, for scenes with glitch pixels; null for none."""
    split: SceneSplit
    """Split of the labelled pixels."""

    @field_validator("patch")
    @classmethod
    def _patch_has_a_centre(cls, patch: int) -> int:
        if patch % 2 == 0:
            raise ValueError("a patch needs an odd side, so that it has a pixel in its centre")
        return patch


class SceneNetwork(ScenePatchSettings, Network):
    """Settings of all networks for scenes; the split is that of the network that is compressed and searched."""

    blocks: SceneSplit | None = None
    """A split of kind ``spatial_blocks``: the network is trained once more under it, for its accuracy alone."""

    @field_validator("blocks")
    @classmethod
    def _blocks_are_blocks(cls, blocks: SceneSplit | None) -> SceneSplit | None:
        if blocks is not None and blocks.kind != "spatial_blocks":
            raise ValueError(f"takes a split of kind spatial_blocks, got {blocks.kind}")
        return blocks


class HybridSN(SceneNetwork):
    """HybridSN (Roy et al. 2020): 25x25 patches, 15 principal components, 30/70 % split."""

    patch: Annotated[int, Field(ge=9)] = 25
    """Side of the square patch, in pixels; odd."""
    components: Annotated[int, Field(ge=13)] = 15
    """Principal components kept of the spectrum, whitened; three unpadded 3-D convolutions take 12 of them."""
    split: SceneSplit = SceneSplit(kind="overall", test=0.7)
    training: Training = Training(epochs=100, batch=256, learning_rate=0.001, decay=1e-6)


class SSRN(SceneNetwork):
    """SSRN (Zhong et al. 2018): 7x7 patches of all bands, 10/10/80 % split, recipe of its public code (SSRN_UP.py)."""

    patch: Annotated[int, Field(ge=3)] = 7
    """Side of the square patch, in pixels; odd."""
    components: Annotated[int, Field(ge=7)] | None = None
    """Principal components kept of the spectrum, whitened; null for all bands, standardised one by one."""
    split: SceneSplit = SceneSplit(kind="per_class", train=0.1, validation=0.1)
    training: Training = Training(epochs=200, batch=16, learning_rate=0.0003, optimizer="rmsprop")
