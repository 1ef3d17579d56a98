"""Jobs run in the environment that conda makes of the project's file; a stand-in for conda makes it."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tests.factories.places import ROOT

CONDA = """#!/bin/sh
case "$1" in
info) echo '{{"conda_prefix": "{folder}", "root_prefix": "{folder}", "platform": "linux-64"}}' ;;
--version) echo "conda 24.7.1" ;;
config) echo '{{"get": {{"channel_priority": "strict"}}}}' ;;
env)
  while [ $# -gt 0 ]; do
    case "$1" in --prefix) prefix=$2 ;; --file) cp "$2" "{folder}/asked_for.yaml" ;; esac
    shift
  done
  "{python}" -m venv --without-pip "$prefix"
  # Its Python takes the packages of the tests, and notes that it ran.
  note='import sys; open("{folder}/ran", "a").write(sys.executable + chr(10))'
  printf '%s\\n' "{packages}" "$note" > "$prefix"/$(cd "$prefix"; echo lib/python*/site-packages)/packages.pth
  mkdir "$prefix/conda-meta" ;;
esac
"""


@pytest.mark.slow
def test_with_sdm_conda_jobs_run_in_the_environment_of_the_file(small: Path, tmp_path: Path) -> None:
    conda, run = tmp_path / "conda", tmp_path / "run"
    (conda / "bin").mkdir(parents=True)
    run.mkdir()
    packages = sysconfig.get_path("purelib")
    command = conda / "bin" / "conda"
    command.write_text(CONDA.format(folder=conda, python=sys.executable, packages=packages))
    command.chmod(0o755)
    (conda / "bin" / "activate").write_text('PATH="$1/bin:$PATH"\n')
    place = ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(run), "--configfile", str(small)]
    wanted = "results/small/data/digits/source.npz"
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", wanted, "--sdm", "conda", "--cores", "1", *place],
        env=os.environ | {"PATH": f"{conda / 'bin'}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert (run / wanted).is_file()
    assert (conda / "asked_for.yaml").read_bytes() == (ROOT / "envs" / "quantrift.yaml").read_bytes()
    environment = run / ".snakemake" / "conda"
    pythons = (conda / "ran").read_text().splitlines()
    assert pythons
    assert all(Path(python).is_relative_to(environment) for python in pythons)
