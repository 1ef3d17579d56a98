"""Files that the jobs of a run opened, beside those that their rules declare."""

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from quantrift.core.base.files import sha256
from quantrift.study.datasets.addresses import MIRROR

HOOK = Path(__file__).parent / "traced"
OWN = ("/.snakemake/", "/workflow/lib/", "/tests/", "/.venv/", "/.git/", ".dist-info/", ".py")
"""Files of Snakemake, of packages, of these tests and of git, which are no rule's."""


@dataclass
class Traced:
    """A job."""

    rule: str = ""
    params: set[str] = field(default_factory=set)
    input: set[str] = field(default_factory=set)
    output: set[str] = field(default_factory=set)
    """With its log."""
    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)


@contextmanager
def held(run: Path, checkout: Path, path: str | None = os.environ.get("PYTHONPATH")) -> Iterator[dict[str, str]]:
    """Variables under which jobs are traced; in the end, those of their rules must have declared all that they opened.

    Args:
        run: the folder in which Snakemake works.
        checkout: with the rules.
        path: value of PYTHONPATH that jobs have beside.
    """
    with TemporaryDirectory() as traced:
        yield {"PYTHONPATH": os.pathsep.join([str(HOOK), *filter(None, [path])]), "QUANTRIFT_TRACE": traced}
        found = undeclared(Path(traced), run, checkout)
        assert not found, dict(found)


def jobs(folder: Path) -> list[Traced]:
    """All jobs that were traced."""
    found: dict[str, Traced] = defaultdict(Traced)
    for file in sorted(folder.glob("*.json")):
        job, stated = found[file.name.split("-")[0]], json.loads(file.read_text(encoding="utf-8"))
        job.rule = job.rule or stated.pop("rule", "")
        for name in ("params", "input", "output", "read", "written"):
            getattr(job, name).update(stated.get(name, ()))
    return [*found.values()]


def undeclared(folder: Path, run: Path, checkout: Path) -> Mapping[str, set[str]]:
    """Rule -> files that its jobs opened without declaring them, as ``read x`` and ``wrote x``.

    Of files below the folder of the run, the checkout and the mirror. A file whose sha256 stands in the job's
    parameters is declared by it, wherever it lies; files of the package, data too, are by the digest of the job's code.
    """
    places = [str(run.resolve()), str(checkout), *filter(None, [os.environ.get(MIRROR)])]
    found: dict[str, set[str]] = defaultdict(set)
    for job in jobs(folder):
        for what, files, stated in (("read", job.read, job.input | job.output), ("wrote", job.written, job.output)):
            for file in files - stated:
                if not any(file.startswith(f"{place}/") for place in places) or any(own in file for own in OWN):
                    continue
                # A job's own checkpoint, from an earlier try.
                if not Path(file).is_file():
                    continue
                # Of a file with another digest a job says so; one that is nowhere it downloads, beside the results.
                if not any(sha256(Path(file)) in text or f"/{Path(file).name}'" in text for text in job.params):
                    found[job.rule].add(f"{what} {os.path.relpath(file, run)}")
    return found
