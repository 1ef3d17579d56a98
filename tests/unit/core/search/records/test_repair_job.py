"""Compressed networks trained on half of what was found: halves share no seed input, files are what is judged."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.record_files import files_of_records
from tests.factories.records import SUBJECT, lenient

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ScenePatches
from quantrift.core.base.paths import TRAINABLE, Paths
from quantrift.core.base.seed_blocks import Block
from quantrift.core.networks.evaluate import labels
from quantrift.core.networks.runtimes.litert import LiteRT
from quantrift.core.networks.training.original import Original
from quantrift.core.search.records.dii import load
from quantrift.core.search.results_files import files_in
from quantrift.core.search.run import Budget, Job, run
from quantrift.core.settings.compressions import Compression
from quantrift.core.settings.sections import RepairSettings
from quantrift.core.settings.training import Training
from quantrift.core.statistics.repair_shares import read
from quantrift.study.compression import method
from quantrift.study.compression.build import build
from quantrift.study.compression.methods.homogeneous import Settings as Homogeneous
from quantrift.study.compression.methods.prune import Settings as Prune
from quantrift.study.compression.methods.qat_control import Settings as QatControl
from quantrift.study.compression.methods.qat_int8 import Settings as QatInt8
from quantrift.study.compression.repair_job import Repaired, halves, repair, trained_on
from quantrift.study.compression.trainable import restore, stored

pytestmark = pytest.mark.slow

# 100 inputs in whole batches: for an odd last one TensorFlow would trace a step again.
SHORT = Training(epochs=1, batch=20, learning_rate=0.001)
SLOW = Training(epochs=2, batch=50, learning_rate=0.0001)
QAT = QatInt8(method="qat_int8", training=SLOW)
PRUNE = Prune(method="prune", training=SHORT)
TRAINED: list[Compression] = [
    QAT,
    QatControl(method="qat_control", training=SHORT),
    PRUNE,
    Homogeneous(method="homogeneous", bits=4, form="trained", training=SHORT, allow_degraded=True),
]
SETTINGS = RepairSettings(training=Training(epochs=10, batch=16, learning_rate=0.003))


def of(settings: Compression) -> dict[str, Any]:
    return settings.model_dump(mode="json")


@pytest.fixture(scope="module")
def built(trained: Path, scene_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Compression], Path]:
    """Gives the folder of ``trained`` compressed with some settings, made once."""

    @cache
    def of_method(name: str) -> Path:
        [settings] = [one for one in TRAINED if one.method == name]
        out = tmp_path_factory.mktemp(name)
        build(name, settings, trained, scene_path, out)
        return out

    return lambda settings: of_method(settings.method)


@pytest.fixture(scope="module")
def files(
    trained: Path, built: Callable[[Compression], Path], lay_out: Any, tmp_path_factory: pytest.TempPathFactory
) -> list[Path]:
    """Records of a search on a network quantized in training, in a results folder."""
    paths = Paths(tmp_path_factory.mktemp("results"))
    subject, tool = SUBJECT | {"compression": "qat_int8"}, lenient("pso_div")
    own = files_in(paths, subject, tool)
    lay_out(own)
    for file in trained.iterdir():
        (own.original.parent / file.name).write_bytes(file.read_bytes())
    shutil.copytree(built(QAT), own.compressed.parent, dirs_exist_ok=True)
    out = paths.searches("tiny", "hybridsn", "qat_int8", "pso_div", "test")
    records = out / "seeds_000-003.parquet"
    run(Job(subject, "pso_div", tool, Budget(20), {"sample": 20}, 256, 200), own, Block(range(4)), records)
    return [records]


def searched(records: list[Path]) -> Repaired:
    own = files_of_records(records)
    return Repaired(own.inputs, own.original, own.compressed)


@pytest.fixture(scope="module")
def report(files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("repair") / "test.json"
    repair(files, searched(files), of(QAT), SETTINGS, out)
    return out


@pytest.mark.parametrize("settings", TRAINED, ids=lambda settings: settings.method)
def test_stored_weights_are_those_of_the_file(
    settings: Compression, trained: Path, built: Callable[[Compression], Path], tiny_scene: ScenePatches
) -> None:
    out = built(settings)
    made = method.load(settings.method).trainable(Original(trained), tiny_scene, settings)
    restore(made.network, out / TRAINABLE)
    assert made.content() == (out / "model.tflite").read_bytes()
    assert stored(made.network)[TRAINABLE] == (out / TRAINABLE).read_bytes()


def test_pruned_weights_stay_zero_whatever_is_learned(
    trained: Path, built: Callable[[Compression], Path], tiny_scene: ScenePatches, tmp_path: Path
) -> None:
    out = built(PRUNE)
    made = method.load("prune").trainable(Original(trained), tiny_scene, PRUNE)
    restore(made.network, out / TRAINABLE)
    zeros = [value == 0 for value in made.network.get_weights() if value.ndim > 1]
    x, truth = tiny_scene.take(tiny_scene.train), np.zeros(len(tiny_scene.train), np.int64)
    content = trained_on((trained, out), tiny_scene, of(PRUNE), x, truth, SETTINGS.training)
    (tmp_path / "repaired.tflite").write_bytes(content)
    # One label for everything is easily learned, even by half of the weights.
    assert (labels(LiteRT(tmp_path / "repaired.tflite")(x)) == 0).all()
    assert sum(int(zero.sum()) for zero in zeros) > 0.4 * sum(zero.size for zero in zeros)


def test_weights_of_another_network_are_refused(trained: Path, tiny_scene: ScenePatches, tmp_path: Path) -> None:
    made = method.load("prune").trainable(Original(trained), tiny_scene, PRUNE)
    (tmp_path / TRAINABLE).write_bytes(stored(made.network)[TRAINABLE])
    control = method.load("qat_int8").trainable(Original(trained), tiny_scene, QAT)
    with pytest.raises(QuantriftError, match="not the weights of this network") as error:
        restore(control.network, tmp_path / TRAINABLE)
    assert "\n" not in str(error.value)


def test_halves_share_no_seed_input_and_hold_each_input_once(files: list[Path]) -> None:
    found = load(files)
    both = halves(found, SETTINGS)
    seeds = [set(half["input"].tolist()) for half in (both.learned, both.judged)]
    assert not seeds[0] & seeds[1]
    assert seeds[0] | seeds[1] == set(found.rows["input"].tolist())
    assert len(seeds[0]) - len(seeds[1]) in (0, 1)
    keys = [(one, other) for half in (both.learned, both.judged)
            for one, other in zip(half["input"].tolist(), half["digest"].tolist(), strict=True)]  # fmt: skip
    assert sorted(set(keys)) == sorted(keys)
    assert set(keys) == set(zip(found.rows["input"].tolist(), found.rows["digest"].tolist(), strict=True))


def test_a_draw_bounds_how_many_are_used(files: list[Path]) -> None:
    both = halves(load(files), SETTINGS.model_copy(update={"dii": 7}))
    assert len(both.learned["input"]) + len(both.judged["input"]) == 7


def test_what_is_judged_is_counted_by_seed_input_on_the_real_files(files: list[Path], report: Path) -> None:
    found = load(files)
    both = halves(found, SETTINGS)
    outcome = read(report)
    assert outcome.facts["learned_dii"] == len(both.learned["input"])
    assert (outcome.inputs, outcome.dii) == (len(set(both.judged["input"].tolist())), len(both.judged["input"]))
    # Before, the networks disagree on all of them.
    assert outcome.gone("before") == outcome.facts["before"]["learned"] == 0
    _, distorted = found.pairs(both.judged)
    agree = labels(LiteRT(report.with_suffix(".tflite"))(distorted)) == both.judged["label_original"]
    assert outcome.gone("repaired") == agree.sum()
    for number, (of_input, gone) in zip(
        np.unique(both.judged["input"]), outcome.facts["repaired"]["judged"], strict=True
    ):
        own = both.judged["input"] == number
        assert (of_input, gone) == (own.sum(), agree[own].sum())


def test_what_was_learned_is_repaired_and_its_seed_inputs_judge_nothing(files: list[Path], report: Path) -> None:
    outcome = read(report)
    assert outcome.facts["repaired"]["learned"] > 0.5 * outcome.facts["learned_dii"]
    found = load(files)
    learned = halves(found, SETTINGS).learned["input"]
    assert outcome.facts["test_inputs"] == len(set(found.inputs.test.tolist()) - set(learned.tolist()))


def test_a_repair_can_be_repeated(files: list[Path], report: Path, tmp_path: Path) -> None:
    repair(files, searched(files), of(QAT), SETTINGS, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == report.read_bytes()
    assert (tmp_path / "again.tflite").read_bytes() == report.with_suffix(".tflite").read_bytes()


def test_where_nothing_was_found_nothing_is_learned(files: list[Path], tmp_path: Path) -> None:
    # A draw of two inputs may be of one seed input alone, and one cannot be divided.
    for seed in range(200):
        few = SETTINGS.model_copy(update={"dii": 2, "seed": seed})
        both = halves(load(files), few)
        if not len(both.learned["input"]):
            break
    assert len(both.judged["input"]) == 2
    repair(files, searched(files), of(QAT), few, tmp_path / "few.json")
    outcome = read(tmp_path / "few.json")
    assert outcome.facts["before"] == outcome.facts["repaired"] == outcome.facts["control"]
    compressed = Paths(files[0].parents[6]).compressed("tiny", "hybridsn", "qat_int8") / "model.tflite"
    assert (tmp_path / "few.tflite").read_bytes() == compressed.read_bytes()


def test_records_of_other_networks_are_refused(files: list[Path], tmp_path: Path) -> None:
    file = Paths(files[0].parents[6]).compressed("tiny", "hybridsn", "qat_int8") / "model.tflite"
    content = file.read_bytes()
    file.write_bytes(content + b"x")
    try:
        with pytest.raises(QuantriftError, match="its compressed changed since the search"):
            repair(files, searched(files), of(QAT), SETTINGS, tmp_path / "x.json")
    finally:
        file.write_bytes(content)
