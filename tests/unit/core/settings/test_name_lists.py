"""Lists of names stated in short: ``agree: all``, patterns of targets; and the file of names for people."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from tests.factories import configurations
from tests.factories.configurations import overlaid
from tools.documents.schema import schema

from quantrift.core.base.errors import ConfigError
from quantrift.study.planning.root import Config

PROTOCOL = {"run_seeds": 1, "inputs": 4, "agree": "all"}
ONE = {"dataset": ["digits"], "model": ["lenet5"], "compression": ["prune", "ptq_int8"]}
OTHER = {"dataset": ["sim_textures"], "model": ["resnet20"], "compression": ["ptq_int8"]}


def written(tmp_path: Path, **overlay: Any) -> Config:
    config = overlaid(tmp_path, overlay)
    jsonschema.validate(yaml.safe_load((tmp_path / "mine.yaml").read_text()), schema())
    return config


def searching(groups: dict[str, Any]) -> dict[str, Any]:
    """Groups of subjects, each searched by an experiment of its own under the protocol ``mine``."""
    experiments = {name: {"subjects": name, "tools": ["triggerfinder"], "protocol": "mine"} for name in groups}
    return {"subjects": groups, "experiments": experiments, "protocols": {"mine": PROTOCOL}}


def test_all_that_agree_are_the_compressions_of_the_searched_group_in_its_order(tmp_path: Path) -> None:
    assert written(tmp_path, **searching({"one": ONE})).protocols["mine"].agree == ["prune", "ptq_int8"]


def test_all_that_agree_follow_an_overlay_that_changes_the_group(tmp_path: Path) -> None:
    changed = written(tmp_path, subjects={"triggerfinder_mnist": {"compression": ["prune"]}})
    assert changed.protocols["triggerfinder_mnist"].agree == ["prune"]


def test_a_group_that_is_searched_nowhere_says_nothing_of_what_agrees(tmp_path: Path) -> None:
    nowhere = [OTHER | {"dataset": []}, OTHER | {"model": []}]
    for empty in nowhere:
        assert (
            written(tmp_path, **searching({"empty": empty, "one": ONE})).protocols["mine"].agree == ONE["compression"]
        )
    assert written(tmp_path, **searching({"empty": nowhere[0]})).protocols["mine"].agree == []


def test_all_of_groups_with_other_compressions_is_refused(tmp_path: Path) -> None:
    message = (
        r"mine\.yaml: line \d+: protocols\.mine\.agree: all means different ones for .* 'one' and 'other'; "
        "name the compressions"
    )
    with pytest.raises(ConfigError, match=message):
        written(tmp_path, **searching({"one": ONE, "other": OTHER}))


def test_all_of_no_experiment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"mine\.yaml: line \d+: protocols\.mine\.agree: .*no experiment does"):
        written(tmp_path, protocols={"mine": PROTOCOL})


def test_a_group_that_does_not_exist_is_named_as_ever(tmp_path: Path) -> None:
    overlay = searching({"one": ONE})
    overlay["experiments"]["one"]["subjects"] = "onne"
    with pytest.raises(ConfigError, match=r"experiments\.one\.subjects: unknown group of subjects 'onne'"):
        written(tmp_path, **overlay)


def test_no_protocol_of_the_papers_changes_what_agrees() -> None:
    """The lists that stood there before, for the scales whose overlays change groups."""
    sample, demo, own, paper = (
        configurations.of_scale(name).protocols for name in ("sample", "config", "own_model", "paper")
    )
    assert own["mine_first"].agree == ["my_int8", "ptq_dynamic"]
    assert sample["triggerfinder_published"].agree == ["dflare_8bit"]
    assert demo["repair"].agree == ["qat_int8", "prune"]
    isolated = {name: one for name, one in paper.items() if one.isolated_of}
    assert all(one.agree == paper[str(one.isolated_of)].agree for one in isolated.values())
    others = paper.keys() - isolated.keys()
    assert {name: protocol.agree for name, protocol in paper.items() if protocol.agree and name in others} == {
        "certified": ["ptq_int8"],
        "certified_searches": ["ptq_int8"],
        "diffchaser_q1": ["float16_truncation_100"],
        "diffchaser_q2": ["float16_truncation_1", "float16_truncation_50", "float16_truncation_100"],
        "diffchaser_q2_long": ["float16_truncation_1", "float16_truncation_50", "float16_truncation_100"],
        "diffchaser_q3": ["ptq_dynamic", "ptq_int8"],
        "diffchaser_q4": ["float16_truncation_100"],
        "triggerfinder_diffchaser": ["ptq_int8"],
        "triggerfinder_resnet20": ["ptq_int8"],
        "triggerfinder_mnist": ["linear_8bit", "prune"],
        "triggerfinder_cifar": ["linear_8bit", "prune", "distill"],
        "repair": ["qat_int8", "prune", "distill"],
    }


def collection(*targets: str) -> dict[str, Any]:
    return {"mine": {"kind": "collection", "title": "Mine", "targets": list(targets)}}


def collected(config: Config, name: str) -> list[str]:
    return list(getattr(config.targets[name], "targets"))  # noqa: B009


def test_a_pattern_stands_for_the_tables_and_figures_it_fits_in_their_order(tmp_path: Path) -> None:
    found = collected(written(tmp_path, targets=collection("models", "diffchaser_table*", "layer_errors")), "mine")
    tables = ["1", "1_alone", "1_published", "2_published", "1_curves", "2", "2_curves"]
    assert found == ["models", *(f"diffchaser_table{one}" for one in tables), "layer_errors"]


def test_a_pattern_takes_no_collection_and_what_an_overlay_adds(tmp_path: Path) -> None:
    extra = {"diffchaser_q1_extra": {"kind": "models", "title": "Extra"}}
    assert collected(written(tmp_path, targets=collection("diffchaser_q*") | extra), "mine") == ["diffchaser_q1_extra"]


def test_a_pattern_that_fits_nothing_is_refused(tmp_path: Path) -> None:
    message = r"mine\.yaml: line \d+: targets\.mine\.targets: no table or figure is named like 'diffchasr_table\*'; did"
    with pytest.raises(ConfigError, match=message):
        written(tmp_path, targets=collection("diffchasr_table*"))


def test_the_thesis_collection_holds_its_25_figures_in_order() -> None:
    found = collected(configurations.of_scale("paper"), "heterogeneous")
    assert found[3:28] == [f"heterogeneous_figure4_{number}" for number in range(1, 26)]
    assert len(found) == len(set(found)) == 35


def test_names_for_people_are_those_that_pages_had_before() -> None:
    titles = configurations.of_scale().titles
    before = {
        "hybridsn": "HybridSN",
        "ptq_int8": "8-bit, after training",
        "float16_truncation_1": "1 % of the weights in 16 bits",
        "fgsm_margin": "FGSM along the margin",
        "diverget": "DiverGet, mean of its tools",
        "pavia_university": "Pavia University",
        "cifar10": "CIFAR-10",
        "n_dii": "number of DIIs",
        "bits_6_9_matched": "7 and 8 bits of the same mean",
        "homogeneous_1": "1 bit",
        "homogeneous_32": "32 bits",
    }
    assert {name: titles[name] for name in before} == before
    for low, high in ((1, 4), (3, 6), (6, 9)):
        for number in range(1, 8):
            name = f"heterogeneous_{low}_{high}_{number}"
            assert titles[name] == f"{low} to {high} bits, distribution {number}"


def test_an_overlay_names_things_and_no_result_depends_on_it(tmp_path: Path) -> None:
    before = written(tmp_path)
    after = written(tmp_path, titles={"my_group": "My group", "vgg16": "VGG"})
    assert after.titles == before.titles | {"my_group": "My group", "vgg16": "VGG"}
    assert configurations.digest(after) == configurations.digest(before)
