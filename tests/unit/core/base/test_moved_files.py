"""One process at a time in a folder, and no trace of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.moved_files import alone_in

HOLD = """
import sys
from pathlib import Path
from quantrift.core.base.moved_files import alone_in
with alone_in(Path(sys.argv[1])):
    print("in", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_refused_until_the_first_is_gone_however_it_ended(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "out"
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "in\n"
    with pytest.raises(QuantriftError, match="another run is writing to it"), alone_in(folder):
        pytest.fail("two were in")
    first.kill()
    first.communicate()
    with alone_in(folder):
        pass
    assert list(folder.iterdir()) == []


def test_one_process_may_come_again_and_an_error_leaves_no_lock(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mine"), alone_in(tmp_path):
        raise ValueError("mine")
    with alone_in(tmp_path):
        pass


def test_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(QuantriftError, match="is a file"), alone_in(file):
        pass
