"""Searches beside a Keras network itself: as repeatable as those beside LiteRT, and replayed the same way."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.factories import configurations
from tests.factories.places import CONFIG
from tests.factories.records import SUBJECT, lenient, untimed
from tests.factories.shared import slow

from quantrift.core.base.errors import ConfigError, QuantriftError
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.networks import runtime
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.observed_pair import load_observed
from quantrift.core.pairs.pair import PairFiles
from quantrift.core.search.record_columns import searches_path, settings
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, run
from quantrift.study.planning.configuration_files import load

BLOCKS = {"seeds_000-003": range(4), "seeds_000-000": range(1), "seeds_002-002": range(2, 3)}
SEARCH = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from quantrift.core.base.seed_blocks import Block
from quantrift.core.base.paths import Paths
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Files, Job, run
from quantrift.core.search.records.replaying import replay
given = json.loads(sys.argv[1])
job = Job(given["subject"], "random", given["settings"], Budget(12), vectors="all", rows=given["rows"], memory_mb=200)
files = files_in(Paths(Path(given["root"])), job.subject, job.tool_settings, "tensorflow")
for path, first, end in given["blocks"]:
    run(job, files, Block(range(first, end)), Path(path))
print(json.dumps(asdict(replay(Path(given["blocks"][0][0])))))
"""


@pytest.fixture(scope="module")
def tool_settings() -> dict[str, Any]:
    return lenient("random")


@pytest.fixture(scope="module")
def folder(lay_out: Callable[[Files], None], trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """A results folder with a network in both forms."""
    paths = Paths(tmp_path_factory.mktemp("results"))
    model = paths.model("tiny", "hybridsn")
    lay_out(files_in(paths, SUBJECT, configurations.tool("random")))
    (model / "model.keras").write_bytes((trained / "model.keras").read_bytes())
    return paths


@pytest.fixture(scope="module")
@slow
def beside_keras(folder: Paths, tool_settings: dict[str, Any]) -> tuple[dict[str, Path], dict[str, Any]]:
    """Records of all run seeds and of single ones, and the replay of the former; all in one process of TensorFlow."""
    place = folder.searches("tiny", "hybridsn", "ptq_int8", "random", "test")
    records = {name: place / f"{name}.parquet" for name in BLOCKS}
    given = {
        "subject": SUBJECT,
        "settings": tool_settings,
        "root": str(folder.root),
        "rows": 64,
        "blocks": [(str(records[name]), seeds.start, seeds.stop) for name, seeds in BLOCKS.items()],
    }
    done = subprocess.run([sys.executable, "-c", SEARCH, json.dumps(given)], capture_output=True, text=True, check=True)
    return records, json.loads(done.stdout.splitlines()[-1])


def test_a_search_does_not_depend_on_the_others_beside_it(
    beside_keras: tuple[dict[str, Path], dict[str, Any]],
) -> None:
    records, _ = beside_keras
    whole, of_each = records["seeds_000-003"], pq.read_table(searches_path(records["seeds_000-003"]))
    assert set(of_each["run_seed"].to_pylist()) == {0, 1, 2, 3}
    for name in ("seeds_000-000", "seeds_002-002"):
        for path, all_of_them in ((records[name], whole), (searches_path(records[name]), searches_path(whole))):
            alone, together = untimed(path), untimed(all_of_them)
            kept = pa.array([seed == BLOCKS[name].start for seed in together["run_seed"].to_pylist()])
            assert alone.num_rows > 0
            assert alone.equals(together.filter(kept).combine_chunks())


def test_records_say_what_ran_the_original_and_replay_on_it(
    beside_keras: tuple[dict[str, Path], dict[str, Any]],
) -> None:
    records, replayed = beside_keras
    made = settings(records["seeds_000-003"])
    assert made["original_runtime"] == "tensorflow"
    assert {"tensorflow", "keras", "ai-edge-litert"} <= set(made["versions"])
    assert replayed["rows"] == replayed["same_input"] == replayed["same_labels"] > 0
    assert replayed["largest_difference"] == 0
    assert replayed["changed"] == []


def test_labels_are_those_of_the_same_search_beside_litert(
    beside_keras: tuple[dict[str, Path], dict[str, Any]], folder: Paths, tool_settings: dict[str, Any], tmp_path: Path
) -> None:
    out = tmp_path / "litert.parquet"
    job = Job(SUBJECT, "random", tool_settings, Budget(12), vectors="all", rows=256, memory_mb=200)
    run(job, files_in(folder, SUBJECT, tool_settings), Block(range(4)), out)
    assert settings(out)["original_runtime"] == "litert"
    columns = ["run_seed", "input", "evaluation", "digest", "label_original", "label_compressed"]
    one, other = (pq.read_table(path, columns=columns) for path in (out, beside_keras[0]["seeds_000-003"]))
    assert one.equals(other)


def test_a_pair_may_have_its_original_on_openvino(folder: Paths) -> None:
    pytest.importorskip("openvino")
    model = folder.model("tiny", "hybridsn") / runtime.module("openvino").ORIGINAL
    compressed = folder.compressed("tiny", "hybridsn", "ptq_int8") / "model.tflite"
    x = Inputs.load(folder.inputs("tiny", "hybridsn")).take(range(40))
    outputs = given_pair.load(PairFiles(original=model, compressed=compressed, original_runtime="openvino"))(x)
    assert (outputs.original.argmax(axis=1) == LiteRT(model)(x).argmax(axis=1)).all()
    assert (outputs.compressed == LiteRT(compressed)(x)).all()


@pytest.mark.parametrize("name", [*runtime.names_for_trained(), "openvimo"])
def test_any_runtime_of_the_folder_and_no_other_runs_originals(name: str, tmp_path: Path) -> None:
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(f"compressions: {{tflite_float: {{original_runtime: {name}}}}}\n")
    if name in runtime.names_for_trained():
        assert load(CONFIG, [CONFIG / "config.yaml", overlay]).original_runtime("tflite_float") == name
    else:
        mistake = r"compressions\.tflite_float\.original_runtime: unknown runtime 'openvimo'; did you mean 'openvino'"
        with pytest.raises(ConfigError, match=mistake):
            load(CONFIG, [CONFIG / "config.yaml", overlay])


def test_neurons_are_asked_of_litert_alone(tmp_path: Path) -> None:
    profile = tmp_path / "profile.npz"
    with pytest.raises(
        QuantriftError, match="runs on tensorflow, which does not show its neurons; choose an objective"
    ):
        load_observed(tmp_path / "model.keras", tmp_path / "model.tflite", profile, "tensorflow")
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(
        "subjects: {beside_keras: {dataset: [sim_pavia], model: [hybridsn], compression: [ptq_int8, tflite_float]}}\n"
        "experiments: {beside_keras: {subjects: beside_keras, tools: [pso_div, pso_cov], protocol: rq2}}\n"
    )
    with pytest.raises(ConfigError, match=r"experiments\.beside_keras\.tools: pso_cov uses .* beside tflite_float"):
        load(CONFIG, [CONFIG / "config.yaml", overlay])
