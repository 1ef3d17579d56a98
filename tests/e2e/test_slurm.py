"""A real Slurm on this machine: records and tables equal those of a local run, also where a job is killed.

It installs Debian's packages, so it needs to be root there. The daemons listen on the loopback interface alone, are
stopped at the end, and leave no configuration behind.
"""

import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from tests.factories.places import ROOT

from quantrift.core.search.record_columns import TIMES
from quantrift.study.planning import job_resources

PACKAGES = ["slurm-wlm", "slurmctld", "slurmd", "slurm-client", "munge", "slurm-wlm-basic-plugins"]
SETTINGS = Path("/etc/slurm/slurm.conf")
# A place of its own is lost inside jobs, so the settings stand where Slurm looks for them.
CONFIGURATION = """
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
StateSaveLocation={folder}/ctld
SlurmdSpoolDir={folder}/d
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
ReturnToService=2
MinJobAge=3600
MpiDefault=none
SwitchType=switch/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} Boards=1 SocketsPerBoard=1 CoresPerSocket={cores} ThreadsPerCore=1 \
RealMemory={memory} State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=24:00:00 State=UP
"""
QUICKER = [
    "--seconds-between-status-checks",
    "2",
    "--slurm-init-seconds-before-status-checks",
    "2",
    "--latency-wait",
    "5",
]
pytestmark = pytest.mark.slow


def _why_not() -> str | None:
    """What keeps a Slurm from being installed here."""
    if os.geteuid() != 0 or not Path("/etc/debian_version").is_file():
        return "a Slurm of its own is installed on Debian only, as root"
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        return "snakemake-executor-plugin-slurm is not installed; see docs/cluster.md"
    if SETTINGS.exists():
        return f"{SETTINGS} exists: this machine has a Slurm already"
    return None


def _until(true: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"{what} within {seconds} s"
        time.sleep(0.2)


def _says(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def _stop(pid_file: Path) -> None:
    if pid_file.is_file():
        process = psutil.Process(int(pid_file.read_text()))
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cluster of one node, this machine."""
    if reason := _why_not():
        pytest.skip(reason)
    # Without their services: a script that refuses keeps Debian from starting them.
    refuses = Path("/usr/sbin/policy-rc.d")
    ours = not refuses.exists()
    if ours:
        refuses.write_text("#!/bin/sh\nexit 101\n")
        refuses.chmod(0o755)
    install = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *PACKAGES]
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    installed = subprocess.run(install, env=quiet, capture_output=True, text=True, check=False)
    if ours:
        refuses.unlink()
    if installed.returncode:
        pytest.skip(f"apt-get cannot install Slurm here: {installed.stderr.strip().splitlines()[-1]}")
    folder = tmp_path_factory.mktemp("slurm")
    for name in ("ctld", "d"):
        (folder / name).mkdir()
    for name, mode in (("/run/munge", 0o755), ("/var/lib/munge", 0o700), ("/var/log/munge", 0o700)):
        Path(name).mkdir(exist_ok=True)
        shutil.chown(name, "munge", "munge")
        Path(name).chmod(mode)
    megabytes = psutil.virtual_memory().total // 2**20 * 9 // 10
    host = socket.gethostname().split(".")[0]
    SETTINGS.parent.mkdir(exist_ok=True)
    SETTINGS.write_text(CONFIGURATION.format(host=host, folder=folder, cores=os.cpu_count(), memory=megabytes))
    # Asked, not read from its file: a test that was killed leaves the file of a process that has ended.
    own_munge = not _says("munge", "-n")
    try:
        if own_munge:
            subprocess.run(["runuser", "-u", "munge", "--", "/usr/sbin/munged"], check=True)
        _until(lambda: bool(_says("munge", "-n")), "munge answers")
        subprocess.run(["slurmctld"], check=True)
        subprocess.run(["slurmd"], check=True)
        _until(lambda: "idle" in _says("sinfo", "--noheader"), "the node is idle")
        yield
    finally:
        _says("scancel", "--user", "root")
        _stop(folder / "slurmd.pid")
        _stop(folder / "slurmctld.pid")
        if own_munge:
            _stop(Path("/run/munge/munged.pid"))
        SETTINGS.unlink(missing_ok=True)


def _command(folder: Path, arguments: list[str]) -> list[str]:
    place = ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder)]
    return [sys.executable, "-m", "snakemake", *place, *arguments]


def _searching(folder: Path) -> psutil.Process | None:
    """A search job that works in a folder: the process of its script, not the Snakemakes around it."""
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words = process.info["cmdline"] or []
        if process.info["cwd"] == str(folder) and len(words) == 2 and words[1].endswith(".search.py"):
            return process
    return None


def _records(results: Path) -> dict[str, pa.Table]:
    """All records by name, without times and metadata."""
    files = sorted((results / "search").rglob("*.parquet"))
    return {
        str(file.relative_to(results)): pq.read_table(file).drop_columns(list(TIMES)).replace_schema_metadata(None)
        for file in files
    }


def _granted() -> list[tuple[str, int]]:
    """The rule of each job that Slurm has had, in the order in which they were submitted, and its memory in MB."""
    jobs = [
        re.search(r"JobId=(\d+) .* MinMemoryNode=(\d+)M .* Comment=rule_(\S+)", line)
        for line in _says("scontrol", "--oneliner", "show", "jobs").splitlines()
    ]
    found = sorted((int(job[1]), job[3], int(job[2])) for job in jobs if job)
    return [(comment.partition("_wildcards")[0], megabytes) for _, comment, megabytes in found]


@pytest.mark.usefixtures("slurm")
def test_slurm_grants_a_search_that_loads_tensorflow_what_its_rule_computes(small: Path, tmp_path: Path) -> None:
    fewer = yaml.safe_load(small.read_text())
    fewer["protocols"]["diffchaser"] = {"run_seeds": 1, "inputs": 2}
    small.write_text(yaml.safe_dump(fewer))
    before = len(_granted())
    wanted = "results/small/search/digits/lenet5/ptq_int8/deepxplore/diffchaser/seeds_000-000.parquet"
    asked = ["--profile", str(ROOT / "profiles" / "slurm"), *QUICKER, wanted, "--configfile", str(small)]
    said = subprocess.run(
        _command(tmp_path, ["-n", wanted, "--configfile", str(small)]),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    requested = {
        rule: int(megabytes) for rule, megabytes in re.findall(r"^rule (\w+):.*?mem_mb=(\d+)", said, re.M | re.S)
    }
    asked.append("--slurm-keep-successful-logs")
    done = subprocess.run(_command(tmp_path, asked), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    granted = dict(_granted()[before:])
    # Seed inputs are drawn where Snakemake runs; short jobs are submitted as groups.
    assert granted == {
        f"short_{rule}_digits_lenet5_{rule}" if rule in job_resources.GROUPED else rule: megabytes
        for rule, megabytes in requested.items()
        if rule not in job_resources.LOCAL
    }
    log = tmp_path / "results/small/logs/search/digits/lenet5/ptq_int8/deepxplore/diffchaser/seeds_000-000.log"
    assert "TensorFlow" in log.read_text()
    assert "deepxplore: 100%" in log.read_text()


@pytest.mark.usefixtures("slurm")
def test_a_run_through_slurm_equals_a_local_one_even_where_a_job_is_killed(
    pipeline: Path, made: Callable[[Path], dict[str, bytes]], tmp_path: Path
) -> None:
    scale = pipeline.stem
    # A submitted job costs seconds in start-up alone, so few searches.
    fewer = yaml.safe_load(pipeline.read_text())
    fewer["experiments"] = {**fewer.get("experiments", {}), "rq1": {"tools": ["random", "pso_div"]}}
    if scale == "small":
        fewer["engine"]["block"] = 3
    pipeline.write_text(yaml.safe_dump(fewer))
    asked = ["diverget_table4", "--configfile", str(pipeline)]
    local, cluster = tmp_path / "local", tmp_path / "cluster"
    for folder in (local, cluster):
        folder.mkdir()
    done = subprocess.run(
        _command(local, ["--cores", "2", *asked]), cwd=local, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    before = len(_granted())
    log = tmp_path / "cluster.log"
    profile = ["--profile", str(ROOT / "profiles" / "slurm")]
    with log.open("w") as said:
        run = subprocess.Popen(
            _command(cluster, [*profile, *QUICKER, *asked]), cwd=cluster, stdout=said, stderr=subprocess.STDOUT
        )
        victim = None
        while run.poll() is None and victim is None:
            victim = _searching(cluster)
            time.sleep(0.02)
        assert victim, log.read_text()
        victim.send_signal(signal.SIGKILL)
        run.wait()
    text = log.read_text()
    assert run.returncode == 0, text
    assert "Trying to restart job" in text
    # The one that was killed got twice as much when it was submitted again.
    searches = sorted(
        megabytes for rule, megabytes in _granted()[before:] if rule.startswith("short_search_sim_pavia_hybridsn")
    )
    assert len(searches) > 1
    assert searches == [searches[0]] * (len(searches) - 1) + [2 * searches[0]]
    expected = _records(local / "results" / scale)
    found = _records(cluster / "results" / scale)
    assert found.keys() == expected.keys()
    assert [name for name, table in found.items() if not table.equals(expected[name])] == []
    assert made(cluster / "results" / scale) == made(local / "results" / scale)
