"""Archives of image files in class folders: read as they are, refused when anything is off."""

import hashlib
import io
import os
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.factories import configurations

from quantrift.core.base.errors import QuantriftError
from quantrift.study.datasets.kinds import image_folders, npz_images
from quantrift.study.datasets.official import Places

NAME = "pets.tar.gz"


def pixels(seed: int, shape: tuple[int, ...] = (4, 6, 3)) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def file_of(image: np.ndarray, form: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, form)
    return file.getvalue()


def pack(folder: Path, contents: dict[str, bytes], links: dict[str, str] | None = None) -> None:
    with tarfile.open(folder / NAME, "w:gz") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)


def read(folder: Path, **more: Any) -> dict[str, np.ndarray]:
    archive = {"path": NAME, "sha256": hashlib.sha256((folder / NAME).read_bytes()).hexdigest()}
    stated = {"kind": "image_folders", "title": "Pets", "class_names": ["dog", "cat"], "archive": archive, **more}
    return image_folders.arrays(image_folders.Settings.model_validate(stated), Places(folder))


FILES = {
    "pets/train/dog/b.png": file_of(pixels(1)),
    "pets/train/dog/a.bmp": file_of(pixels(0), "BMP"),
    "pets/train/cat/c.PNG": file_of(pixels(2)),
    "pets/test/cat/d.png": file_of(pixels(3)),
    "pets/README.txt": b"by somebody",
    "pets/train/dog/.DS_Store": b"x",
    "pets/other/dog/e.png": file_of(pixels(4)),
}


def test_images_have_the_class_of_their_folder_and_are_sorted_by_name(tmp_path: Path) -> None:
    pack(tmp_path, FILES)
    arrays = read(tmp_path)
    np.testing.assert_array_equal(arrays["images"], np.stack([pixels(seed) for seed in (2, 0, 1, 3)]), strict=True)
    assert arrays["labels"].tolist() == [1, 0, 0, 1]
    assert (arrays["train"].tolist(), arrays["test"].tolist()) == ([0, 1, 2], [3])


def test_grey_images_have_one_channel_as_stated(tmp_path: Path) -> None:
    pack(tmp_path, {name: file_of(pixels(0, (4, 6))) for name in ("train/dog/a.png", "test/dog/a.png")})
    np.testing.assert_array_equal(read(tmp_path, grey=True)["images"][0, :, :, 0], pixels(0, (4, 6)))
    np.testing.assert_array_equal(read(tmp_path)["images"][0], np.stack([pixels(0, (4, 6))] * 3, -1))


def test_a_photograph_in_jpeg_comes_near_to_its_pixels(tmp_path: Path) -> None:
    smooth = np.add.outer(np.arange(32), np.arange(32)).astype(np.uint8)
    pack(tmp_path, {name: file_of(smooth, "JPEG") for name in ("train/dog/a.jpg", "test/dog/a.jpeg")})
    assert np.abs(read(tmp_path, grey=True)["images"][0, :, :, 0].astype(int) - smooth).max() < 4


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"pets/test/bird/d.png": file_of(pixels(3))}, "pets/test/bird/d.png is of no class; valid: cat, dog"),
        (
            {"pets/test/cat/d.png": file_of(pixels(3, (5, 6, 3)))},
            "pets/test/cat/d.png is (5, 6, 3), others are (4, 6, 3)",
        ),
        ({"pets/test/cat/d.png": b"no image"}, "pets/test/cat/d.png: no readable image"),
        ({"pets/test/cat/d.png": file_of(pixels(3))[:60]}, "pets/test/cat/d.png: no readable image"),
        # A format that is not among those that are read.
        ({"pets/test/cat/d.png": file_of(pixels(3), "TIFF")}, "pets/test/cat/d.png: no readable image"),
    ],
)
def test_what_is_no_image_of_a_class_is_refused_by_name(tmp_path: Path, more: dict[str, bytes], said: str) -> None:
    pack(tmp_path, FILES | more)
    with pytest.raises(QuantriftError) as caught:
        read(tmp_path)
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_part_without_images_a_link_and_a_cut_archive_are_refused(tmp_path: Path) -> None:
    pack(tmp_path, {"train/dog/a.png": file_of(pixels(0))})
    with pytest.raises(QuantriftError, match="no image below test/CLASS/"):
        read(tmp_path)
    pack(tmp_path, FILES, links={"train/dog/z.png": "/etc/passwd"})
    with pytest.raises(QuantriftError, match=r"train/dog/z.png is no plain file"):
        read(tmp_path)
    pack(tmp_path, FILES)
    (tmp_path / NAME).write_bytes((tmp_path / NAME).read_bytes()[:-40])
    with pytest.raises(QuantriftError, match="not a complete archive"):
        read(tmp_path)


def test_images_that_unpack_to_more_than_the_limit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(tmp_path, {name: file_of(np.zeros((200, 200, 3), np.uint8)) for name in ("train/dog/a.png", "test/dog/a.png")})
    monkeypatch.setenv("QUANTRIFT_MAX_UNPACKED", "200KB")
    with pytest.raises(QuantriftError, match="more than the limit"):
        read(tmp_path)


@pytest.mark.mirror
def test_all_of_cifar_10_as_jpeg_has_the_order_and_classes_of_the_official_images() -> None:
    config, mirror = configurations.of_scale("sample").datasets, Path(os.environ["QUANTRIFT_MIRROR"])
    jpeg, exact = (
        kind.arrays(config[name], Places(mirror))
        for name, kind in (("cifar10_jpeg", image_folders), ("cifar10_subset", npz_images))
    )
    assert (len(jpeg["train"]), len(jpeg["test"])) == (50_000, 10_000)
    for label in range(10):
        first, other = (
            one["images"][one["test"]][one["labels"][one["test"]] == label][:20].astype(float) for one in (jpeg, exact)
        )
        assert 24 < 10 * np.log10(255**2 / np.mean((first - other) ** 2)) < 36
