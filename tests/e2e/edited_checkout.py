"""A small copy of this checkout in which everything was made, to be edited and asked what would run again."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from tests.factories import dry_runs, snakemake_server, traced_jobs
from tests.factories.places import ROOT

PACKAGE = "workflow/lib/quantrift/"
TOOLS = 7
"""Tools of the experiment: four of DiverGet's, two kinds of random sampling, one of another package."""
_SMALL = """
scale: small
datasets:
  own_digits:
    kind: npz_images
    title: Digits in a file
    class_names: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
    file: {path: own/digits.npz, sha256: "%s"}
models:
  hybridsn: {width: 0.125, training: {epochs: 1, batch: 128}}
  lenet1: {training: {epochs: 1, batch: 128}}
compressions:
  ptq_int8: {max_accuracy_loss: 1}
  distill: {student: mlp, max_accuracy_loss: 1, training: {epochs: 1, batch: 128, learning_rate: 0.001}}
bit_studies:
  own_bits:
    dataset: [own_digits]
    model: [mlp]
    settings: [homogeneous_3]
    repetitions: 2
    training: {epochs: 1, batch: 32, learning_rate: 0.001}
    width: 0.1
    strengths: {own_digits: [0, 0.1]}
tools:
  outside: {like: random, searcher: outside}
subjects:
  diverget: {dataset: [sim_pavia], model: [hybridsn], compression: [ptq_int8]}
  own: {dataset: [own_digits], model: [lenet1], compression: [distill]}
protocols: {rq1: {run_seeds: 2, inputs: 2, generations: 2}}
experiments: {rq1: {subjects: diverget, tools: [random, random_feasible, pso_div, pso_cov, ga_div, ga_cov, outside]}}
targets:
  models: {subjects: [diverget, own]}
  compression: {subjects: [diverget, own]}
  own_groups:
    kind: compare_groups
    title: Divergence against coverage
    caption: Each with two searchers.
    source: nobody
    from: [rq1]
    groups: {f_div: [pso_div, ga_div], f_cov: [pso_cov, ga_cov]}
    rows: [dataset]
    metrics: [dir]
  own_vectors:
    kind: vector_distances
    title: Distances between vectors
    caption: Of both fitness functions.
    source: nobody
    from: [rq1]
    metaheuristics: {PSO: {f_cov: pso_cov, f_div: pso_div}}
    draws: 2
  own_bits: {kind: bit_accuracies, title: Bits, caption: Bits., source: nobody, studies: [own_bits]}
all: [models, learning_curves, compression, diverget_table4, diverget_table4_boxes, own_groups, own_vectors, own_bits,
      report]
"""


@dataclass(frozen=True)
class Edit:
    """A change of files of the checkout, and what it has to make again."""

    about: str
    changes: tuple[tuple[str, str, str], ...]
    """(file, text in it, text in its place); a file that is not there is made of the last."""
    had_to: frozenset[str]
    """Rules whose jobs have to run again."""
    more: frozenset[str] = frozenset()
    """Rules whose jobs run too, although nothing would change in what they make."""
    searches: int | None = None
    """How many searches run again; None where that is not the point."""


def environment(checkout: Path) -> dict[str, str]:
    """Variables of a run: a package of somebody else's, and a mirror."""
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return own | {"QUANTRIFT_MIRROR": str(checkout / "mirror"), "PYTHONPATH": str(checkout / "outside")}


def make(checkout: Path) -> None:
    """Copy what a run needs, and make everything of a small configuration."""
    copy(checkout)
    done = run(checkout)
    assert done.returncode == 0, done.stdout + done.stderr


def copy(checkout: Path) -> None:
    """Copy what a run of a small configuration needs."""
    for name in ("config", "profiles", "workflow", "envs"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(ROOT / "Snakefile", checkout)
    images, labels = load_digits(return_X_y=True)
    images = np.kron(images.reshape(-1, 8, 8, 1), np.ones((1, 4, 4, 1)))[:, 2:-2, 2:-2].astype(np.uint8) * 15
    own = checkout / "mirror" / "own" / "digits.npz"
    own.parent.mkdir(parents=True)
    labels = labels.astype(np.uint8)
    np.savez(own, x_train=images[:300], y_train=labels[:300], x_test=images[300:400], y_test=labels[300:400])
    (checkout / "config" / "config.yaml").write_text(_SMALL % hashlib.sha256(own.read_bytes()).hexdigest())
    package = checkout / "outside" / "their_tool"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    searcher = (ROOT / PACKAGE / "core/search/searchers/random.py").read_text()
    (package / "searcher.py").write_text("from their_tool.steps import MORE\n" + searcher)
    (package / "steps.py").write_text("MORE = 0\n")
    facts = checkout / "outside" / "their_tool-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: their-tool\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[quantrift.parts]\nsearcher.outside = their_tool.searcher\n")


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Snakemake in the checkout."""
    own = environment(checkout)
    with traced_jobs.held(checkout, checkout, own["PYTHONPATH"]) as traced:
        return snakemake_server.run(["--cores", "2", *arguments], own | traced, checkout)


def counts(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """Number of jobs of each rule, done or planned, without the target ``all`` and the total."""
    return {name: count for name, count in dry_runs.counts(done).items() if name not in ("total", "all")}


def planned(checkout: Path, edit: Edit, *arguments: str) -> dict[str, int]:
    """How often each rule would run after an edit; the files are put back as they were, times included."""
    with edited(checkout, edit.changes):
        return counts(run(checkout, "-n", *arguments))


@contextmanager
def edited(checkout: Path, changes: Sequence[tuple[str, str, str]]) -> Iterator[None]:
    """The checkout with some files changed, as ``Edit`` has it; they are put back as they were, times included."""
    kept = {name: (checkout / name).read_bytes() for name, _, _ in changes if (checkout / name).exists()}
    times = {name: (checkout / name).stat() for name in kept}
    try:
        for name, old, new in changes:
            path = checkout / name
            if name not in kept:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(new)
                continue
            text = path.read_bytes()
            assert old.encode() in text, f"{name}: no '{old}'"
            path.write_bytes(text.replace(old.encode(), new.encode(), 1))
        yield
    finally:
        for name, _, _ in changes:
            if name in kept:
                (checkout / name).write_bytes(kept[name])
                os.utime(checkout / name, ns=(times[name].st_atime_ns, times[name].st_mtime_ns))
            else:
                (checkout / name).unlink(missing_ok=True)
                if (checkout / name).parent.suffix == ".dist-info":
                    (checkout / name).parent.rmdir()
