"""Inputs stored in the file of difference-inducing inputs come back as they went in; damaged ones are refused."""

from pathlib import Path

import numpy as np
import pytest

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.judge.verdict.stored_inputs import StoredInputs

INPUTS = np.random.default_rng(0).random((3, 4, 5, 1)).astype(np.float32)


def stored(folder: Path, **arrays: np.ndarray) -> Path:
    write_arrays(folder / "dii.npz", arrays)
    return folder / "dii.npz"


@pytest.mark.parametrize(
    ("values", "held"),
    [
        (INPUTS.astype(np.float64), r"float64 \(3, 4, 5, 1\)"),
        (INPUTS[0], r"float32 \(4, 5, 1\)"),
        (np.full_like(INPUTS, np.nan), r"float32 \(3, 4, 5, 1\)"),
        # Bytes mean nothing without black and white.
        (INPUTS.astype(np.uint8), r"uint8 \(3, 4, 5, 1\)"),
    ],
    ids=["float64", "one image", "not finite", "bytes"],
)
def test_what_no_assessment_writes_is_refused(values: np.ndarray, held: str, tmp_path: Path) -> None:
    file = stored(tmp_path, inputs=values)
    message = (
        rf"^{file}: array 'inputs' holds {held}, expected finite float32 \(n, H, W, C\); make the assessment again$"
    )
    with pytest.raises(QuantriftError, match=message):
        StoredInputs.read(file)


def test_each_part_has_inputs_of_its_own_and_bytes_their_ends(tmp_path: Path) -> None:
    ends = {"black": np.zeros(1, np.float32), "white": np.ones(1, np.float32)}
    given = {"given.inputs": INPUTS[:2], "given.carried.noise": np.ones((2, 7), np.float32)}
    drawn = {"changed.inputs": INPUTS.astype(np.uint8)} | {f"changed.{name}": end for name, end in ends.items()}
    file = stored(tmp_path, inputs=INPUTS, changed_input=np.array("image"), **given, **drawn)
    found, as_given, changed = (StoredInputs.read(file, part) for part in ("", "given.", "changed."))
    assert np.array_equal(found.values, INPUTS)
    assert (found.changed, found.others, found.ends) == ("image", {}, ())
    assert np.array_equal(as_given.values, INPUTS[:2])
    assert {name: one.shape for name, one in as_given.others.items()} == {"noise": (2, 7)}
    assert changed.values.dtype == np.uint8
    assert [end.tolist() for end in changed.ends] == [[0], [1]]
