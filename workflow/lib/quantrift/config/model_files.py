"""Settings of networks that exist already, as files, and of how they want their inputs."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from quantrift.config.base import Id, Strict
from quantrift.config.datasets import SourceFile
from quantrift.config.scene_networks import ScenePatchSettings


class ImageInputs(Strict):
    """How a network wants images: value = low + (high - low) * byte / 255, minus ``mean``, divided by ``std``."""

    kind: Literal["images"] = "images"
    low: float = 0.0
    """What black becomes."""
    high: float = 1.0
    """What white becomes."""
    mean: tuple[float, ...] = ()
    """Subtracted after that, one number per channel."""
    std: tuple[Annotated[float, Field(gt=0)], ...] = ()
    """Divided by after that, one number per channel."""
    channels: Literal["rgb", "bgr"] = "rgb"
    """Order of the channels the network was trained on."""

    @model_validator(mode="after")
    def _white_is_not_black(self) -> "ImageInputs":
        if self.high <= self.low:
            raise ValueError(f"high is {self.high}, not above low, {self.low}")
        return self


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
    """Name for people; the id where it is not given."""
    original: SourceFile
    """.keras, .h5 (the whole network, not its weights alone) or .tflite."""
    compressed: dict[Id, SourceFile] = Field(default_factory=dict)
    """Compressed versions, .tflite; their ids stand under ``compression`` of a group of subjects."""
    inputs: AnyInputs = ImageInputs()
    """How its inputs are made from a dataset."""
