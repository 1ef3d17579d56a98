"""Settings of data: sources of files and the composition of each dataset."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from quantrift.config.fields import Fraction, Id, Strict

Address = Annotated[str, Field(pattern=r"^https?://\S+$")]


class DataSettings(Strict):
    """Where official data files come from."""

    source: Literal["auto", "mirror", "official"] = "auto"
    """``mirror``: the local folder, never the network; ``official``: downloads; ``auto``: the folder where it holds
    the file, otherwise downloads."""
    mirror: str | None = None
    """Local folder laid out like ``mnist/``, ``cifar10/``, ``hsi/``; without it QUANTRIFT_MIRROR counts."""
    downloads: str = "resources"
    """Folder that downloads are kept in, shared by all scales."""


class SourceFile(Strict):
    """One official file, by its path below the mirror and the digest it must have."""

    path: str
    """Path below the mirror and below the folder of downloads."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Digest that is checked before the file is parsed."""
    key: str | None = None
    """Variable inside a .mat file."""
    # Where a file with a known digest comes from changes no result, so neither belongs to what jobs depend on.
    bytes: Annotated[int | None, Field(gt=0, exclude=True)] = None
    """Size; a download is ended as soon as it is exceeded."""
    urls: Annotated[tuple[Address, ...], Field(exclude=True)] = ()
    """Addresses it is published at, in the order they are tried."""


class Dataset(Strict):
    """Settings of all datasets."""

    simulated: ClassVar[bool] = False
    """Whether nothing of it was ever measured, so that its results speak of no real data."""
    scene: ClassVar[bool] = False
    """Whether it is one, and no images."""
    channels: ClassVar[int | None] = None
    """Channels of its images; None for scenes, and where only files tell."""
    title: str
    """Display name, used in tables and figures."""
    published_as: Id | None = None
    """Id of the dataset whose published numbers stand beside ours; a crop or simulation names its model here."""
    class_names: list[str]
    """Names of the classes; for scenes, of ground-truth values 1, 2, ... in order."""


class OfficialImages(Dataset):
    """Settings of images with an official split."""

    # Known before a file is read, so that what is to come can be counted; what is read decides.
    train_inputs: Annotated[int | None, Field(ge=1, exclude=True)] = None
    """Training images, for `quantrift plan` and the blocks of ``inputs: all``; counted by nobody where not given."""
    test_inputs: Annotated[int | None, Field(ge=1, exclude=True)] = None
    """Test images, likewise."""


class IdxImages(OfficialImages):
    """Images and labels in the four gzip-compressed idx files of MNIST, with their official split."""

    channels: ClassVar[int | None] = 1
    kind: Literal["idx_images"]
    train_images: SourceFile
    train_labels: SourceFile
    test_images: SourceFile
    test_labels: SourceFile


class NpzImages(OfficialImages):
    """Images and labels in one .npz file: ``x_train``, ``y_train``, ``x_test`` and ``y_test``, all unsigned bytes."""

    kind: Literal["npz_images"]
    file: SourceFile


class CifarArchive(OfficialImages):
    """The binary version of CIFAR-10, one .tar.gz file that is read as it is, with its official split."""

    channels: ClassVar[int | None] = 3
    kind: Literal["cifar_archive"]
    archive: SourceFile


class Scene(Dataset):
    """A hyperspectral cube and its ground truth, each one variable of a .mat file."""

    scene: ClassVar[bool] = True
    kind: Literal["scene"]
    cube: SourceFile
    ground_truth: SourceFile
    labelled: Annotated[int | None, Field(ge=1, exclude=True)] = None
    """Labelled pixels, for `quantrift plan`; counted by nobody where not given."""


class EmbeddedDigits(Dataset):
    """scikit-learn's 1797 real handwritten digits, enlarged from 8x8 to 28x28 pixels."""

    channels: ClassVar[int | None] = 1
    kind: Literal["embedded_digits"]
    test: Fraction = 0.4
    """Share of each class that is held out as test images."""
    seed: int = 0
    """Seed of the split."""


class SimulatedScene(Dataset):
    """A simulated hyperspectral scene: coherent fields, linear mixing of smooth spectra, sensor noise."""

    simulated: ClassVar[bool] = True
    scene: ClassVar[bool] = True
    kind: Literal["simulated_scene"]
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
    labelled: Fraction = 0.6
    """Share of the pixels with a ground-truth label."""
    seed: int = 0
    """Seed of everything that is drawn."""


class SimulatedTextures(Dataset):
    """Simulated colour images of CIFAR-10's size: waves whose direction, frequency and colour tell the class."""

    simulated: ClassVar[bool] = True
    channels: ClassVar[int | None] = 3
    kind: Literal["simulated_textures"]
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


AnyDataset = Annotated[
    IdxImages | NpzImages | CifarArchive | Scene | EmbeddedDigits | SimulatedScene | SimulatedTextures,
    Field(discriminator="kind"),
]


def official_files(dataset: AnyDataset) -> list[SourceFile]:
    """The official files a dataset is read from; none for embedded and simulated data."""
    return [value for _, value in dataset if isinstance(value, SourceFile)]
