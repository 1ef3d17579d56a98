"""Tools that would exceed their budget, or need images where there are none, are refused before anything runs."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.configurations import overlaid

from quantrift.core.base.errors import ConfigError

NATURAL = {
    "title": "Mine",
    "space": "image_distortions",
    "constraint": {"psnr": {"peak": "data_range"}},
    "objective": "jensen_shannon",
}
PIXELS = {"title": "Mine", "space": "pixels", "constraint": "none", "objective": "k_uncertainty"}
RIVALS = PIXELS | {"space": {"pixels": {"levels": None}}, "objective": "jensen_shannon"}


def refused(tmp_path: Path, changes: dict[str, Any]) -> str:
    """The one line with which a configuration is refused, without its file and line, which come first."""
    with pytest.raises(ConfigError) as caught:
        overlaid(tmp_path, changes)
    found = re.fullmatch(rf"{re.escape(str(tmp_path))}/mine\.yaml: line \d+: (.*)", str(caught.value))
    assert found
    return found[1]


def searching(tool: dict[str, Any], dataset: str = "digits", **budget: int) -> dict[str, Any]:
    """An experiment with one tool."""
    return {
        "tools": {"mine": tool},
        "subjects": {"mine": {"dataset": [dataset], "model": ["lenet5"], "compression": ["ptq_int8"]}},
        "protocols": {"mine": {"run_seeds": 1, "inputs": 2, **budget}},
        "experiments": {"mine": {"subjects": "mine", "tools": ["mine"], "protocol": "mine"}},
    }


NEEDS: list[tuple[dict[str, Any], int]] = [
    (PIXELS | {"searcher": "diffchaser"}, 1000),
    (PIXELS | {"searcher": {"diffchaser": {"population": 40, "variant": "code"}}}, 40),
    (NATURAL | {"searcher": {"random": {"population": 20}}}, 20),
    (NATURAL | {"searcher": {"ga": {"population": 50}}}, 50),
    (NATURAL | {"searcher": {"pso": {"swarm": 30}}}, 30),
    (NATURAL | {"searcher": {"pymoo": {"population": 12}}}, 12),
    (NATURAL | {"searcher": {"ga": {"population": 20, "initial": "uniform"}}, "engine": "library"}, 20),
    # pyswarm cannot end before its first move.
    (NATURAL | {"searcher": {"pso": {"swarm": 30}}, "engine": "library"}, 60),
]


@pytest.mark.parametrize(
    ("tool", "needed"), NEEDS, ids=lambda value: str(getattr(value, "get", lambda _: "")("searcher"))
)
def test_a_population_that_is_larger_than_the_budget_is_refused(
    tmp_path: Path, tool: dict[str, Any], needed: int
) -> None:
    line = refused(tmp_path, searching(tool, evaluations=needed - 1))
    assert line.startswith(f"experiments.mine.tools: 'mine' evaluates {needed} candidates before it can end, and ")
    assert f"protocol 'mine' allows {needed - 1} evaluations; raise them, or give searcher." in line
    overlaid(tmp_path, searching(tool, evaluations=needed))


@pytest.mark.parametrize(
    "tool",
    [
        RIVALS | {"searcher": "coverage_fuzz"},
        RIVALS | {"searcher": "gradient"},
        PIXELS | {"searcher": "metropolis_hastings", "objective": "top1_distance"},
    ],
)
def test_what_begins_with_one_candidate_takes_any_budget(tmp_path: Path, tool: dict[str, Any]) -> None:
    assert overlaid(tmp_path, searching(tool, evaluations=1))


def test_sampling_until_enough_is_valid_has_no_bound_on_what_it_evaluates(tmp_path: Path) -> None:
    tool = NATURAL | {"searcher": "random_feasible"}
    line = refused(tmp_path, searching(tool, evaluations=5000))
    assert line.startswith("experiments.mine.tools: 'mine' counts valid candidates alone and draws until there are")
    overlaid(tmp_path, searching(tool, generations=3))


def test_a_library_that_cannot_end_so_early_is_refused(tmp_path: Path) -> None:
    tool = NATURAL | {"searcher": "pso", "engine": "library"}
    line = refused(tmp_path, searching(tool, generations=1))
    assert line.startswith("experiments.mine.tools: 'mine' runs a library that goes on for 2 generations at least")
    overlaid(tmp_path, searching(tool, generations=2))


def test_the_budget_of_the_known_fault_is_refused(tmp_path: Path) -> None:
    changes = {
        "protocols": {"divergence": {"evaluations": 200}},
        "tools": {"diffchaser": {"searcher": {"diffchaser": {"population": 1000}}}},
        "experiments": {"divergence_images": {"tools": ["triggerfinder_code", "random", "pso_div", "diffchaser"]}},
    }
    assert refused(tmp_path, changes) == (
        "tools.diffchaser.searcher.diffchaser.population: does not go with "
        "experiments.divergence_images.tools: 'diffchaser' evaluates 1000 candidates before it can end, and protocol "
        "'divergence' allows 200 evaluations; raise them, or give searcher.diffchaser fewer members"
    )


def test_levels_of_images_are_refused_for_scenes(tmp_path: Path) -> None:
    tool = PIXELS | {"searcher": {"diffchaser": {"population": 10}}}
    changes = searching(tool, "sim_pavia")
    changes["subjects"]["mine"]["model"] = ["hybridsn"]
    assert refused(tmp_path, changes) == (
        "experiments.mine.tools: 'mine' searches images of 256 levels, and 'sim_pavia' is a scene; set "
        "space.pixels.levels: null"
    )


def test_finite_neighbourhoods_are_refused_for_scenes(tmp_path: Path) -> None:
    changes = searching(NATURAL | {"space": "neighbourhood", "constraint": "none", "searcher": "random"}, "sim_pavia")
    changes["subjects"]["mine"]["model"] = ["hybridsn"]
    assert refused(tmp_path, changes) == (
        "experiments.mine.tools: 'mine' searches images of 8 bits, and 'sim_pavia' is a scene; take another space"
    )


def test_operators_for_8_bits_are_refused_without_them(tmp_path: Path) -> None:
    tool = RIVALS | {"searcher": "metropolis_hastings", "objective": "top1_distance"}
    line = refused(tmp_path, {"tools": {"mine": tool}})
    assert "space.pixels.levels: searcher 'metropolis_hastings' mutates images of 8 bits" in line
    assert line.endswith("take levels: 256")


FILE: dict[str, Any] = {"source": "file", "original": {"path": "mine.keras", "sha256": "0" * 64}}
MEAN, STD = [0.5, 0.4, 0.3], [0.2, 0.2, 0.1]


def scaled(dataset: dict[str, Any] | str, **inputs: Any) -> dict[str, Any]:
    """A network from a file that wants its images so, on a dataset."""
    named = dataset if isinstance(dataset, str) else "mine"
    return {
        "datasets": {} if isinstance(dataset, str) else {"mine": dataset},
        "models": {"my_net": FILE | {"inputs": inputs}},
        "subjects": {"mine": {"dataset": [named], "model": ["my_net"], "compression": ["ptq_int8"]}},
    }


@pytest.mark.parametrize(
    ("dataset", "inputs", "words"),
    [
        (
            "cifar10",
            {"mean": MEAN[:2], "std": STD[:2]},
            "models.my_net.inputs.mean: has 2 numbers, images of 'cifar10'",
        ),
        (
            "sim_textures",
            {"std": [0.2]},
            "models.my_net.inputs.std: has 1 numbers, images of 'sim_textures' have 3 chan",
        ),
        (
            "mnist",
            {"mean": MEAN},
            "models.my_net.inputs.mean: has 3 numbers, images of 'mnist' have 1 channels; give as",
        ),
        ("digits", {"mean": MEAN, "std": STD[:2]}, "mean has 3 numbers and std 2; give one per channel in both"),
        ("cifar10", {"mean": MEAN, "std": [0.2, 0, 0.2]}, "inputs.std.1': Input should be greater than 0, got 0"),
        ("cifar10", {"mean": MEAN, "std": [0.2, float("inf"), 0.2]}, "inputs.std.1': Input should be a finite number"),
        ("cifar10", {"mean": [float("nan")] * 3}, "inputs.mean.0': Input should be a finite number"),
        (
            "cifar10",
            {"mean": [123.7, 116.3, 103.5]},
            "mean is 123.7 where black is 0 and white is 1; give mean and std",
        ),
    ],
)
def test_a_mistake_in_mean_or_deviation_is_one_line_before_anything_runs(
    tmp_path: Path, dataset: str, inputs: dict[str, Any], words: str
) -> None:
    assert words in refused(tmp_path, scaled(dataset, **inputs))


def test_as_many_means_as_channels_are_taken(tmp_path: Path) -> None:
    for changes in (
        scaled("cifar10", mean=MEAN, std=STD),
        scaled("mnist", mean=[0.13]),
        scaled("cifar10", high=255, mean=[123.7, 116.3, 103.5]),
        scaled("sim_textures"),
    ):
        assert overlaid(tmp_path, changes)


@pytest.mark.parametrize("place", ["as it stands", "mirror"])
def test_the_channels_of_a_users_images_are_read_from_their_file(tmp_path: Path, place: str) -> None:
    images, labels = np.zeros((2, 4, 4, 3), np.uint8), np.zeros(2, np.uint8)
    np.savez(tmp_path / "data.npz", x_train=images, y_train=labels, x_test=images, y_test=labels)
    path = str(tmp_path / "data.npz") if place == "as it stands" else "data.npz"
    dataset = {"kind": "npz_images", "title": "Mine", "class_names": ["a"], "file": {"path": path, "sha256": "0" * 64}}
    mirror = {"data": {"mirror": str(tmp_path)}}
    line = refused(tmp_path, mirror | scaled(dataset, mean=[0.5], std=[0.5]))
    assert line == "models.my_net.inputs.mean: has 1 numbers, images of 'mine' have 3 channels; give as many"
    assert overlaid(tmp_path, mirror | scaled(dataset, mean=MEAN, std=STD))
    # What is not there yet, or no such file, is judged where it is read.
    (tmp_path / "data.npz").write_bytes(b"nothing")
    assert overlaid(tmp_path, mirror | scaled(dataset, mean=[0.5], std=[0.5]))
