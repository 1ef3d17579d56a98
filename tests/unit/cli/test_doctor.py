"""Findings of the doctor in folders, files and environments as users may have them."""

import errno
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import pytest
from tests.factories import snakemake_server
from tests.factories.places import CONFIG, ROOT

from quantrift.cli.health import data, environment, machine
from quantrift.cli.main import main
from quantrift.cli.unlock import LOCKS, record
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.datasets.addresses import MIRROR
from quantrift.study.datasets.official import Places


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, no mirror named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(MIRROR, raising=False)
    return tmp_path


def levels(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """Exit code, and level and text by check."""
    code = main(["doctor", "--json", *arguments])
    found = json.loads(capsys.readouterr().out)
    assert found["can_run"] == (code == 0)
    assert all(one["todo"] for one in found["findings"] if one["level"] != "ok")
    return code, {one["check"]: (one["level"], one["says"]) for one in found["findings"]}


def test_a_healthy_folder_can_run_the_demo_and_nothing_is_left_in_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = levels(capsys)
    assert code == 0
    assert {"python", "packages", "variables", "cores", "memory", "processor", "disk"} <= set(found)
    assert {"results", "cache", "tmp", "lock", "mirror"} <= set(found)
    assert "numpy " in found["versions"][1]
    assert list(here.iterdir()) == []


def test_text_has_one_line_a_check_and_says_what_to_do(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "results").write_text("a file in place of the folder")
    assert main(["doctor"]) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} <= {"ok", "warning", "problem"}
    (line,) = [line for line in lines if line.startswith("problem")]
    assert line.split()[1] == "results"
    assert "Not a directory -> " in line
    assert last.startswith("a run would fail; problems: 1")


def test_a_lock_stands_against_a_run_whoever_left_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    LOCKS.mkdir(parents=True)
    (LOCKS / "0.output.lock").write_text("results/demo/report.html\n")
    code, found = levels(capsys)
    assert (code, found["lock"]) == (1, ("problem", "left by a run that was killed"))
    record()
    assert levels(capsys)[1]["lock"] == ("problem", f"process {os.getpid()} is working in this folder")


def test_a_wrong_configuration_is_one_finding_among_the_others(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "wrong.yaml").write_text("scale: small\nall: []\nenginee: {}\n")
    code, found = levels(capsys, "--configfile", "wrong.yaml")
    assert code == 1
    assert found["configuration"] == ("problem", "wrong.yaml: line 3: unknown key 'enginee'; did you mean 'engine'?")
    assert {"disk", "results", "lock", "commit"} <= set(found)


def test_only_what_a_configuration_reads_can_stand_against_it(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MIRROR, str(here))
    (here / "salinas").mkdir()
    crop = here / "hsi" / "pavia_university_crop" / "PaviaU.mat"
    crop.parent.mkdir(parents=True)
    crop.write_bytes(b"not the scene")
    code, found = levels(capsys)
    assert code == 0
    assert found["mirror"] == ("ok", str(here))
    assert found["pavia_university_crop"][0] == "warning"
    assert "wrong: hsi/pavia_university_crop/PaviaU.mat" in found["pavia_university_crop"][1]
    assert "salinas" not in found, "neither read nor there"
    code, found = levels(capsys, "--configfile", str(CONFIG / "sample.yaml"))
    assert (code, found["pavia_university_crop"][0]) == (1, "problem")


def test_a_mirror_that_does_not_exist_is_named(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MIRROR, "nowhere")
    assert levels(capsys)[1]["mirror"] == ("warning", "nowhere: no such folder")


def test_files_are_told_apart_by_digest_and_large_ones_only_when_asked(tmp_path: Path) -> None:
    content = bytes(data.BIG)
    file = SourceFile(path="big.mat", sha256=hashlib.sha256(content).hexdigest(), urls=("https://example.org/big.mat",))
    mirror, downloads = tmp_path / "mirror", tmp_path / "downloads"
    both = Places(mirror, downloads)
    assert data.state(file, Places(mirror), deep=True) == "missing"
    assert data.state(file, both, deep=True) == "to download"
    downloads.mkdir()
    (downloads / "big.mat").write_bytes(b"half a down")
    assert data.state(file, both, deep=True) == "to download", "a damaged download is fetched again"
    (downloads / "big.mat").write_bytes(content)
    assert data.state(file, both, deep=True) == "good"
    mirror.mkdir()
    (mirror / "big.mat").write_bytes(content[1:] + b"x")
    assert data.state(file, both, deep=False) == "unchecked"
    assert data.state(file, both, deep=True) == "wrong", "a file of the mirror is never replaced"


def test_a_needed_file_is_a_problem_only_where_it_cannot_be_had() -> None:
    assert data.dataset("a", {"x": "good", "y": "to download"}, needed=True).level == "warning"
    assert data.dataset("a", {"x": "good", "y": "missing"}, needed=True).level == "problem"
    assert data.dataset("a", {"x": "good", "y": "missing"}, needed=False).level == "ok"
    assert data.dataset("a", {"x": "good", "y": "good"}, needed=True).says == "2 of 2 files here, digests match"


def test_packages_are_compared_with_the_lock_of_this_system(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    numpy = metadata.version("numpy")
    pins = [f"numpy=={numpy}", "scipy==0.0.1 ; python_version > '3'", "quantrift-absent==1.0"]
    lines = [f"{pin} \\\n    --hash=sha256:00\n    # via\n    #   keras\n" for pin in pins]
    lock.write_text("".join(lines) + "colorama==0.4.6 ; sys_platform == 'none'\n")
    wanted = environment.locked(lock)
    assert wanted == {"numpy": numpy, "scipy": "0.0.1", "quantrift-absent": "1.0"}
    found = environment.packages(wanted, run_time={"numpy"})
    assert found.level == "warning"
    assert found.says == f"missing: quantrift-absent; not as locked: scipy {metadata.version('scipy')} for 0.0.1"
    assert environment.packages(wanted, run_time={"quantrift-absent"}).level == "problem"
    assert environment.packages({"numpy": numpy}, set()).level == "ok"


def test_needed_packages_are_those_that_dependencies_lead_to() -> None:
    found = environment.needed(["pandas>=2", "scipy ; sys_platform == 'none'", "not-installed-here"])
    assert {"pandas", "numpy", "python-dateutil", "not-installed-here"} <= found
    assert not {"scipy", "pytest", "hypothesis"} & found, "neither other systems' nor extras' packages"


def test_the_interpreter_is_one_of_the_supported() -> None:
    assert environment.interpreter(">=3.11,<3.14", "3.10.14").level == "problem"
    assert environment.interpreter(">=3.11,<3.14", "3.13.9").level == "ok"


def test_an_environment_is_the_checkouts_own_wherever_its_link_leads(tmp_path: Path) -> None:
    mine, other, room = (tmp_path / name for name in ("mine", "other", "room"))
    for folder in (mine / "env", other / ".venv", room):
        folder.mkdir(parents=True)
    (mine / ".venv").symlink_to(room)

    def level(prefix: Path, root: Path, source: Path | None) -> tuple[str, str]:
        found = environment.place(prefix, root, source, tmp_path)
        return found.level, found.says

    assert level(other / ".venv", other, other) == ("ok", ".venv of this checkout")
    assert level(Path("/usr"), other, None) == ("warning", "runs in /usr")
    assert level(mine / ".venv", mine, mine) == ("ok", ".venv of this checkout")
    assert level(room, mine, None) == ("warning", f".venv leads to {room}, not made for this checkout")
    (mine / ".venv").unlink()
    (mine / ".venv").symlink_to(other / ".venv")
    assert level(mine / ".venv", mine, other) == ("warning", f".venv leads to {other / '.venv'}, made for {other}")


def test_a_command_of_another_working_copy_says_so(here: Path) -> None:
    for part in ("config/rates.csv", "workflow/lib/quantrift/x.py", "Snakefile"):
        (here / part).parent.mkdir(parents=True, exist_ok=True)
        (here / part).touch()
    found = environment.place(ROOT / ".venv", ROOT, ROOT, here)
    assert (found.level, found.says) == ("warning", f"of {ROOT.resolve()}, and this folder is another working copy")


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
def test_without_room_for_snakemakes_cache_a_run_would_fail(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (here / "file").touch()
    monkeypatch.setenv(variable, str(here / "file"))
    code, found = levels(capsys)
    assert (code, found["cache"]) == (1, ("problem", f"{here / 'file'}: Not a directory"))
    dry = ["--dry-run", "--cores", "1", "--snakefile", str(ROOT / "Snakefile")]
    dry += ["--configfile", str(CONFIG / "config.yaml"), "--", "learning_curves"]
    assert snakemake_server.run(dry, os.environ).returncode != 0
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "caches"))
    assert levels(capsys)[1]["cache"] == ("ok", f"{here / 'caches' / 'snakemake'} can be written")
    assert not (here / "caches").exists()
    assert snakemake_server.run(dry, os.environ).returncode == 0


def test_a_folder_for_temporary_files_is_needed_and_the_systems_is_the_second_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert machine.temporary(None).level == "ok"
    assert machine.temporary(tempfile.gettempdir() + "/").level == "ok"
    other = machine.temporary("/proc/no")
    assert (other.level, other.says) == (
        "warning",
        f"TMPDIR=/proc/no cannot be written; {tempfile.gettempdir()} is used",
    )

    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    assert machine.temporary(None).level == "problem"


def test_variables_that_would_change_results_are_named_and_stand_against_nothing(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    code, found = levels(capsys)
    level, says = found["variables"]
    assert (code, level) == (0, "ok")
    assert {"KERAS_BACKEND", "TF_ENABLE_ONEDNN_OPTS"} <= set(
        says.removeprefix("ignored, as they change results: ").split(", ")
    )
    assert "OPENBLAS_CORETYPE" not in says


def test_a_machine_is_judged_by_what_a_run_takes(tmp_path: Path) -> None:
    assert [machine.cores(count).level for count in (1, 2, 64)] == ["warning", "ok", "ok"]
    least = machine.DEMO_MEMORY
    assert [machine.room(*gb).level for gb in ((least - 1, least - 1), (64, least - 1), (64, 32))] == [
        "problem",
        "warning",
        "ok",
    ]
    assert [machine.disk(gb).level for gb in (0.1, 3, 50)] == ["problem", "warning", "ok"]
    (tmp_path / "max").write_text("max\n")
    (tmp_path / "set").write_text("1000000\n")
    assert [machine.limit(tmp_path / name) for name in ("max", "set", "none")] == [float("inf"), 1e6, float("inf")]


def test_what_a_kernel_cannot_keep_from_a_file_that_runs_code_is_told() -> None:
    assert machine.confinement(7, True).level == "ok"
    for version, filtered, what in ((0, True, "write to your files"), (7, False, "open connections")):
        found = machine.confinement(version, filtered)
        assert found.level == "warning"
        assert what in found.says
    assert "; no filter" in machine.confinement(0, False).says


@pytest.mark.parametrize(
    ("sets", "architecture", "level"),
    [
        (["avx", "avx2", "fma"], "x86_64", "ok"),
        (["avx"], "x86_64", "warning"),
        (["sse4_2"], "x86_64", "problem"),
        (["asimd"], "aarch64", "ok"),
        ([], "x86_64", "ok"),
    ],
)
def test_instruction_sets_that_tensorflow_needs(sets: list[str], architecture: str, level: str) -> None:
    assert machine.instruction_sets({"model": "A CPU", "instruction_sets": sets}, architecture).level == level


def test_where_a_package_cannot_be_imported_the_rest_is_still_said() -> None:
    code = (
        "import sys\nsys.modules['psutil'] = None\n"
        "from pathlib import Path\nfrom quantrift.cli.doctor import findings\n"
        "print(*[f'{one.check} {one.level}' for one in findings(Path('config.yaml'), False)], sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert "python ok" in lines
    assert lines[-1] == "imports problem"
