"""Checkers find a broken file more suspicious than a good one, and name the layer with the fault."""

from pathlib import Path

import numpy as np
import pytest
from tests.factories.quantized_files import blobs, classifier, made

from quantrift.study.league import checker, outputs

Files = tuple[Path, Path, Path]
"""Original, good and broken file."""
SEARCHES = {"quantrift_random", "quantrift_pso", "quantrift_noise"}
"""They need more inputs, and are tried on the pair of the package."""
QUICK = [name for name in checker.names() if name not in SEARCHES]
FAULTY = 1
"""Layer with the fault."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    """By ending: a file in 8 bits, and the same with weights of the second layer that stand for twice as much, which
    hardly ever says the class that the original says most.
    """
    folder = tmp_path_factory.mktemp("pairs")
    model = classifier()
    logits = model.predict_on_batch(blobs())
    found: dict[str, Files] = {}
    for suffix, contents in made(model).items():
        file = contents.edited(contents.int8)
        file.scale(FAULTY, 2.0)
        file.lower(int(np.bincount(logits.argmax(axis=1)).argmax()), float(5 * np.ptp(logits)))
        one, two, three = (folder / f"{name}{suffix}" for name in ("original", "good", "broken"))
        found[suffix] = one, two, three
        for path, content in zip(found[suffix], (contents.original, contents.int8, file.content()), strict=True):
            path.write_bytes(content)
    return found


@pytest.mark.parametrize(
    ("name", "suffix"), [(name, suffix) for name in QUICK for suffix in checker.load(name).suffixes]
)
def test_a_broken_file_is_more_suspicious_than_a_good_one(name: str, suffix: str, files: dict[str, Files]) -> None:
    found = checker.load(name)
    original, good, broken = files[suffix]
    x = blobs()
    # By the labels of the original, accuracy is agreement.
    labels = outputs.logits(original, x).argmax(axis=1)
    assert found.score(original, good, x, labels) < found.score(original, broken, x, labels)
    if found.layer is not None:
        named = found.layer(original, broken, x, labels)
        # All others name the layer with the largest error, which may lie behind the fault.
        assert "second" in str(named) if name == "quantrift_layers" else named
