"""A verdict is about the bytes that were given, whatever happens to the files during the run."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from quantrift.core.base.files import sha256
from quantrift.judge.certify import loaded_subject
from quantrift.judge.certify.asked_neighbourhoods import Settings as Certification
from quantrift.judge.certify.loaded_subject import Files
from quantrift.judge.certify.run import certify
from quantrift.judge.intake.example import paths
from quantrift.judge.mend import run as mending
from quantrift.judge.mend.settings import Settings as Mending
from quantrift.judge.verdict import opened_networks, run
from quantrift.judge.verdict.assessment import Limits
from quantrift.judge.verdict.profiles import Settings


@pytest.fixture
def given(tmp_path: Path) -> Files:
    """Copies of the bundled pair, which a test may exchange."""
    example = paths()
    first, second, inputs = (shutil.copy(file, tmp_path) for file in (example.original, example.int8, example.inputs))
    return Files(Path(first), Path(second), Path(inputs))


@pytest.fixture
def exchanged(given: Files, monkeypatch: pytest.MonkeyPatch) -> Callable[[object], list[str]]:
    """Has the files exchanged, emptied and deleted once a command has loaded them; returns digests from before."""

    def at(module: object) -> list[str]:
        fitted = module.fitted  # type: ignore[attr-defined]

        def once(*arguments: object, **named: object) -> object:
            found = fitted(*arguments, **named)
            given.compressed.unlink(missing_ok=True)
            shutil.copy(paths().dynamic, given.compressed)
            given.inputs.write_bytes(b"")
            given.original.unlink(missing_ok=True)
            return found

        monkeypatch.setattr(module, "fitted", once)
        return [sha256(one) for one in (given.original, given.compressed, given.inputs)]

    return at


@pytest.mark.slow
def test_an_assessment_is_about_the_files_that_were_given(
    given: Files, exchanged: Callable[[object], list[str]], tmp_path: Path
) -> None:
    before = exchanged(opened_networks)
    found = run.assess(
        given.original, [given.compressed], given.inputs, tmp_path / "out", Settings(seeds=5, generations=1)
    )
    assert [found.original.sha256, found.candidates[0].model.sha256, found.inputs.sha256] == before
    searched = {sha256(file) for file in (tmp_path / "out" / found.candidates[0].records).rglob("*.tflite")}
    assert before[1] in searched
    assert sha256(paths().dynamic) not in searched


@pytest.mark.slow
def test_a_certificate_is_about_the_files_that_were_given(
    given: Files, exchanged: Callable[[object], list[str]], tmp_path: Path
) -> None:
    before = exchanged(loaded_subject)
    found = certify(given, tmp_path / "out", Certification("shift=1", 2)).certificate
    assert [found.original.given.sha256, found.compressed.given.sha256, found.inputs.sha256] == before


@pytest.mark.slow
def test_a_mending_is_about_the_files_that_were_given(
    given: Files, exchanged: Callable[[object], list[str]], tmp_path: Path
) -> None:
    before = exchanged(mending)
    # The pair has few inputs, a part of which alone decides.
    wide = Mending(seeds=5, generations=1, limits=Limits(max_disagreement=0.2, max_dir=0.2))
    found = mending.mend(given.original, given.compressed, given.inputs, tmp_path / "out", wide)
    assert [found.original.sha256, found.compressed.sha256, found.inputs_sha256] == before
