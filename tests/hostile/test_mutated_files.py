"""No damage to a file ends a command by a signal, as a crash, or never.

``QUANTRIFT_MUTATIONS=300`` damages as many files of each format; ``python -m tests.hostile.mutated`` prints how
commands ended.
"""

import os
from pathlib import Path

import pytest
from tests.hostile.mutated import mutated
from tests.hostile.samples import SAMPLES, installed

NUMBER = int(os.environ.get("QUANTRIFT_MUTATIONS", "12"))


@pytest.mark.nightly
@pytest.mark.parametrize("name", SAMPLES)
def test_a_damaged_file_is_refused_in_one_line_or_read(name: str, tmp_path: Path) -> None:
    if name not in installed():
        pytest.skip(f"{SAMPLES[name].needs} is not installed")
    assert not [end for end in mutated(name, NUMBER, 0, tmp_path, real=NUMBER) if end.wrong]
