"""Fixtures: Snakemake on this checkout; metrics of hand-made searches; a hand-made assessment."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from tests import skips
from tests.factories import metrics, snakemake_server, traced_jobs
from tests.factories.places import CONFIG, ROOT
from tests.skips import MIRROR

Run = Callable[..., subprocess.CompletedProcess[str]]

# How long an example takes says nothing about the code, only about the machine and what else it does. Each run draws
# the same examples, but that of the nightly tier.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", untimed, derandomize=True, database=None)
settings.register_profile("fresh", untimed, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests with slow fixtures before tests are chosen by marks; leave out official files where there are none."""
    for item in items:
        fixtures = item._fixtureinfo.name2fixturedefs.values()  # type: ignore[attr-defined]
        if any(getattr(last.func, "slow", False) for *_, last in fixtures):
            item.add_marker("slow")
    if not os.environ.get(MIRROR):
        for item in items:
            if item.get_closest_marker("mirror"):
                item.add_marker(pytest.mark.skip(reason=f"reads official files; {MIRROR} is not set"))


def _measured_as(item: pytest.Item, phase: str) -> None:
    """Tell ``make coverage`` which test runs; commands that it starts read that from PYTEST_CURRENT_TEST."""
    coverage = sys.modules.get("coverage")
    if coverage and (measuring := coverage.Coverage.current()):
        measuring.switch_context(f"{item.nodeid} ({phase})")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Lines that fixtures run are noted under the test that needs them first."""
    _measured_as(item, "setup")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Lines that a test runs are noted under its name."""
    _measured_as(item, "call")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Fail a run that left out a test which may not be left out here."""
    yield
    terminal: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    # Only the process that hears of all workers has one.
    if terminal is None:
        return
    reasons = dict.fromkeys(str(report.longrepr[2]) for report in terminal.stats.get("skipped", []))
    for reason in skips.not_allowed(reasons):
        terminal.write_line(f"may not be skipped here (tests/skips.py): {reason}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session", autouse=True)
def _threads_of_tensorflow() -> None:
    """Fix the number of threads before any test starts TensorFlow, as it cannot be changed afterwards."""
    if "tensorflow" in sys.modules:
        from quantrift.core.networks.training.training_run import reproducible
        from quantrift.core.settings.networks import Training

        reproducible(Training(epochs=1, batch=1, learning_rate=0.001))


def snakemake_in(folder: Path, *, mirror: bool = False) -> Run:
    """Snakemake with the given arguments and results below ``folder``; the demo's configuration by default.

    Jobs may open no file that their rules do not declare.
    """
    environment = {key: value for key, value in os.environ.items() if mirror or key != MIRROR}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        if "--configfile" not in arguments:
            arguments = ("--configfile", str(CONFIG / "config.yaml"), *arguments)
        if "--cores" not in arguments:
            arguments = ("--cores", "2", *arguments)
        with traced_jobs.held(folder, ROOT) as traced:
            return snakemake_server.run(
                ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder), *arguments], environment | traced
            )

    return run


@pytest.fixture
def snakemake(tmp_path: Path) -> Run:
    """Snakemake with the given arguments, results below ``tmp_path``, no official files; the demo by default."""
    return snakemake_in(tmp_path)


@pytest.fixture
def snakemake_on_mirror(tmp_path: Path) -> Run:
    """The same with official files."""
    return snakemake_in(tmp_path, mirror=True)


@pytest.fixture(scope="session")
def snakemake_anywhere() -> Callable[[Path], Run]:
    """Makes ``snakemake`` for another folder."""
    return snakemake_in


@pytest.fixture
def write_metrics(tmp_path: Path) -> Callable[..., Path]:
    """Writes metrics of a tool into ``tmp_path``: its name, disagreements of each run seed, other names by name."""
    return partial(metrics.write, tmp_path)


@pytest.fixture(scope="session")
def assessed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an assessment of two models, written by hand: one above the limits, with a suspected layer."""
    from tests.factories.inputs import images

    from quantrift.core.base.archive import write_arrays
    from quantrift.core.base.paths import Paths
    from quantrift.judge.verdict import assessment as told
    from quantrift.judge.verdict import tool_result as of_tool
    from quantrift.judge.verdict.candidate_searches import DATASET, MODEL
    from quantrift.judge.verdict.verdict import OfTool, judgement

    folder = tmp_path_factory.mktemp("assessment")
    rng = np.random.default_rng(0)
    names = ["cat & co", "<script>alert(1)</script>"]
    stack = images(rng.integers(0, 256, (6, 8, 8, 1), np.uint8), names=names, dataset="given")
    rate = of_tool.Rate(0.125, 0.08, 0.21)

    def tool(name: str, kind: of_tool.Kind, share: of_tool.Rate) -> of_tool.ToolResult:
        natural = kind == "natural"
        return of_tool.ToolResult(
            tool=name,
            title=f"{name} for people",
            kind=kind,
            judged=natural,
            samples=natural,
            searches=6,
            successes=3,
            evaluations=600,
            valid=500,
            dii=75,
            seconds=1.5,
            first_attack=not natural,
            dir=share,
            dir_unique=share,
            dir_valid=share,
            vr=rate,
            sr=of_tool.Rate(0.5, 0.19, 0.81),
            net={"dir": 0.1},
            classes=[of_tool.ClassRate(one, 3, 1, rate, 300, dii) for one, dii in zip(names, (75, 0), strict=True)],
            confusions=[of_tool.Confusion(names[0], names[1], 75)],
            odds=[of_tool.DistortionOdds("salt_and_pepper", 4.5, 1.2, 9.0, False)] if natural else [],
            queries=None if natural else of_tool.Queries(37.5, 12.0, 10.0, 14.0),
            records=f"x/records/search/{name}.parquet",
            shrunk=None,
            layers=None,
        )

    def candidate(name: str, *, bad: bool) -> told.Candidate:
        write_arrays(
            folder / name / "dii.npz",
            {
                "inputs": stack.take(range(4))[::-1].copy(),
                "seed_inputs": stack.take(range(4)),
                "seed": np.arange(4),
                "labels": np.zeros(4, np.int64),
                "label_original": np.zeros(4, np.int64),
                "label_compressed": np.ones(4, np.int64),
                "tool": np.array(["pso", "pso", "noisy", "noisy"]),
                "psnr": np.full(4, 23.4),
            },
        )
        paths = Paths(folder / name / "records")
        stack.save(paths.inputs(DATASET, MODEL))
        return told.Candidate(
            name=name,
            model=told.Model(f"{name}.tflite", "b" * 64, 1234),
            audit=told.Audit(0.975, "none", 100),
            clean=told.Clean(
                agreement=of_tool.Rate(0.99, 0.97, 1.0),
                disagreement=of_tool.Rate(0.01, 0.0, 0.03),
                disagreeing=1,
                right_to_wrong=1,
                wrong_to_right=0,
                between_wrong=0,
                drop=of_tool.Rate(0.01, -0.01, 0.03),
                classes=[told.ClassFlips(names[0], 6, 5, 1), told.ClassFlips(names[1], 0, 1, 0)],
                accuracy_original=0.91,
                accuracy_compressed=0.9,
                margins=[told.Margins(who, "inputs", 6, 0.1, 0.2, 0.5, 0.7, 0.9) for who in ("original", "compressed")],
            ),
            tools=[tool("pso", "natural", rate), tool("noisy", "noise", of_tool.Rate(0.4, 0.3, 0.5))],
            shrunk=[
                told.Shrunk(
                    tool="pso",
                    seed=1,
                    evaluation=17,
                    true_label=names[0],
                    label_original=names[0],
                    label_compressed=names[1],
                    distortions=["blur", "salt_and_pepper"],
                    smallest=[["blur"]],
                    exact=True,
                    dii=1,
                )
            ],
            needs=[told.Need("pso", ["blur"], rate, 9)],
            layers=[
                told.Layer("conv$1", "int8", 40.25, 0.99, 39.0, 35.5, None),
                told.Layer("dense_of_a_very_long_name_" * 3, "int8", 3.5, 0.9, 3.0, 1.5, "30 dB less" if bad else None),
            ],
            layers_note=None,
            dii_file=f"{name}/dii.npz",
            records=f"{name}/records",
            verdict="fail" if bad else "pass",
            judgements=[
                judgement(
                    "max_dir",
                    "disagreement on valid natural changes",
                    rate,
                    0.05 if bad else 0.5,
                    60,
                    40,
                    OfTool("pso", False, 60, 40, rate, rate),
                )
            ],
        )

    whole = told.Assessment(
        command="quantrift assess --original a.keras",
        profile="quick",
        space="image_distortions",
        versions={"quantrift": "0.1.0"},
        original=told.Model("a.keras", "a" * 64, 5000),
        inputs=told.Inputs("data.npz", "c" * 64, 6, (8, 8, 1), (0.0, 1.0), names, labelled=True),
        assumed=["layout: channels last, 8 x 8 x 1", "labels: array 'y'"],
        seeds=6,
        limits=told.Limits(max_dir=0.05),
        verdict="fail",
        verdict_text="broken: fail; DiR of pso is 12.50 % (95 % interval 8.00 to 21.00 %), limit 5.00 %",
        candidates=[candidate("broken", bad=True), candidate("sound", bad=False)],
        ranking=told.Ranking(
            "pso",
            ["sound", "broken"],
            [told.Comparison("pso", "sr", "sound", "broken", 0.1, 0.5, 6, 0, 3, None, None, None, 0.02, 0.04)],
            "sound before broken: significant at 5 % after Holm",
        ),
        notes=["TriggerFinder was left out"],
    )
    told.write(whole, folder)
    return folder
