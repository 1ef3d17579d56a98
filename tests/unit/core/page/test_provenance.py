"""Provenance of a result."""

import json
import re
import subprocess
from pathlib import Path

from quantrift.core.page.provenance import checkout, collect, processor

X86 = """processor\t: 0
model name\t: Some CPU @ 2.0GHz
flags\t\t: fpu sse4_2 avx2 avx512f avx512_vnni fma
"""
ARM = "processor\t: 0\nFeatures\t: fp asimd asimddp i8mm\n"


def test_provenance_is_json_and_the_same_each_time() -> None:
    first = collect({"scale": "x", "titles": {}}, {"b": "2", "a": "1"})
    assert json.loads(json.dumps(first)) == first == collect({"titles": {}, "scale": "x"}, {"a": "1", "b": "2"})
    # printf '{"scale": "x", "titles": {}}' | sha256sum
    assert first["config_digest"] == "c808ef20352a6ce822d2bfa75fb1efe8c018132cc489246a7bd9aa2ad31e74e1"
    assert list(first["data_sha256"]) == ["a", "b"]
    assert re.fullmatch(r"unknown|[0-9a-f]{40}", first["commit"])
    assert first["packages"]["numpy"] != "not installed"


def test_outside_a_checkout_the_commit_is_unknown(tmp_path: Path) -> None:
    assert checkout(tmp_path) == {"commit": "unknown", "dirty": None}


def test_instruction_sets_are_those_that_matter_to_inference(tmp_path: Path) -> None:
    (tmp_path / "x86").write_text(X86)
    assert processor(tmp_path / "x86") == {
        "model": "Some CPU @ 2.0GHz",
        "instruction_sets": ["avx2", "avx512_vnni", "avx512f", "fma", "sse4_2"],
    }
    (tmp_path / "arm").write_text(ARM)
    assert processor(tmp_path / "arm")["instruction_sets"] == ["asimd", "asimddp", "i8mm"]


def test_without_cpuinfo_the_processor_still_has_a_name(tmp_path: Path) -> None:
    found = processor(tmp_path / "none")
    assert found["model"]
    assert found["instruction_sets"] == []


def test_a_checkout_has_a_commit_and_is_dirty_when_a_tracked_file_changes(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        return subprocess.run(["git", *who, *words], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    git("init")
    (tmp_path / "inner").mkdir()
    (tmp_path / "file").write_text("a")
    git("add", "file")
    git("commit", "-m", "first")
    head = git("rev-parse", "HEAD").strip()
    assert checkout(tmp_path) == {"commit": head, "dirty": False}
    (tmp_path / "file").write_text("b")
    assert checkout(tmp_path) == {"commit": head, "dirty": True}
    # A folder of which git tracks nothing has no commit of its own, such as an installed package.
    assert checkout(tmp_path / "inner") == {"commit": "unknown", "dirty": None}
