"""Conda environment of ``--sdm conda``, from the lock: ``python -m tools.documents.conda_file`` (`make conda`)."""

from pathlib import Path

import yaml
from packaging.requirements import Requirement

from quantrift.core.base.files import replacing

LOCK = Path("envs") / "requirements.lock"
FILE = Path("envs") / "quantrift.yaml"
PYTHON = "3.11"
"""The oldest that the lock is for, which `make lock` resolves for and `make env` looks for first."""
HEAD = f"# Made from {LOCK.name} by `make conda`: what rules run in with --sdm conda (docs/cluster.md).\n"


def pins(lock: str) -> list[str]:
    """The requirements of a lock file that ``uv pip compile`` wrote, without hashes: pip's pins, with their markers."""
    return [str(Requirement(line.removesuffix("\\"))) for line in lock.splitlines() if line[:1].isalnum()]


def written(root: Path) -> str:
    """envs/quantrift.yaml of the checkout ``root`` as it ought to be."""
    packages = pins((root / LOCK).read_text(encoding="utf-8"))
    whole = {
        "channels": ["conda-forge", "nodefaults"],
        "dependencies": [f"python={PYTHON}", "pip", {"pip": packages}],
    }
    return HEAD + yaml.safe_dump(whole, sort_keys=False, width=1000)


if __name__ == "__main__":
    new = written(Path.cwd())
    with replacing(FILE) as temporary:
        temporary.write_text(new, encoding="utf-8")
