"""The table of mended networks, from an outcome written by hand."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.factories import configurations, datasets, targets

from quantrift.core.base.paths import Paths
from quantrift.core.statistics.mended_networks import FILE
from quantrift.study.planning.result_files import Results
from quantrift.study.planning.root import Config

KEY = ("digits", "lenet5", "ptq_int8")


def network(name: str, kept: int | None, events: int) -> dict[str, Any]:
    rate = {"value": events / 200, "low": events / 400, "high": events / 100}
    return {
        "network": name,
        "kept": kept,
        "size": 1000,
        "int8_mac_share": 0.5,
        "events": events,
        "cases": 200,
        "rate": rate,
    }


def make(folder: Path, rows: list[dict[str, Any]], mended: dict[str, Any] | None) -> pd.DataFrame:
    path = folder / FILE
    facts = {"units": 3, "split": {"fresh": 50}, "mended": mended, "verdict": "pass", "fresh": rows}
    path.write_text(json.dumps(facts))
    given = targets.given({"mended": {KEY: path}}, {"digits": datasets.digits()})
    stem = targets.table(folder, given, kind="mended", subjects=["mended"])
    return pd.read_csv(stem.with_suffix(".csv")).set_index("network")


def test_the_verdict_stands_beside_the_mended_network(
    tmp_path: Path, answers_say_what_their_tables_say: list[str]
) -> None:
    rows = [network("as given", None, 60), network("all in 8 bits", 0, 50), network("mended", 1, 2)]
    found = make(tmp_path, rows, {"file": "mended.tflite"})
    assert found["verdict"].fillna("").tolist() == ["", "", "pass"]
    assert found["rate"].tolist() == [0.3, 0.25, 0.01]
    assert found["rate_high"].tolist() == [0.6, 0.5, 0.02]
    assert found["kept"].fillna(-1).tolist() == [-1, 0, 1]
    said = " ".join(answers_say_what_their_tables_say)
    assert "30 % [15, 60] disagree as given" in said.replace("\u00a0", " ")
    assert "units in float: 1" in said


def test_where_quantizing_anew_was_enough_the_network_in_8_bits_has_the_verdict(
    tmp_path: Path, answers_say_what_their_tables_say: list[str]
) -> None:
    rows = [network("as given", None, 60), network("all in 8 bits", 0, 1)]
    found = make(tmp_path, rows, {"file": "mended.tflite"})
    assert found["verdict"].fillna("").tolist() == ["", "pass"]
    assert "units in float: 0" in " ".join(answers_say_what_their_tables_say)


def test_where_nothing_helped_the_verdict_stands_beside_the_network_as_given(tmp_path: Path) -> None:
    found = make(tmp_path, [network("as given", None, 60), network("all in 8 bits", 0, 50)], None)
    assert found["verdict"].fillna("").tolist() == ["pass", ""]


def test_what_kept_its_limits_has_the_verdict_itself(
    tmp_path: Path, answers_say_what_their_tables_say: list[str]
) -> None:
    found = make(tmp_path, [network("as given", None, 1)], None)
    assert found["verdict"].tolist() == ["pass"]
    assert "mended" not in " ".join(answers_say_what_their_tables_say)


@pytest.fixture(scope="module")
def demo() -> Config:
    return configurations.of_scale("config")


def test_the_demo_mends_a_network_in_a_folder_of_its_own(demo: Config) -> None:
    [(key, [file])] = Results(demo, Paths(Path("results"))).of("mended")["mended"].items()
    assert "mended" in demo.all
    assert file == Paths(Path("results")).compressed(*key) / FILE
    assert demo.compressions[key[2]].original_runtime == "litert"
