"""An original is exported where what runs it runs another file than training leaves."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.places import CONFIG

DEMO = CONFIG / "config.yaml"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(("runtime", "exported"), [("onnxruntime", "1"), ("openvino", None), ("tensorflow", None)])
def test_an_original_is_exported_once_for_all_compressions_beside_it(
    runtime: str, exported: str | None, snakemake: Run, tmp_path: Path
) -> None:
    names = ("tflite_float", "ptq_dynamic")
    overlay = tmp_path / "mine.yaml"
    stated = ", ".join(f"{name}: {{original_runtime: {runtime}}}" for name in names)
    overlay.write_text(f"scale: mine\ncompressions: {{{stated}}}\n", encoding="utf-8")
    files = [f"results/mine/compression/digits/lenet5/{name}/audit.json" for name in names]
    done = snakemake("-n", "--configfile", str(DEMO), str(overlay), "--", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = dict(re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.MULTILINE))
    assert counts["compress"] == "2"
    assert counts.get("export_original") == exported
