"""Images for planted pairs: MNIST's digits, grey or tinted, for training, assessment and truth."""

import colorsys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.core.base.streams import stream
from quantrift.core.search.distortions.image_distortion import moved, turns
from quantrift.study.datasets.kinds import embedded_digits, idx_images
from quantrift.study.datasets.official import Places

TRAIN = 12_000
"""Images that networks are trained on, at most."""
GIVEN = 500
"""Images that an assessment is given."""
COPIES = 10
"""Of each embedded image, moved a little, where there is no MNIST."""
OWN_HUE = 0.6
"""Share of the tinted digits that have the hue of their class; the others have any."""


@dataclass(frozen=True, eq=False)
class Images:
    """Three sets of images that share none."""

    name: str
    """Of the data, for people."""
    train: np.ndarray
    """uint8 (n, 28, 28, channels)."""
    train_labels: np.ndarray
    """int64 (n,)."""
    given: np.ndarray
    """Images for assessments."""
    given_labels: np.ndarray
    held_out: np.ndarray
    """Images that decide the truth."""
    held_out_labels: np.ndarray


def mnist(settings: idx_images.Settings, folder: Path) -> Images:
    """MNIST, from a mirror's folder."""
    arrays = idx_images.arrays(settings, Places(mirror=folder))
    train = stream("planted", "train").permutation(arrays["train"])[:TRAIN]
    test = stream("planted", "test").permutation(arrays["test"])
    return _split("MNIST", arrays["images"], arrays["labels"], train, test[:GIVEN], test[GIVEN:])


def tinted(images: Images) -> Images:
    """The same with three channels: ink of one hue, mostly that of its class, on dark ground of another.

    Colored MNIST (Arjovsky et al. 2019) with hues in place of two colours.
    """
    return replace(
        images,
        name=f"{images.name}, tinted",
        train=_tinted(images.train, images.train_labels, "train"),
        given=_tinted(images.given, images.given_labels, "given"),
        held_out=_tinted(images.held_out, images.held_out_labels, "held_out"),
    )


def embedded() -> Images:
    """scikit-learn's embedded digits, each moved in several ways; their split is not used, as copies are split here."""
    settings = embedded_digits.Settings(kind="embedded_digits", title="Digits", class_names=list("0123456789"))
    arrays = embedded_digits.arrays(settings, Places())
    count = len(arrays["images"])
    rng = stream("planted", "embedded")
    # Copies of an image all lie in one set.
    parts = np.split(rng.permutation(count), [count // 2, count // 2 + GIVEN // COPIES])
    rows = np.repeat(np.concatenate(parts), COPIES)
    images = arrays["images"][rows].astype(np.float32)
    shift = rng.uniform(-2, 2, (len(rows), 2))
    matrix = turns(rng.uniform(-12, 12, len(rows))) / (2 ** rng.uniform(-0.2, 0.2, len(rows)))[:, None, None]
    whole = np.clip(np.rint(moved(images, matrix, shift)), 0, 255).astype(np.uint8)
    sets = np.split(np.arange(len(rows)), np.cumsum([len(part) * COPIES for part in parts])[:-1])
    return _split(f"scikit-learn's digits, each in {COPIES} places and turns", whole, arrays["labels"][rows], *sets)


def _split(
    name: str, images: np.ndarray, labels: np.ndarray, train: np.ndarray, given: np.ndarray, held_out: np.ndarray
) -> Images:
    return Images(name, images[train], labels[train], images[given], labels[given], images[held_out], labels[held_out])


def _tinted(images: np.ndarray, labels: np.ndarray, part: str) -> np.ndarray:
    """(n, H, W, 3) uint8."""
    rng, count = stream("planted", "tint", part), len(images)
    own = rng.random(count) < OWN_HUE
    hues = np.where(own, (labels + rng.uniform(-0.3, 0.3, count)) / 10, rng.random(count)) % 1
    ink = _colours(hues, rng.uniform(0.5, 0.9, count), rng.uniform(0.7, 1, count))
    ground = _colours(rng.random(count), rng.uniform(0, 0.6, count), rng.uniform(0, 0.3, count))
    share = images.astype(np.float32) / 255
    return np.rint(255 * (share * ink[:, None, None] + (1 - share) * ground[:, None, None])).astype(np.uint8)


def _colours(hues: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Red, green and blue, float32 (n, 3) in [0, 1]."""
    return np.array(list(map(colorsys.hsv_to_rgb, hues.tolist(), saturation.tolist(), value.tolist())), np.float32)
