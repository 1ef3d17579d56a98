"""Provenance of a result: code, configuration, software, processor and data."""

import hashlib
import json
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantrift.core.base.package_versions import NONE, version

PACKAGES = (
    "ai-edge-litert",
    "keras",
    "matplotlib",
    "numpy",
    "pandas",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "snakemake",
    "tensorflow",
)
"""Packages whose version can change a number, a table or a figure."""

_INSTRUCTION_SETS = re.compile(r"^(sse4_2|avx\w*|fma|f16c|amx\w*|asimd\w*|i8mm|sve\w*|bf16)$")


def collect(settings: Mapping[str, Any], data_sha256: Mapping[str, str]) -> dict[str, Any]:
    """Provenance of a table or the page, ready for JSON; holds no time and no path.

    Args:
        settings: all that it takes from the configuration, as plain values; ``config_digest`` is their sha256.
        data_sha256: digest of each data file by name.

    ``commit`` is ``unknown`` and ``dirty`` None where the package does not lie in a git checkout.
    """
    return {
        **checkout(Path(__file__).parent),
        "config_digest": hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest(),
        "python": platform.python_version(),
        "packages": versions(),
        "cpu": processor(Path("/proc/cpuinfo")),
        "data_sha256": dict(sorted(data_sha256.items())),
    }


def versions() -> dict[str, str]:
    """Installed version of each package in ``PACKAGES``, or ``not installed``."""
    return {name: "not installed" if (found := version(name)) == NONE else found for name in PACKAGES}


def checkout(folder: Path) -> dict[str, Any]:
    """``commit`` (40 hex digits) and ``dirty`` (files changed or added since) of the checkout that holds ``folder``.

    A package installed into an environment that happens to lie inside some repository is not of that repository,
    so only a tracked folder counts.
    """
    commit = _git(folder, "ls-files", "--", ".") and _git(folder, "rev-parse", "HEAD")
    return {"commit": commit or "unknown", "dirty": bool(_git(folder, "status", "--porcelain")) if commit else None}


def processor(cpuinfo: Path) -> dict[str, Any]:
    """``model`` and ``instruction_sets`` (those that matter to inference, sorted) of the processor.

    Read from ``cpuinfo`` (the format of Linux's /proc/cpuinfo, x86 or Arm); elsewhere the model is what Python
    knows of it and the instruction sets are empty.
    """
    try:
        text = cpuinfo.read_text(encoding="utf-8")
    except OSError:
        text = ""
    fields: dict[str, str] = dict(re.findall(r"^([^:\n]+?)\s*:[ \t]*(.*)$", text, re.MULTILINE))
    flags = fields.get("flags", fields.get("Features", "")).split()
    return {
        "model": fields.get("model name") or platform.processor() or platform.machine() or "unknown",
        "instruction_sets": sorted({flag for flag in flags if _INSTRUCTION_SETS.match(flag)}),
    }


def _git(folder: Path, *arguments: str) -> str:
    """Output of a git command that changes nothing, empty where it fails or there is no git."""
    # Optional locks would make a status query collide with a commit someone makes at the same time.
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
