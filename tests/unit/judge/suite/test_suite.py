"""Tools of a suite meet on the same seed inputs with the same budget, and a tool of another package can join."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.factories.places import PACKAGE, ROOT

from quantrift.cli import suite_pairs as pair_files
from quantrift.cli.main import main
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256, write_json
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.judge.intake.example import paths
from quantrift.judge.intake.given_inputs import read
from quantrift.judge.python.searches import kind_of, tool_of
from quantrift.judge.suite import definition
from quantrift.judge.suite.contest import Arena
from quantrift.judge.suite.standings import _rate
from quantrift.judge.verdict.tool_result import Rate

OPEN = definition.load("open")
FEW = {"seeds": 3, "evaluations": 40}


@pytest.fixture(scope="module")
def arena() -> Arena:
    given = read(paths().inputs)
    assert given.labels is not None
    # Of two .tflite files, as one of Keras takes much longer to read.
    return Arena(paths().dynamic, paths().int8, given.values, given.labels)


def test_there_are_seven_built_in_tools_of_two_kinds_and_each_stands_in_the_comparison_of_its_kind(
    arena: Arena,
) -> None:
    natural, noise = OPEN.comparisons["natural"], OPEN.comparisons["noise"]
    assert len(natural.tools) + len(noise.tools) == 7
    assert {kind_of(arena.natural(parts)) for parts in natural.tools.values()} == {"natural"}
    assert {kind_of(tool_of(parts)) for parts in noise.tools.values()} == {"noise"}


@pytest.mark.parametrize(("kind", "names"), [("natural", ("random", "ga")), ("noise", ("triggerfinder_r",))])
def test_no_tool_evaluates_more_than_the_budget_and_a_second_run_is_the_same(
    arena: Arena, kind: str, names: tuple[str, ...]
) -> None:
    comparison = OPEN.comparisons[kind].model_copy(update=FEW)  # type: ignore[index]
    for name in names:
        parts = comparison.tools[name]
        tool = arena.natural(parts) if kind == "natural" else tool_of(parts)
        one, again = (arena.run(name, tool, comparison) for _ in range(2))
        assert one.searches == 3
        assert 0 < one.evaluations <= 3 * 40
        assert (one.successes, one.valid, one.dii) == (again.successes, again.valid, again.dii)
        assert one.sr.low is not None
        assert one.sr.high is not None
        assert one.sr.low <= one.successes / 3 <= one.sr.high


def test_a_tool_that_looks_into_networks_is_refused(arena: Arena) -> None:
    tool = arena.natural({"searcher": "pso", "objective": "kmnc"})
    with pytest.raises(QuantriftError, match="looks into the networks"):
        arena.run("mine", tool, OPEN.comparisons["natural"])


def test_changes_of_scenes_are_not_made_of_images(arena: Arena) -> None:
    scenes = tool_of(
        {"space": "hsi_distortions", "constraint": "psnr", "objective": "jensen_shannon", "searcher": "pso"}
    )
    assert "hsi_distortions" in (arena.refuses(scenes) or "")
    assert arena.refuses(arena.natural({"searcher": "pso"})) is None


def test_every_pair_names_what_the_configuration_has() -> None:
    for pair in OPEN.pairs.values():
        files = pair_files.of(pair, ROOT / "config")
        assert files.overlay is not None or all(path.is_file() for path in files.paths.values())


@pytest.mark.parametrize(("name", "asked"), [("opne", "open"), ("open", "example_int8")])
def test_unknown_names_are_refused_with_the_nearest(name: str, asked: str) -> None:
    with pytest.raises(QuantriftError, match=asked):
        definition.load(name).chosen([f"{asked}x"])


def test_all_pairs_are_chosen_where_none_is_named() -> None:
    pairs = definition.load("open").pairs
    assert definition.load("open").chosen(None) == definition.load("open").chosen([]) == pairs
    assert definition.load("open").chosen(["published_lenet1"]) == {"published_lenet1": pairs["published_lenet1"]}


def test_a_rate_without_interval_says_so() -> None:
    assert _rate(Rate(0.5, None, None)) == "50.00 (no interval from so few)"
    assert _rate(Rate(None, None, None)) == "not defined"


def test_the_list_names_pairs_seeds_and_budgets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "list"]) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in OPEN.pairs)
    assert "80 seed inputs, 250 evaluations each (DiverGet" in told


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment in which the example package is installed."""
    folder = tmp_path_factory.mktemp("outside")
    source = shutil.copytree(ROOT / "docs" / "example_tool", folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(folder / "site"), str(source)], check=True, capture_output=True)
    return os.environ | {"PYTHONPATH": f"{folder / 'site'}{os.pathsep}{PACKAGE.parent}"}


def command(*words: str, installed: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    tool = ["annealing", "--configfile", str(ROOT / "docs" / "example_tool" / "tool.yaml")]
    called = [sys.executable, "-m", "quantrift.cli.main", *words[:-1], *tool, *words[-1].split()]
    return subprocess.run(called, env=installed, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_tool_of_a_package_of_its_own_holds_what_tools_must(installed: dict[str, str], tmp_path: Path) -> None:
    done = command("check-tool", "", installed=installed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("holds:") == 3


@pytest.mark.slow
def test_a_tool_of_a_package_of_its_own_gets_its_row(installed: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    done = command("suite", "run", f"--pairs example_int8 --seeds 2 --out {out}", installed=installed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    files = paths()
    made = {"original": sha256(files.original), "compressed": sha256(files.int8), "inputs": sha256(files.inputs)}
    assert all(", ".join(one[:12] for one in made.values()) in row for row in rows)
    assert [row.split(" | ")[0] for row in rows] == [
        *("| Random sampling", "| DiverGet, PSO", "| DiverGet, GA"),
        "| **Simulated annealing**",
    ]
    written = json.loads(out.read_text())
    assert [row["outside"] for row in written] == [False, False, False, True]
    assert len({row["searches"] for row in written}) == 1
    assert all(row["sha256"] == made for row in written)


@pytest.fixture
def built(tmp_path: Path) -> pair_files.Files:
    """Files as the workflow leaves them, with the digests that it noted."""
    given = paths()
    made = pair_files.Files(
        tmp_path / "original.tflite", tmp_path / "model.tflite", tmp_path / "inputs.npz", Path("config.yaml")
    )
    for source, target in ((given.dynamic, made.original), (given.int8, made.compressed), (given.inputs, made.inputs)):
        shutil.copyfile(source, target)
    digests = {name: sha256(path) for name, path in made.paths.items()}
    write_json(tmp_path / "model.json", {"sha256": {"original": digests.pop("original")}})
    write_json(tmp_path / "compression.json", {"sha256": digests})
    return made


@pytest.mark.parametrize(("name", "other"), [("compressed", "original"), ("original", "compressed")])
def test_a_file_that_the_workflow_did_not_make_is_refused_whatever_its_time(
    built: pair_files.Files, name: str, other: str
) -> None:
    with GivenFiles() as given:
        assert built.check(built.copied(given)) == {name: sha256(path) for name, path in built.paths.items()}
    file, times = built.paths[name], built.paths[name].stat()
    shutil.copyfile(built.paths[other], file)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    with (
        pytest.raises(QuantriftError, match=f"{file}: is not the file that the workflow made"),
        GivenFiles() as given,
    ):
        built.check(built.copied(given))


def test_snakemake_is_asked_though_the_files_are_there(
    built: pair_files.Files, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(overlay: Path, files: list[Path]) -> None:
        assert files == [built.original, built.compressed, built.inputs]
        raise QuantriftError("Snakemake was asked")

    monkeypatch.setattr(pair_files, "build", build)
    monkeypatch.setattr(pair_files, "of", lambda pair, folder: built)
    assert main(["suite", "run", "random", "--pairs", "digits_lenet5"]) == 2
    assert "Snakemake was asked" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "mine.yaml", "there"])
def test_rows_overwrite_no_file_that_is_read(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.yaml").write_text("scale: mine\n")
    (tmp_path / "there").symlink_to(tmp_path / "mine.yaml")
    words = ["--configfile", str(tmp_path / "mine.yaml"), "--pairs", "example_int8", "--out", str(tmp_path / name)]
    assert main(["suite", "run", "random", *words]) == 2
    assert "a file that this command reads; name another file" in capsys.readouterr().err
    assert (tmp_path / "mine.yaml").read_text() == "scale: mine\n"
