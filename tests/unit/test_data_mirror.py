"""Files of the mirror: found, checked, and refused in one line."""

import hashlib
from pathlib import Path

import pytest

from quantrift.config.datasets import SourceFile
from quantrift.config.errors import QuantriftError
from quantrift.data.mirror import official


def test_a_file_with_the_right_digest_is_found(tmp_path: Path) -> None:
    (tmp_path / "hsi").mkdir()
    (tmp_path / "hsi" / "cube.mat").write_bytes(b"cube")
    file = SourceFile(path="hsi/cube.mat", sha256=hashlib.sha256(b"cube").hexdigest())
    assert official(tmp_path, file) == tmp_path / "hsi" / "cube.mat"


def test_no_mirror_names_the_file_and_the_settings(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match=r"^hsi/cube.mat: .*QUANTRIFT_MIRROR"):
        official(None, SourceFile(path="hsi/cube.mat", sha256="0" * 64))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match=r"cube.mat: no such file") as caught:
        official(tmp_path, SourceFile(path="hsi/cube.mat", sha256="0" * 64))
    assert "\n" not in str(caught.value)


def test_a_file_with_another_digest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cube.mat").write_bytes(b"something else")
    with pytest.raises(QuantriftError, match=f"expected {'0' * 64}"):
        official(tmp_path, SourceFile(path="cube.mat", sha256="0" * 64))
