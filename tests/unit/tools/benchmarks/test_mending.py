"""Benchmark of mending: which pairs are mended, that none is mended twice, and how results are shown."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.factories import configurations
from tools.benchmarks import mending as benchmark
from tools.benchmarks.mending import Failing

from quantrift.core.base.paths import Paths
from quantrift.judge.mend import mending
from quantrift.judge.mend.mending import Correlation, Mending, OnFresh, Split
from quantrift.judge.mend.settings import Settings
from quantrift.judge.verdict.assessment import LIMITS, Model
from quantrift.judge.verdict.tool_result import Rate


def on_fresh(network: str, kept: int | None, events: int, size: int = 20_000, share: float | None = 0.5) -> OnFresh:
    return OnFresh(network, kept, size, share, events, 400, Rate(events / 400, 0.0, 1.0))


MODEL = Model("a.tflite", "", 1, "litert")
KEPT = Mending(
    command="",
    versions={},
    original=MODEL,
    compressed=MODEL,
    inputs="inputs.npz",
    inputs_sha256="",
    split=Split(0, 200, 200, 100),
    limits=LIMITS,
    margin=0.25,
    notes=[],
    fresh=[on_fresh("as given", None, 8, share=None)],
    mended=None,
    verdict="pass",
    verdict_text="a: pass; every limit is kept",
)
FOUND = replace(
    KEPT,
    state="mended",
    units=7,
    kept=["conv2"],
    floats=["CONV_3D: no form in 8 bits"],
    correlations=[Correlation("alone", "sqnr_db", 7, -0.5, -0.4), Correlation("gain", "sqnr_db", 7, 0.1, 0.1)],
    fresh=[
        on_fresh("as given", None, 80, share=None),
        on_fresh("all in 8 bits", 0, 84, share=1.0),
        on_fresh("mended", 1, 4, 23_500),
        on_fresh("SQNR, equal size", 0, 84),
        on_fresh("random 1, equal size", 0, 84, 20_000),
        on_fresh("random 2, equal size", 2, 40, 22_000, 0.75),
    ],
)


def row(found: Mending, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The row of a pair whose mending has these results; mending it a second time would fail."""
    done: list[Path] = []

    def mend(original: Path, compressed: Path, inputs: Path, out: Path, settings: Settings) -> None:
        assert not done
        done.append(out)
        out.mkdir(parents=True)
        mending.write(found, out)

    monkeypatch.setattr(benchmark, "mend", mend)
    original, compressed, inputs = (folder / one for one in ("original.keras", "compressed.tflite", "inputs.npz"))
    for file in (original, compressed, inputs):
        file.write_text(file.name)
    pair = Failing("small", "a small network", original, compressed, inputs)
    first, second = (benchmark.Mending(folder)._row(pair) for _ in range(2))
    assert first == second
    return first


def test_pairs_of_the_workflow_are_those_that_the_scale_has() -> None:
    paths = Paths(Path("results/sample"))
    sample = benchmark.Mending()
    files = [str(one) for one in sample.needs(configurations.of_scale("sample"), paths)]
    assert list(sample.of_workflow) == ["resnet20", "ssrn_3d"]
    assert "results/sample/models/pavia_university_crop/ssrn/model.keras" in files
    assert "results/sample/compression/cifar10_subset/resnet20/ptq_int8/model.tflite" in files


def test_a_pair_is_mended_once_and_its_table_has_every_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = benchmark.text([row(FOUND, tmp_path, monkeypatch)])
    first = next(line for line in text.splitlines() if line.startswith("| a small network"))
    assert first.startswith(
        "| a small network | 20.00 (0.00 to 100.00), 80 of 400 | 1.00 (0.00 to 100.00), 4 of 400 | 1 of 7 "
        "| 20.0, 23.5 | 50.0 | pass |"
    )
    assert "| as given |  | 20.0 | unknown | 20.00 (0.00 to 100.00), 80 of 400 |" in text
    assert "| by chance, equal size, 2 orders | 0 to 2 | 20.0 to 22.0 | 50.0 to 75.0 | 10.00 to 21.00 |" in text
    assert "In float: `conv2`." in text
    assert "Never in 8 bits: CONV_3D: no form in 8 bits." in text
    assert "correlate (Spearman) -0.50 with low SQNR." in text


def test_a_pair_that_kept_its_limits_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = benchmark.text([row(KEPT, tmp_path, monkeypatch)])
    assert "| kept its limits already |" in text
