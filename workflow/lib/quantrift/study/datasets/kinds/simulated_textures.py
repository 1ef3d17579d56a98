"""Simulated textures: noisy colour images of waves, in classes that overlap, so that no network is always right."""

from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from quantrift.core.base.errors import refuse
from quantrift.core.settings.datasets import Dataset
from quantrift.study.datasets.image_parts import Part, joined
from quantrift.study.datasets.official import Places

Floats = NDArray[np.float64]

SIDE = 32
"""Rows and columns of an image, as CIFAR-10 has."""
CYCLES = 2.0, 8.0
"""Waves along the side of an image, of the lowest and the highest class; between them, classes differ by a factor."""
SATURATION = 0.15
"""Deviation of each colour channel from grey."""
CONTRAST = 0.1, 0.3
"""Least and greatest amplitude of the wave that tells the class, as a share of the range of values."""
BRIGHTNESS = 0.1
"""Standard deviation of an image's mean, as a share of the range of values."""


class Settings(Dataset):
    """Simulated colour images of CIFAR-10's size: waves whose direction, frequency and colour tell the class."""

    simulated: ClassVar[bool] = True
    channels: ClassVar[int | None] = 3
    train: Annotated[int, Field(ge=1)] = 200
    """Training images of each class."""
    test: Annotated[int, Field(ge=1)] = 100
    """Test images of each class."""
    overlap: Annotated[float, Field(ge=0)] = 0.1
    """Standard deviation of direction, frequency and hue within a class, as a share of the range of all classes."""
    clutter: Annotated[float, Field(ge=0)] = 0.5
    """Strength of a second wave that tells nothing, relative to the first."""
    noise: Annotated[float, Field(ge=0)] = 0.1
    """Standard deviation of the noise of each value, as a share of the range of values."""
    seed: int = 0
    """Seed of everything that is drawn."""

    @property
    def split_sizes(self) -> tuple[int, int]:
        """Of all classes."""
        return self.train * len(self.class_names), self.test * len(self.class_names)


def arrays(settings: Settings, places: Places) -> dict[str, NDArray[Any]]:
    """Arrays ``images`` (N, 32, 32, 3) uint8, ``labels`` (N,) int64, ``train`` and ``test``, with classes in turn.

    A class has a direction, a frequency and a hue. An image departs from them at random, in brightness and contrast
    too, and gets a second wave drawn without regard to the class, and noise.

    Raises:
        QuantriftError: unless there are 2 to 256 class names.
    """
    classes = len(settings.class_names)
    refuse(
        (
            not 2 <= classes <= 256,
            f"class_names: {classes} given, simulated textures have 2 to 256 classes; change the list",
        )
    )
    # A stream for each part, so that the number of images of one changes nothing in the other.
    layout, train, test = np.random.default_rng(settings.seed).spawn(3)
    levels = (np.arange(classes) + 0.5) / classes
    centres = np.stack([layout.permutation(levels) for _ in range(3)], axis=1)
    return joined(
        _part(train, centres, settings.train, settings), _part(test, centres, settings.test, settings), classes
    )


def _part(rng: np.random.Generator, centres: Floats, count: int, settings: Settings) -> Part:
    labels = np.tile(np.arange(len(centres), dtype=np.uint8), count)
    images = np.stack([_image(rng, centres[label], settings) for label in labels])
    return Part(images, labels, settings.title, settings.title)


def _image(rng: np.random.Generator, centre: Floats, settings: Settings) -> NDArray[np.uint8]:
    """(32, 32, 3): an image about a class's direction, frequency and hue, each of which fills the range 0 to 1."""
    direction, pitch, hue = centre + settings.overlap * rng.standard_normal(3)
    contrast = rng.uniform(*CONTRAST)
    values = contrast * _wave(rng, direction, pitch) + settings.clutter * contrast * _wave(rng, *rng.uniform(size=2))
    values += 0.5 + BRIGHTNESS * rng.standard_normal()
    colour = SATURATION * np.cos(2 * np.pi * (hue - np.arange(3) / 3))
    noise = settings.noise * rng.standard_normal((SIDE, SIDE, 3))
    return np.rint(255 * np.clip(values[..., None] + colour + noise, 0, 1)).astype(np.uint8)


def _wave(rng: np.random.Generator, direction: float, pitch: float) -> Floats:
    """(32, 32) between -1 and 1: a plane wave, from horizontal (direction 0) to vertical (1), rising or falling.

    Which of both is drawn, so that the mirror image of a class is as frequent as the class: training may mirror images.
    """
    angle = rng.choice([-1, 1]) * direction * np.pi / 2
    low, high = CYCLES
    along = np.arange(SIDE) * (2 * np.pi / SIDE * low * (high / low) ** pitch)
    return np.sin(along[:, None] * np.cos(angle) + along * np.sin(angle) + rng.uniform(0, 2 * np.pi))
