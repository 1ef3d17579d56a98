"""Comparison of the results of two versions of the workflow: ``make same BASE=COMMIT``.

The demo and, with a mirror of official data, ``config/small.yaml`` are run by the code of COMMIT and by the files of
this checkout as they are, each from nothing, in the environment of this checkout. Then all results are compared.
Not compared are logs, benchmarks, times, provenance, and the keys and columns of ``LEFT_OUT``. Keys and columns that
COMMIT did not have are told, and are no difference in what it computed. What COMMIT computed is
kept in ``results/same`` and used again while the environment and the two configurations stay.
"""

import argparse
import filecmp
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from quantrift.study.datasets.addresses import MIRROR

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "results/same"
SCALES: dict[str, str | None] = {"demo": None, "small": "config/small.yaml"}
"""Name of the folder of results -> configuration; the demo's is the default."""
FOLDERS = ("logs", "benchmarks")
FILES = ("*.timing.*", "*.provenance.json")
"""Folders and names of files that are not compared."""
LEFT_OUT = frozenset({"seconds", "candidates_per_second", "versions", "machine", "code", "signature"})
"""Keys of JSON and columns of tables that say how long, on what and by which code."""
ADDED = ": is added"
"""End of the line on a key or column that COMMIT did not have."""
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
"""Digests in text, such as that of a configuration whose settings have other names."""
SHOWN = 40
"""Most differences printed."""


def main() -> int:
    """Run both versions and print what differs; 1 where something does."""
    parser = argparse.ArgumentParser(prog="python -m tests.same", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("commit", metavar="COMMIT")
    parser.add_argument("--cores", default="2")
    given = parser.parse_args()
    commit = _git("rev-parse", "--verify", f"{given.commit}^{{commit}}").decode().strip()
    scales = {name: path for name, path in SCALES.items() if path is None or os.environ.get(MIRROR)}
    if len(scales) < len(SCALES):
        print(f"same: {MIRROR} is not set, so only the demo is compared", file=sys.stderr)
    # What an older version computes depends on the lock and the configurations that it is given too.
    files = ["envs/requirements.lock", *filter(None, SCALES.values())]
    settings = hashlib.sha256(b"".join((ROOT / file).read_bytes() for file in files)).hexdigest()[:8]
    before, now = KEPT / f"{commit[:12]}-{settings}", KEPT / "now"
    shutil.rmtree(now, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as archive:
        archive.extractall(before, filter="data")
    _copy(now)
    found = []
    for scale, configuration in scales.items():
        for folder in (before, now):
            _run(folder, scale, configuration, given.cores)
        found += [f"{scale}/{line}" for line in differences(before / "results" / scale, now / "results" / scale)]
    added = {line.rpartition(": ")[0].rpartition(": ")[2] for line in found if line.endswith(ADDED)}
    found = [line for line in found if not line.endswith(ADDED)]
    for line in (*found[:SHOWN], *([f"... and {len(found) - SHOWN} more"] if found[SHOWN:] else [])):
        print(line)
    if added:
        print(f"same: keys and columns that are there now alone: {', '.join(sorted(added))}")
    print(f"same: {', '.join(scales)} of {commit[:12]} and now: {len(found) or 'no'} differences")
    return min(len(found), 1)


def differences(before: Path, now: Path) -> Iterator[str]:
    """A line for each file that only one folder has, for the first place at which the contents of others differ,
    and for each key or column that a file has now alone (``ADDED``).
    """
    names = [{path.relative_to(folder) for path in _results(folder)} for folder in (before, now)]
    for name in sorted(names[0] | names[1]):
        if name not in names[1]:
            yield f"{name}: is gone"
        elif name not in names[0]:
            yield f"{name}: is new"
        elif not filecmp.cmp(before / name, now / name, shallow=False):
            places = sorted(_places(read(before / name), read(now / name)), key=lambda one: not one.endswith(ADDED))
            first = sum(place.endswith(ADDED) for place in places) + 1
            yield from (f"{name}: {place}" for place in places[:first])


def read(file: Path) -> Any:
    """Contents of a file as nested dictionaries, lists and scalars, without ``LEFT_OUT``."""
    content = file.read_bytes()
    match file.suffix:
        case ".json":
            return _kept(json.loads(content))
        case ".csv":
            table = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
            return _kept({str(name): [*table[name]] for name in table})
        case ".parquet":
            stored = pq.read_table(io.BytesIO(content))
            about = {key.decode(): json.loads(value) for key, value in (stored.schema.metadata or {}).items()}
            return _kept({"about": about, **{name: repr(stored[name].to_pylist()) for name in stored.column_names}})
        case ".npz":
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                return {name: (arrays[name].dtype.str, arrays[name].tolist()) for name in arrays.files}
        case ".keras":
            with zipfile.ZipFile(io.BytesIO(content)) as members:
                return {name: members.read(name) for name in members.namelist() if name != "metadata.json"}
        case ".md" | ".svg" | ".html":
            return DIGEST.sub("digest", content.decode()).splitlines()
        case _:
            return content


def _results(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        # Of a picture in two forms, pixels may differ by one level from run to run; lines and embedded images do not.
        drawn_too = path.suffix == ".png" and path.with_suffix(".svg").is_file()
        if path.is_file() and name.parts[0] not in FOLDERS and not drawn_too and not any(map(name.match, FILES)):
            yield path


def _kept(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _kept(one) for key, one in value.items() if key not in LEFT_OUT}
    return [_kept(one) for one in value] if isinstance(value, list) else value


def _places(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """The places at which two values differ, with both."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in before | now:
            if key not in before or key not in now:
                yield f"{place}{key}{ADDED if key in now else ': is gone'}"
            else:
                yield from _places(before[key], now[key], f"{place}{key}: ")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for i in range(len(now)):
            yield from _places(before[i], now[i], f"{place}{i + 1}: ")
    # A number that is none equals itself here.
    elif repr(before) != repr(now):
        yield f"{place}{_short(before)} -> {_short(now)}"


def _short(value: Any) -> str:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()[:12]
    text = f"{len(value)} entries" if isinstance(value, list | dict) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _run(folder: Path, scale: str, configuration: str | None, cores: str) -> None:
    done = folder / f"{scale}.done"
    if done.exists():
        return
    shutil.rmtree(folder / "results" / scale, ignore_errors=True)
    chosen = [] if configuration is None else ["--configfile", str(ROOT / configuration)]
    # The run has another working folder.
    mirror = {key: os.path.abspath(os.environ[key]) for key in (MIRROR,) if key in os.environ}
    log = folder / f"{scale}.log"
    print(f"same: {scale} in {folder.relative_to(ROOT)}, some minutes; see {log.relative_to(ROOT)}", file=sys.stderr)
    with log.open("w", encoding="utf-8") as told:
        ended = subprocess.run(
            [sys.executable, "-m", "snakemake", "--cores", cores, *chosen],
            cwd=folder,
            env=os.environ | mirror | {"PYTHONPATH": str(folder / "workflow/lib")},
            stdout=told,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if ended.returncode:
        sys.exit(f"same: {scale} failed in {folder.relative_to(ROOT)}; see {log.relative_to(ROOT)}")
    done.touch()


def _copy(folder: Path) -> None:
    """The files of this checkout, committed or not, without those that git ignores."""
    for name in _git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"same: git {' '.join(words)}: {done.stderr.decode().strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
