"""Configuration is checked before anything runs; each mistake gets one line with key, file and nearest name."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.factories import configurations
from tests.factories.configurations import overlaid
from tests.factories.places import CONFIG

from quantrift.core.base.errors import ConfigError
from quantrift.core.settings.networks import HybridSN, Training
from quantrift.study.planning.configuration_files import load

OVERLAYS = ["config.yaml", "sample.yaml", "paper.yaml", "own_model.yaml"]


def overlay(tmp_path: Path, changes: dict[str, Any]) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(changes))
    return path


@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_is_valid(name: str) -> None:
    config = load(CONFIG, [CONFIG / name])
    assert config.scale == {"config.yaml": "demo"}.get(name, name.removesuffix(".yaml"))


def test_paper_scale_holds_no_reduced_value() -> None:
    config = load(CONFIG, [CONFIG / "paper.yaml"])
    rq1 = config.protocols["rq1"]
    # DiverGet §5.2: 10 run seeds from a pool of 800 inputs; §5.4: population 10, 25 iterations.
    assert (rq1.run_seeds, rq1.inputs, rq1.generations, rq1.overlap) == (10, 80, 25, False)
    for name in config.experiments["rq1"].tools:
        searcher = config.tools[name].searcher
        assert searcher.params.get("population", searcher.params.get("swarm")) == 10
    # Roy et al. 2020.
    assert config.network("hybridsn", "pavia_university") == HybridSN()
    assert config.models.hybridsn.training == Training(epochs=100, batch=256, learning_rate=0.001, decay=1e-6)
    assert {network.width for network in config.models.trained.values()} == {1.0}
    assert not [name for group in config.subjects.values() for name in group.dataset if name.startswith("sim_")]


def test_defaults_of_parts_are_resolved() -> None:
    tool = load(CONFIG, [CONFIG / "config.yaml"]).tools["pso_div"]
    assert tool.searcher.params["omega"] == 0.5
    assert tool.constraint.params == {"min_db": 20.0, "peak": "patch_max", "guides": True}


def test_a_network_may_differ_on_a_dataset(tmp_path: Path) -> None:
    differences = {"width": 0.5, "per_dataset": {"digits": {"training": {"epochs": 3}}, "mnist": {"width": 0.25}}}
    path = overlay(tmp_path, {"scale": "mine", "models": {"lenet5": differences}})
    config = load(CONFIG, [CONFIG / "config.yaml", path])
    lenet5 = config.models.lenet5
    on_digits, on_mnist, elsewhere = (config.network("lenet5", name) for name in ("digits", "mnist", "sim_textures"))
    common = {"per_dataset": {}, "width": 0.5}
    assert elsewhere == lenet5.model_copy(update=common)
    assert on_mnist == lenet5.model_copy(update=common | {"width": 0.25})
    assert on_digits == lenet5.model_copy(
        update=common | {"training": lenet5.training.model_copy(update={"epochs": 3})}
    )


def test_a_network_from_a_file_is_known_by_its_id(tmp_path: Path) -> None:
    path = overlay(
        tmp_path,
        {
            "scale": "mine",
            "models": {"mine": FILE | {"compressed": {"eight": FILE["original"]}}},
            "subjects": {"mine": {"dataset": ["digits"], "model": ["mine"], "compression": ["eight"]}},
        },
    )
    config = load(CONFIG, [CONFIG / "config.yaml", path])
    assert config.network("mine", "digits") == config.models.files["mine"]
    assert "mine" not in config.models.trained
    assert config.compressed_files == ["eight"]
    assert (
        load(CONFIG, [CONFIG / "config.yaml", path], {"models": {"mine": {"title": "Mine"}}}).models.files["mine"].title
        == "Mine"
    )


def test_an_overlay_may_change_one_key_of_a_recipe(tmp_path: Path) -> None:
    path = overlay(tmp_path, {"scale": "mine", "models": {"hybridsn": {"training": {"epochs": 3}}}})
    config = load(CONFIG, [CONFIG / "config.yaml", path])
    assert config.models.hybridsn.training.epochs == 3
    assert config.models.hybridsn.training.learning_rate == 0.001


def on_digits(differences: dict[str, Any], dataset: str = "digits") -> dict[str, Any]:
    """LeNet-5 with settings that differ on a dataset."""
    return {"models": {"lenet5": {"per_dataset": {dataset: differences}}}}


FILE: dict[str, Any] = {"source": "file", "original": {"path": "mine.tflite", "sha256": "0" * 64}}
MISTAKES: list[tuple[dict[str, Any], list[str]]] = [
    ({"scal": "x"}, ["'scal'", "did you mean 'scale'?"]),
    ({"protocols": {"rq1": {"run_seedz": 3}}}, ["'protocols.rq1.run_seedz'", "'run_seeds'"]),
    ({"models": {"hybridsn": {"training": {"epoch": 3}}}}, ["'models.hybridsn.training.epoch'", "'epochs'"]),
    ({"models": {"hybridns": {}}}, ["unknown network 'hybridns'", "'hybridsn'"]),
    ({"datasets": {"sim_pavia": {"noize": 1}}}, ["'datasets.sim_pavia.noize'", "'noise'"]),
    ({"tools": {"pso_div": {"searcher": {"pso": {"swarmm": 5}}}}}, ["tools.pso_div", "'swarmm'", "'swarm'"]),
    ({"tools": {"pso_div": {"searcher": {"pso": {"swarm": 1}}}}}, ["tools.pso_div", "searcher.pso.swarm", "got 1"]),
    ({"tools": {"x": {"space": "hsi", "constraint": "psnr", "objective": "jensen_shannon", "searcher": "pso"}}},
     ["tools.x", "'hsi'", "hsi_distortions"]),
    ({"experiments": {"rq1": {"tools": ["pso_dif"]}}}, ["experiments.rq1.tools", "'pso_dif'", "'pso_div'"]),
    ({"subjects": {"diverget": {"dataset": ["sim_pavai"]}}}, ["subjects.diverget.dataset", "'sim_pavia'"]),
    ({"subjects": {"diverget": {"model": ["hybridns"]}}}, ["subjects.diverget.model", "'hybridsn'"]),
    ({"subjects": {"diverget": {"compression": ["ptq"]}}}, ["subjects.diverget.compression", "'ptq_int8'"]),
    ({"all": ["diverget_table44"]}, ["all:", "'diverget_table44'", "'diverget_table4'"]),
    ({"targets": {"mine": {"kind": "bxes", "title": "x"}}}, ["targets.mine", "'bxes'", "'boxes'"]),
    ({"protocols": {"rq1": {"run_seeds": 0}}}, ["'protocols.rq1.run_seeds'", "got 0"]),
    ({"records": {"vectors": "al"}}, ["'records.vectors'", "'all'"]),
    (on_digits({}, "digts"), ["models.lenet5.per_dataset", "'digts'", "'digits'"]),
    (on_digits({"widht": 0.5}), ["models.lenet5", "per_dataset.digits: widht: unknown key"]),
    (on_digits({"training": {"epochs": 0}}), ["per_dataset.digits: training.epochs", "got 0"]),
    (on_digits({"per_dataset": {}}), ["models.lenet5", "cannot have a"]),
    ({"models": {"mine": {"source": "file"}}}, ["'models.mine.original' is missing"]),
    ({"models": {"mine": {"source": "net"}}}, ["'models.mine.source'", "'file'"]),
    ({"models": {"mine": FILE | {"inputs": {"high": 0}}}}, ["models.mine.inputs", "not above low"]),
    ({"models": {"mine": FILE | {"compressed": {"ptq_int8": FILE["original"]}}}},
     ["models.mine.compressed", "is a compression made here"]),
    ({"models": {"mine": FILE}, "subjects": {"x": {"dataset": ["digits"], "model": ["mine"],
      "compression": ["ptq_int8"]}}}, ["subjects.x.compression", "needs a .keras or .h5 file"]),
    ({"models": {"mine": FILE | {"compressed": {"eight": FILE["original"]}}}, "subjects": {"x": {"dataset": ["digits"],
      "model": ["lenet5"], "compression": ["eight"]}}}, ["models.lenet5 has no compressed file 'eight'"]),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), MISTAKES)
def test_a_mistake_is_one_line_that_names_key_file_and_nearest(
    tmp_path: Path, changes: dict[str, Any], words: list[str]
) -> None:
    path = overlay(tmp_path, changes)
    with pytest.raises(ConfigError) as caught:
        load(CONFIG, [CONFIG / "config.yaml", path])
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    for word in words:
        assert word in message


def test_the_file_of_a_broken_reference_is_named(tmp_path: Path) -> None:
    path = overlay(tmp_path, {"scale": "mine"})
    broken = tmp_path / "config.yaml"
    broken.write_text((CONFIG / "config.yaml").read_text().replace("[sim_pavia, ", "[sim_povia, "))
    with pytest.raises(ConfigError, match=r"config.yaml: line \d+: subjects.diverget.dataset"):
        load(CONFIG, [broken, path])


def test_the_library_holds_together_without_any_scale() -> None:
    targets = [*configurations.of_scale().targets]
    assert len(targets) > 100
    assert load(CONFIG, [], {"scale": "mine", "all": targets}).shown


def test_a_mistake_counts_where_all_shows_it(tmp_path: Path) -> None:
    stated = {"scale": "demo", "protocols": {"rq1": {"inputs": 9}}}
    plain = overlaid(tmp_path, stated)
    assert plain.protocols["rq1"].inputs == 9
    [mistake] = plain.mistakes([*plain.shown, "diverget_sensitivity_pso"])
    said = "protocols.sensitivity.skip: 'rq1' draws the first 90 inputs; skip at least as many"
    assert mistake == said
    with pytest.raises(ConfigError) as caught:
        overlaid(tmp_path, stated | {"all": ["diverget_table4", "diverget_sensitivity"]})
    # Two lines of the overlay come before.
    assert str(caught.value) == f"{tmp_path}/mine.yaml: line 4: protocols.rq1.inputs: does not go with {said}"


@pytest.mark.parametrize(
    "name", ["all", "everything", "report", "search", "compress_by_training", "table_models", "figure_x"]
)
def test_a_target_has_no_name_of_a_rule(tmp_path: Path, name: str) -> None:
    target = {"kind": "models", "title": "Mine", "caption": "Mine.", "source": "mine"}
    with pytest.raises(ConfigError, match=rf"mine.yaml: line 3: targets.{name}: the workflow has a rule of that name"):
        overlaid(tmp_path, {"targets": {name: target}})
    assert "mine" in overlaid(tmp_path, {"targets": {"mine": target}}).targets


def test_scale_is_required() -> None:
    with pytest.raises(ConfigError, match="'scale' is missing"):
        load(CONFIG, [])


def test_a_file_that_is_no_mapping_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("- 1\n")
    with pytest.raises(ConfigError, match="mine.yaml: expected 'key: value'"):
        load(CONFIG, [path])
    path.write_text("a: [")
    with pytest.raises(ConfigError, match="mine.yaml: not valid YAML"):
        load(CONFIG, [path])
    with pytest.raises(ConfigError, match="other.yaml: cannot be read"):
        load(CONFIG, [tmp_path / "other.yaml"])


@pytest.mark.parametrize(
    ("scales", "expected"),
    [
        (["config"], "4f24b3320370b4f69cdb37b395250838971e9e8fd777c6776952ed522f0ea339"),
        (["sample"], "59d699d96bad40e07d537c2bbbe76f6b44c09b111d33e618cff2c30b35fa8d8e"),
        (["paper"], "b34fb92e9cd8d49621a9369cf1a5470646058a0cc91814042da9aba257113062"),
        (["paper", "pilot"], "872e18f4b2c9319a16bd8e33db8209cdc0a7e419ec84bf2197744fa8f9de94fc"),
    ],
    ids=lambda one: "+".join(one) if isinstance(one, list) else "",
)
def test_what_results_depend_on_is_what_it_was(scales: list[str], expected: str) -> None:
    """Whoever changes a setting on purpose puts the new digest here."""
    files = [CONFIG / f"{name}.yaml" for name in scales]
    assert configurations.digest(load(CONFIG, files)) == expected
    assert configurations.digest(load(CONFIG, files, {"data": {"mirror": "elsewhere"}})) == expected
