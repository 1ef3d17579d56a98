"""Settings of data: sources of files, and what all datasets state; each kind in ``datasets.kinds`` adds its own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from quantrift.core.settings.fields import Id, OfKind, Strict

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


class Dataset(OfKind):
    """Settings of all datasets."""

    simulated: ClassVar[bool] = False
    """Whether all of it is simulated, so that its results say nothing about real data."""
    scene: ClassVar[bool] = False
    """Whether it is a hyperspectral scene, not a set of images."""
    channels: ClassVar[int | None] = None
    """Channels of its images; None for scenes, and where only files tell (``channels_in``)."""
    title: str
    """Display name, used in tables and figures."""
    published_as: Id | None = None
    """Id of the dataset whose published numbers stand beside ours; a crop or simulation names its model here."""
    class_names: list[str]
    """Names of the classes; for scenes, of ground-truth values 1, 2, ... in order."""
    kind: str
    """Module of ``quantrift.study.datasets.kinds`` that makes it."""

    @property
    def split_sizes(self) -> tuple[int, int] | None:
        """Training and test images, as far as they are known before anything is read; None of scenes."""
        return None

    @property
    def labelled_pixels(self) -> int | None:
        """Of a scene, likewise; None of images."""
        return None

    def channels_in(self, folders: Sequence[Path]) -> int | None:
        """Channels of its images, as far as its kind or a look into its files tells.

        Args:
            folders: where its files may lie, in this order.
        """
        return self.channels


class OfficialImages(Dataset):
    """Settings of images with an official split."""

    # Known before a file is read, so that what is to come can be counted; what is read decides.
    train_inputs: Annotated[int | None, Field(ge=1, exclude=True)] = None
    """Number of training images, where it is known: `quantrift plan` and the blocks of ``inputs: all`` use it."""
    test_inputs: Annotated[int | None, Field(ge=1, exclude=True)] = None
    """Number of test images, for the same use."""

    @property
    def split_sizes(self) -> tuple[int, int] | None:
        """As stated."""
        return (self.train_inputs, self.test_inputs) if self.train_inputs and self.test_inputs else None


def official_files(dataset: Dataset) -> list[SourceFile]:
    """The official files a dataset is read from; none for embedded and simulated data."""
    return [value for _, value in dataset if isinstance(value, SourceFile)]
