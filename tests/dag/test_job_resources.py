"""Jobs ask a cluster for what their rules compute and leave a log each, through the profiles as they are."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.places import CONFIG, ROOT

from quantrift.cli.plan import priced
from quantrift.study.planning import job_resources
from quantrift.study.planning.configuration_files import load
from quantrift.study.planning.estimates import Estimates
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.measured_rates import committed

Run = Callable[..., subprocess.CompletedProcess[str]]
PLUGINS = {"slurm": "snakemake_executor_plugin_slurm"}
OVERLAY = """
scale: small
subjects:
  diverget: {dataset: [sim_pavia], model: [hybridsn], compression: [ptq_int8]}
  digits: {dataset: [digits], model: [lenet5], compression: [ptq_int8]}
experiments:
  both: {subjects: digits, tools: [diffchaser, deepxplore], protocol: diffchaser}
protocols: {diffchaser: {run_seeds: 1, inputs: 2}}
targets:
  mine: {kind: models, title: Mine, subjects: [digits]}
all: [mine]
"""
SEARCH = "results/small/search/digits/lenet5/ptq_int8/{tool}/diffchaser/seeds_000-000.parquet"


def planned(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    """Rule, and tool of a search -> what a dry run says of its job."""
    assert done.returncode == 0, done.stdout + done.stderr
    found = {}
    for rule, text in re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)+)", done.stdout + done.stderr, re.MULTILINE):
        stated = dict(re.findall(r"^    (\w+): (.*)$", text, re.MULTILINE))
        tool = re.search(r"tool=(\w+)", stated.get("wildcards", ""))
        found[f"{rule} {tool[1]}" if tool and rule == "search" else rule] = stated
    return found


def asked(stated: dict[str, str], resource: str) -> int:
    found = re.search(rf"\b{resource}=(\d+)", stated["resources"])
    assert found, stated
    return int(found[1])


@pytest.mark.parametrize(("profile", "attempt"), [("slurm", 1), ("slurm", 2), ("generic", 2)])
def test_jobs_ask_for_what_their_estimates_say_and_for_more_when_they_failed(
    snakemake: Run, tmp_path: Path, profile: str, attempt: int
) -> None:
    pytest.importorskip(PLUGINS.get(profile, "snakemake_executor_plugin_cluster_generic"))
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(OVERLAY)
    wanted = [SEARCH.format(tool=tool) for tool in ("diffchaser", "deepxplore")]
    given = ["--profile", str(ROOT / "profiles" / profile), "--configfile", str(overlay), "--attempt", str(attempt)]
    found = planned(snakemake("-n", *given, *wanted))
    config, rates = load(CONFIG, [overlay]), Estimates(committed())
    of = {"dataset": "digits", "model": "lenet5"}
    searching = of | {"compression": "ptq_int8", "protocol": "diffchaser", "block": "seeds_000-000"}
    jobs = {"train": Job("train", of), "inputs": Job("inputs", of)}
    jobs |= {f"search {tool}": Job("search", searching | {"tool": tool}) for tool in ("diffchaser", "deepxplore")}
    for name, job in jobs.items():
        estimate = rates.of(config, job)
        assert estimate
        assert asked(found[name], "mem_mb") == attempt * job_resources.megabytes(estimate)
        assert asked(found[name], "runtime") == attempt * job_resources.minutes(estimate)
    # TensorFlow in one of them.
    assert asked(found["search deepxplore"], "mem_mb") > asked(found["search diffchaser"], "mem_mb")


def test_only_jobs_that_train_on_a_device_ask_for_one(snakemake: Run, tmp_path: Path) -> None:
    pytest.importorskip(PLUGINS["slurm"])
    overlay = tmp_path / "mine.yaml"
    given = ["-n", "--configfile", str(overlay), "--profile", str(ROOT / "profiles" / "slurm")]
    wanted = [SEARCH.format(tool="diffchaser"), "results/small/compression/digits/lenet5/prune/model.tflite"]
    overlay.write_text(OVERLAY)
    assert not [rule for rule, said in planned(snakemake(*given, *wanted)).items() if "gpu" in said["resources"]]
    overlay.write_text(f"{OVERLAY}training: {{device: gpu}}\n")
    found = planned(snakemake(*given, *wanted))
    asking = {rule: asked(said, "gpu") for rule, said in found.items() if "gpu=" in said["resources"]}
    assert asking == {"train": 1, "compress_by_training": 1}
    assert {"search diffchaser", "compress", "seeds"} <= found.keys()


@pytest.mark.slow
def test_every_job_of_the_sample_names_a_log_of_its_own_and_what_it_asks_for(snakemake: Run) -> None:
    done = snakemake("-n", "--configfile", str(CONFIG / "sample.yaml"))
    assert done.returncode == 0, done.stdout + done.stderr
    said = re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)+)", done.stdout + done.stderr, re.MULTILINE)
    working = [(rule, text) for rule, text in said if "    output: " in text]
    assert len({rule for rule, _ in working}) > 15
    logs = [re.findall(r"^    log: (\S+)$", text, re.MULTILINE) for _, text in working]
    assert [rule for (rule, _), log in zip(working, logs, strict=True) if len(log) != 1] == []
    assert len({log for [log] in logs}) == len(logs)
    assert all(log.startswith("results/sample/logs/") for [log] in logs)
    assert [rule for rule, text in working if not re.search(r"mem_mb=\d+.*", text) or "runtime=" not in text] == []


@pytest.mark.slow
def test_at_paper_scale_a_cluster_gets_two_thousand_submissions_at_most() -> None:
    paper = CONFIG / "paper.yaml"
    config = load(CONFIG, [paper])
    planned, costs = priced(config, [paper], config.all, cores=2)
    assert len(planned) > 4_000
    assert job_resources.submissions((one.job, costs.get(one.number)) for one in planned) <= 2_000


def test_snakemake_finds_nothing_to_lint(snakemake: Run) -> None:
    done = snakemake("--lint")
    assert done.returncode == 0
    assert "Lints for" not in done.stdout + done.stderr


def test_a_rule_and_its_script_share_a_name() -> None:
    stated = "\n".join(file.read_text() for file in sorted((ROOT / "workflow" / "rules").glob("*.smk")))
    pairs = re.findall(
        r"^ *rule(?: (\w+):|:\n +name:\n +(\w+)_rule)\n(?:(?!^ *(?:use )?rule[ :]).*\n)*?"
        r" +script:\n +\"../scripts/(\w+).py\"",
        stated,
        re.M,
    )
    pairs = [(name or of_kinds, script) for name, of_kinds, script in pairs]
    assert len(pairs) > 15
    assert [pair for pair in pairs if len(set(pair)) > 1] == []
    assert {name for name, _ in pairs} == {file.stem for file in (ROOT / "workflow" / "scripts").glob("*.py")}
