"""Settings of networks from files, and of the inputs that they take."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, FiniteFloat

from quantrift.core.settings.datasets import SourceFile
from quantrift.core.settings.fields import Id, Strict
from quantrift.core.settings.scene_networks import ScenePatchSettings

FAR = 8
"""How many times as far from black and white as these are from each other a mean may be. One that is given on another
scale is further; so far away float32 still tells the levels of 8 bits apart, and all constraints hold."""


class ImageInputs(Strict):
    """How a network wants images: value = low + (high - low) * byte / 255, minus ``mean``, divided by ``std``."""

    kind: Literal["images"] = "images"
    low: FiniteFloat = 0.0
    """Value of black."""
    high: FiniteFloat = 1.0
    """Value of white."""
    mean: tuple[FiniteFloat, ...] = ()
    """Subtracted after that, one number per channel."""
    std: tuple[Annotated[FiniteFloat, Field(gt=0)], ...] = ()
    """Divided by after that, one number per channel."""
    channels: Literal["rgb", "bgr"] = "rgb"
    """Order of the channels the network was trained on."""

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        scale = self.high - self.low
        far = [mean for mean in self.mean if max(abs(self.low - mean), abs(self.high - mean)) > FAR * scale]
        counts = f"mean has {len(self.mean)} numbers and std {len(self.std)}; give one per channel in both"
        where = (
            f"mean is {[*far, 0.0][0]:g} where black is {self.low:g} and white is {self.high:g}; give mean and std on "
            "the scale of low and high"
        )
        return {
            f"high is {self.high}, not above low, {self.low}": scale <= 0,
            counts: self.mean and self.std and len(self.mean) != len(self.std),
            where: far,
        }


class SceneInputs(ScenePatchSettings):
    """How a network wants patches of a scene; give the split it was trained under."""

    kind: Literal["scene"]
    components: Annotated[int, Field(ge=1)] | None = None
    """Principal components kept of the spectrum, whitened; null for all bands, standardised one by one."""


def _images_unless_said(value: Any) -> Any:
    return {"kind": "images", **value} if isinstance(value, dict) else value


AnyInputs = Annotated[ImageInputs | SceneInputs, Field(discriminator="kind"), BeforeValidator(_images_unless_said)]


class ModelFile(Strict):
    """A network in a file, with compressed versions of it in files beside it if there are any."""

    source: Literal["file"]
    title: str | None = None
    """Display name; the id where it is not given."""
    original: SourceFile
    """.keras, .h5 (the whole network, not its weights alone) or .tflite."""
    compressed: dict[Id, SourceFile] = Field(default_factory=dict)
    """Compressed versions, .tflite; their ids stand under ``compression`` of a group of subjects."""
    inputs: AnyInputs = ImageInputs()
    """How its inputs are made from a dataset."""
    published_as: Id | None = None
    """Network under which the papers' numbers of it are filed; its own id where it is not given."""
    compressed_published_as: Id | None = None
    """Compression under which those of its compressed versions are filed; likewise."""
