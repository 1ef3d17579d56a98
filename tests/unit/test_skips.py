"""A test that is left out where it may not be fails the run."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests import skips
from tests.factories.places import ROOT


def test_a_reason_that_no_list_names_is_not_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skips, "ALLOWED", {"needs root": False, "needs a browser": True})
    reasons = ["this needs root", "this needs a browser", "could not import 'onnx'"]
    assert skips.not_allowed(reasons) == ["this needs root", "could not import 'onnx'"]


def test_such_a_skip_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_left_out.py").write_text("import pytest\ndef test_it():\n    pytest.skip('just so')\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.conftest", "--rootdir", "."]
    done = subprocess.run([*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "may not be skipped here (tests/skips.py): Skipped: just so" in done.stdout
