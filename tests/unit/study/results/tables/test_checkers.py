"""The table and the figure of checkers, from what they said of pairs that are made by hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest
from tests.factories import configurations, targets
from tests.factories.checked_pairs import row

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import Paths
from quantrift.core.settings.sections import CheckerSettings, PlantedNetwork
from quantrift.core.statistics.checker_figures import About, Row, read, write
from quantrift.study.league.planted.graded_pairs import FORMATS
from quantrift.study.league.planted.trained_networks import NETWORKS
from quantrift.study.planning.result_files import Results
from quantrift.study.results.targets.given_files import Given

CHECKERS = {
    "sqnr_layers": About("SQNR, layers", "a", names_layer=True, missing=None),
    "accuracy": About("test accuracy", "b", names_layer=False, missing=None),
    "ai_edge": About("ai-edge", "c", names_layer=True, missing="not installed (AI Edge Quantizer)"),
    "onnx": About("onnxruntime", "d", names_layer=True, missing=None),
}


def network(name: str, accuracy: Sequence[float]) -> list[Row]:
    """A good pair, and a harmless and a broken one, of which SQNR alarms on both."""
    return [
        row(name, None, "good", None, sqnr_layers=-40.0, accuracy=0.0),
        row(name, 0.1, "good", "conv1", sqnr_layers=-20.0, accuracy=accuracy[0]),
        row(name, 0.5, "broken", "conv2", sqnr_layers=-10.0, accuracy=accuracy[1]),
    ]


ROWS = {"a": network("a", (0.0, 0.2)), "b": network("b", (0.0, 0.0)), "c": network("c", (0.0, 0.3))}


@pytest.fixture
def given(tmp_path: Path) -> Given:
    for name, rows in ROWS.items():
        write(tmp_path / name / "tflite.json", rows, CHECKERS)
    return targets.given({"checked": {(name, "tflite"): tmp_path / name / "tflite.json" for name in ROWS}}, {})


def made(folder: Path, given: Given, **stated: Any) -> tuple[Path, pd.DataFrame]:
    stem = targets.table(folder, given, kind="checkers", **stated)
    return stem, pd.read_csv(stem.with_suffix(".csv")).set_index("checker")


def test_without_a_network_there_is_nothing_to_show(tmp_path: Path) -> None:
    with pytest.raises(QuantriftError, match="there is no network with planted faults"):
        made(tmp_path, targets.given({"checked": {}}, {}))


def test_a_checker_has_its_shares_with_what_they_are_shares_of(tmp_path: Path, given: Given) -> None:
    stem, found = made(tmp_path, given)
    assert found.index.tolist()[:2] == ["sqnr_layers", "accuracy"]
    layers, accuracy = found.loc["sqnr_layers"], found.loc["accuracy"]
    assert (layers["ranked"], layers["broken"], layers["planted"], layers["harmless"]) == (1, 1, 1, 1)
    assert (accuracy["broken"], accuracy["n_broken"]) == (pytest.approx(2 / 3), 3)
    assert (accuracy["harmless"], accuracy["false_alarms"], accuracy["n_good"]) == (0, 0, 3)
    assert (layers["layer"], layers["n_layer"]) == (0.5, 6)
    assert pd.isna(accuracy["layer"])
    behind = pd.read_csv(stem.with_name("checkers.faults.csv")).set_index("checker")
    assert behind.loc["sqnr_layers", "scale"] == 0.1
    assert 0.1 < behind.loc["accuracy", "scale"] < 0.5
    scores = pd.read_csv(stem.with_name("checkers.scores.csv"))
    assert scores["sqnr_layers"].tolist() == 3 * [-40, -20, -10]


def test_a_difference_of_ranks_is_to_the_checker_that_is_named(tmp_path: Path, given: Given) -> None:
    _, found = made(tmp_path, given, against="accuracy")
    # Of six faults accuracy sees two; the others tie with the good pair.
    assert found.loc["sqnr_layers", "ranked_more"] == pytest.approx(1 - (2 + 4 / 2) / 6)
    assert found["ranked_more_low"]["sqnr_layers"] > 0
    assert found["ranked_more"].isna()["accuracy"]
    with pytest.raises(QuantriftError, match="against: there is no checker 'acuracy'; did you mean 'accuracy'"):
        made(tmp_path, given, against="acuracy")


def test_what_did_not_run_stands_last_with_the_reason(
    tmp_path: Path, given: Given, answers_say_what_their_tables_say: list[str]
) -> None:
    _, found = made(tmp_path, given)
    assert found["missing"].tolist()[2:] == ["not installed (AI Edge Quantizer)", "reads no file of these pairs"]
    assert found.loc["ai_edge", ["ranked", "broken", "failed"]].isna().all()
    assert "Not run: ai-edge (not installed (AI Edge Quantizer))" in answers_say_what_their_tables_say[-1]


def test_seconds_stand_in_files_of_their_own_alone(tmp_path: Path, given: Given) -> None:
    stem, _ = made(tmp_path, given)
    times = pd.read_csv(stem.with_suffix(".timing.csv")).set_index("checker")
    assert times.loc["accuracy", "processor_seconds"] == 0.5
    results = [file for file in tmp_path.rglob("*.json") if ".timing." not in file.name]
    assert not [file for file in [*results, stem.with_suffix(".csv")] if "seconds" in file.read_text()]
    rows, checkers = read(tmp_path / "a" / "tflite.json")
    assert (rows, checkers) == (ROWS["a"], CHECKERS)


def test_one_network_alone_has_ranks_but_no_threshold(tmp_path: Path, given: Given) -> None:
    alone = targets.given({"checked": {("a", "tflite"): tmp_path / "a" / "tflite.json"}}, {})
    stem, found = made(tmp_path, alone)
    assert found.loc["sqnr_layers", "ranked"] == 1
    assert found["broken"].isna().all()
    figure = targets.figure(
        tmp_path,
        targets.given({"checkers": {("checkers",): stem.with_suffix(".csv")}}, {}),
        kind="checker_shares",
        checkers="checkers",
    )
    assert any("No pair of these networks" in text for text in targets.texts(figure))


def test_the_figure_has_the_checkers_that_ran_from_the_best_down(tmp_path: Path, given: Given) -> None:
    stem, _ = made(tmp_path, given)
    own = targets.given({"checkers": {("checkers",): stem.with_suffix(".csv")}}, {})
    found = targets.texts(targets.figure(tmp_path, own, kind="checker_shares", checkers="checkers"))
    assert [text for text in found if text in {one.title for one in CHECKERS.values()}] == [
        "SQNR, layers",
        "test accuracy",
    ]
    assert "scale: demo; 2 not run" in found


RARE = [
    row("a", 0.001, "good", None, conditional=True, sqnr_layers=-50.0, accuracy=0.0),
    row("a", 0.1, "broken", None, conditional=True, sqnr_layers=-50.0, accuracy=0.1),
]


def test_faults_that_act_on_few_inputs_stand_in_a_figure_of_their_own(tmp_path: Path, given: Given) -> None:
    before = made(tmp_path, given)[1]
    write(tmp_path / "a" / "tflite.json", [*ROWS["a"], *RARE], CHECKERS)
    assert made(tmp_path, given)[1].equals(before)
    found = targets.texts(targets.figure(tmp_path, given, kind="checkers_by_rarity"))
    assert found.index("test accuracy") < found.index("SQNR, layers")
    assert {"0.1 %", "10 %"} < {*found}
    # Accuracy catches the one that acts on a tenth of the inputs.
    assert found.count("100 (21 to 100)") == 1
    assert found.count("0 (0 to 79)") == 3


def test_without_such_faults_the_figure_says_so(tmp_path: Path, given: Given) -> None:
    found = targets.texts(targets.figure(tmp_path, given, kind="checkers_by_rarity"))
    assert any("No fault acts on a share of the inputs alone" in text for text in found)


def test_the_sample_checks_all_networks_and_nothing_of_a_dataset() -> None:
    sample = configurations.of_scale("sample")
    found = Results(sample, Paths(Path("results"))).of("checkers")["checked"]
    assert [network for network, kind in found if kind == "tflite"] == [one.name for one in NETWORKS]
    assert {"checkers", "checkers_caught"} <= {*sample.all}


def test_settings_name_the_networks_and_files_that_there_are() -> None:
    assert get_args(PlantedNetwork) == tuple(one.name for one in NETWORKS)
    assert {f".{name}" for name in CheckerSettings.model_fields} - {".draws"} == {*FORMATS}
