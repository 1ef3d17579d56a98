"""``quantrift assess --certify``: the shares of ``quantrift certify``, in verdict, report and files."""

import json
from pathlib import Path

import pytest
from tests.factories import certificates

from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.judge.verdict.assessment import read

pytestmark = pytest.mark.slow

NEIGHBOURHOODS = "brightness=90,shift=1,linf=1"


def words(files: dict[str, Path], out: Path, *more: str) -> list[str]:
    named = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    small = ["--seeds", "4", "--generations", "2", "--inconclusive", "pass", "--max-disagreement", "none"]
    return ["assess", *named, "--range", "0", "1", "--out", str(out), *small, "--max-dir", "none", *more]


def test_an_assessment_states_what_certify_alone_finds(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, alone = tmp_path / "out", tmp_path / "alone"
    main(words(files, out, "--certify", NEIGHBOURHOODS, "--certify-number", "5", "--markdown", str(tmp_path / "ci.md")))
    said = " ".join(capsys.readouterr().out.split())
    named = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    certify = ["certify", *named, "--range", "0", "1", "--neighbourhoods", NEIGHBOURHOODS, "--number", "5"]
    main([*certify, "--out", str(alone)])
    [candidate] = (found := read(out)).candidates
    assert candidate.certified == certificates.read(alone).neighbourhoods
    folder = out / candidate.name / "certificates"
    for name in ("certificates.csv", "counterexamples.npz", "progress.json"):
        assert (folder / name).read_bytes() == (alone / name).read_bytes()
    page, summary = (out / "report.html").read_text(encoding="utf-8"), (tmp_path / "ci.md").read_text(encoding="utf-8")
    assert "Where no disagreement exists" in page
    for one in candidate.certified:
        assert one.text in said
        assert one.text in found.verdict_text
        assert one.text in summary
        assert one.neighbourhood in page
    assert any(one.counterexamples for one in candidate.certified)
    assert "proven by bounds" in said


def test_without_it_nothing_is_certified(files: dict[str, Path], tmp_path: Path) -> None:
    main(words(files, tmp_path / "out"))
    [candidate] = read(tmp_path / "out").candidates
    assert candidate.certified == []
    assert not (tmp_path / "out" / candidate.name / "certificates").exists()
    assert "Where no disagreement exists" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (("--certify", "brigtness"), "--certify: there is no 'brigtness'; did you mean 'brightness'?"),
        (("--certify", "shift=1", "--certify-number", "0"), "--certify-number is 0; give 1 or more"),
        (("--certify", "shift=1", "--task", "regress"), "--task names another agreement"),
    ],
)
def test_what_cannot_be_certified_is_refused_before_any_search(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], line: str
) -> None:
    assert main(words(files, tmp_path / "out", *more)) == 2
    [said] = capsys.readouterr().err.splitlines()
    assert line in said
    assert not (tmp_path / "out").exists()


def test_inputs_on_no_grid_are_refused(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays = read_arrays(files["inputs"])
    inputs = tmp_path / "inputs.npz"
    write_arrays(inputs, {"inputs": (arrays["inputs"] / 255.1).astype("float32"), "labels": arrays["labels"]})
    assert main(words(files | {"inputs": inputs}, tmp_path / "out", "--certify", "shift=1")) == 2
    assert "no images of 8 bits" in capsys.readouterr().err


def test_assessments_of_earlier_versions_are_read(files: dict[str, Path], tmp_path: Path) -> None:
    main(words(files, tmp_path / "out"))
    path = tmp_path / "out" / "assessment.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for one in content["candidates"]:
        del one["certified"]
    path.write_text(json.dumps(content), encoding="utf-8")
    [candidate] = read(tmp_path / "out").candidates
    assert candidate.certified == []
