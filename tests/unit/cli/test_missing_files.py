"""A file that is not there is told before libraries are loaded that take seconds."""

import subprocess
import sys
from pathlib import Path

import pytest

from quantrift.judge.intake.example import paths

EXAMPLE = paths()
OPTIONS = {
    "assess": ("--original", "--compressed", "--inputs"),
    "mend": ("--original", "--compressed", "--inputs"),
    "certify": ("--original", "--compressed", "--inputs"),
    "compare": ("", "", ""),
}
MORE = {"compare": [], "certify": ["--neighbourhoods", "shift=1"]}
RUN = (
    "import sys; from quantrift.cli.main import main; code = main(sys.argv[1:]); "
    "heavy = {'tensorflow', 'keras', 'ai_edge_litert', 'onnxruntime', 'pandas'}; "
    "print(code, sorted(heavy & set(sys.modules)))"
)


@pytest.mark.parametrize("command", OPTIONS)
@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_missing_file_is_one_line_at_once(command: str, missing: int, tmp_path: Path) -> None:
    files = [f"{EXAMPLE.original}", f"{EXAMPLE.int8}@reference", f"{EXAMPLE.inputs}"]
    files[missing] = "nowhere.tflite@reference" if missing == 1 else "nowhere.npz"
    words = [word for pair in zip(OPTIONS[command], files, strict=True) for word in pair if word]
    out = [] if command == "compare" else ["--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", RUN, command, *words, *out, *MORE.get(command, [])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "2 []"
    name = "nowhere.tflite" if missing == 1 else "nowhere.npz"
    assert done.stderr.startswith(f"quantrift {command}: {name}: no such file; name ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
