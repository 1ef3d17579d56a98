"""Simulated hyperspectral scenes: fields of land cover whose spectra are similar and mix at their borders."""

import math
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from quantrift.core.base.errors import refuse
from quantrift.core.settings.datasets import Dataset
from quantrift.core.settings.fields import Fraction
from quantrift.study.datasets.official import Places

Floats = NDArray[np.float64]

MEAN_RADIANCE = 1500.0
"""Mean of the noise-free cube, near that of the Pavia University scene in its own units."""
ILLUMINATION = 0.1
"""Standard deviation of the light that falls on a pixel, relative to its mean."""
SPECTRAL_CONTRAST = 0.5
"""Standard deviation of the logarithm of a spectrum along its bands."""
SPECTRAL_FEATURES = 10
"""Correlation lengths that fit into a spectrum, so that its shape does not depend on the number of bands."""
GLINT = (2.0, 5.0)
"""Light of a pixel that mirrors the sun, as a multiple of what it sends otherwise. In the public crop of Pavia
University, 2.0 % of the pixels are more than twice as bright as the mean, and the brightest is 4.2 times as bright."""
LEAST_COVER, MOST_COVER = 0.5, 1.5
"""Share of the scene that a class covers, relative to the mean of all classes."""
BALANCING_STEPS = 200
"""Steps towards those shares; in 64x64 pixels, 16 classes end within two pixels of them."""


class Settings(Dataset):
    """A simulated hyperspectral scene: coherent fields, linear mixing of smooth spectra, sensor noise."""

    simulated: ClassVar[bool] = True
    scene: ClassVar[bool] = True
    height: Annotated[int, Field(ge=32)] = 64
    """Rows of the scene, in pixels."""
    width: Annotated[int, Field(ge=32)] = 64
    """Columns of the scene, in pixels."""
    bands: Annotated[int, Field(ge=16)]
    """Spectral bands."""
    field_size: Annotated[float, Field(gt=0)] = 6.0
    """Correlation length of the land-cover fields, in pixels: small is urban, large is rural."""
    similarity: Fraction = 0.7
    """How much of each class spectrum is common to all classes."""
    mixing: Fraction = 0.4
    """Largest share of a neighbouring class in a pixel's spectrum."""
    noise: Annotated[float, Field(ge=0)] = 0.03
    """Standard deviation of the sensor noise, relative to the mean signal."""
    glints: Fraction = 0.0
    """Share of the pixels that mirror the sun, like metal roofs and wet leaves. So bright pixels stretch the range that
    8 bits must cover."""
    labelled: Fraction = 0.6
    """Share of the pixels with a ground-truth label."""
    seed: int = 0
    """Seed of everything that is drawn."""

    @property
    def labelled_pixels(self) -> int:
        """To within the rounding of each class."""
        return round(self.height * self.width * self.labelled)


def arrays(settings: Settings, places: Places) -> dict[str, NDArray[Any]]:
    """Arrays ``cube`` (height, width, bands) uint16, at least 1, and ``ground_truth`` (height, width) int64.

    Each pixel belongs to the class whose field is highest there. Its spectrum is a linear mixture with the class that
    comes second, the more so the closer the two are, times the light of the place; some pixels mirror the sun. A
    sensor adds Gaussian noise that is stronger at both ends of the spectrum. Parts of every class, in coherent areas,
    stay unlabelled (0).

    Raises:
        QuantriftError: for fewer than two class names.
    """
    classes = len(settings.class_names)
    refuse((classes < 2, f"class_names: {classes} given, a simulated scene mixes at least two; name more classes"))
    # A stream for each thing drawn, so that changing one parameter changes nothing else.
    cover, spectral, light, sensor, survey, sun = np.random.default_rng(settings.seed).spawn(6)
    size = (settings.height, settings.width)
    fields = _cover(cover, size, classes, settings.field_size)
    first, second = np.argsort(-fields, axis=0)[:2]
    # Positive and smooth; ``similarity`` of each is common to all.
    common, *own = (_shape(spectral, settings.bands) for _ in range(classes + 1))
    spectra = settings.similarity * common + (1 - settings.similarity) * np.stack(own)
    share = (settings.mixing * _closeness(fields))[..., None]
    signal = (1 - share) * spectra[first] + share * spectra[second]
    signal *= np.exp(ILLUMINATION * _field(light, size, 2 * settings.field_size))[..., None]
    signal *= MEAN_RADIANCE / signal.mean()
    signal *= np.where(sun.random(size) < settings.glints, sun.uniform(*GLINT, size), 1)[..., None]
    # Relative deviation of each band's noise, three times as strong at the ends as in the middle, of mean square 1.
    profile = 1 + 2 * np.linspace(-1, 1, settings.bands) ** 2
    noise = settings.noise * MEAN_RADIANCE * (profile / np.sqrt(np.mean(profile**2)))
    cube = signal + noise * sensor.standard_normal(signal.shape)
    surveyed = _surveyed(first, _field(survey, size, settings.field_size), settings.labelled)
    return {
        "cube": np.rint(np.clip(cube, 1, np.iinfo(np.uint16).max)).astype(np.uint16),
        "ground_truth": np.where(surveyed, first + 1, 0),
    }


def _field(rng: np.random.Generator, size: tuple[int, int], length: float) -> Floats:
    """A Gaussian random field of mean 0 and deviation 1, correlated by 1/e over ``length`` pixels."""
    from scipy.ndimage import gaussian_filter

    smooth = gaussian_filter(rng.standard_normal(size), length / 2, mode="wrap")
    return (smooth - smooth.mean()) / smooth.std()


def _cover(rng: np.random.Generator, size: tuple[int, int], classes: int, length: float) -> Floats:
    """(classes, height, width): a field for each class, raised or lowered until each covers its drawn share."""
    target = rng.uniform(LEAST_COVER, MOST_COVER, classes)
    target /= target.sum()
    fields = np.stack([_field(rng, size, length) for _ in range(classes)])
    for step in range(BALANCING_STEPS):
        counts = np.bincount(fields.argmax(axis=0).ravel(), minlength=classes)
        away = np.log(target * math.prod(size) / np.maximum(counts, 1))
        fields += 0.5 / (1 + step / 10) * away[:, None, None]
    return fields


def _closeness(fields: Floats) -> Floats:
    """1 where two classes meet, falling to 0 inside the area of one."""
    [margin] = np.diff(np.sort(fields, axis=0)[-2:], axis=0)
    return np.exp(-margin / margin.mean())


def _shape(rng: np.random.Generator, bands: int) -> Floats:
    from scipy.ndimage import gaussian_filter1d

    smooth = gaussian_filter1d(rng.standard_normal(bands), bands / SPECTRAL_FEATURES / 2, mode="reflect")
    return np.exp(SPECTRAL_CONTRAST * (smooth - smooth.mean()) / smooth.std())


def _surveyed(label: NDArray[np.int64], ease: Floats, share: float) -> NDArray[np.bool_]:
    """True for the given share of each class, in the places that are easiest to survey."""
    chosen = np.zeros(label.size, bool)
    for number in np.unique(label):
        members = np.flatnonzero(label == number)
        easiest = members[np.argsort(-ease.ravel()[members], kind="stable")]
        chosen[easiest[: math.ceil(share * len(members))]] = True
    return chosen.reshape(label.shape)
