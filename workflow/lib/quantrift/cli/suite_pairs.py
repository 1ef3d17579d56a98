"""Files of the pairs of a suite, made by the workflow, and the inputs on which tools meet."""

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.core.base.errors import refuse
from quantrift.core.base.files import read_json, sha256
from quantrift.core.base.inputs import Inputs
from quantrift.core.base.paths import COMPRESSED, COMPRESSED_FACTS, ORIGINAL, ORIGINAL_FACTS, Paths
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.judge.intake import example, given_inputs
from quantrift.judge.suite.definition import Pair
from quantrift.study.planning import configuration_files

MOST = 1000
"""Test inputs of a pair that seed inputs are drawn from, at most: the first ones."""


@dataclass(frozen=True)
class Files:
    """Files of a pair."""

    original: Path
    compressed: Path
    inputs: Path
    """.npz with inputs and labels, or as the workflow writes them."""
    overlay: Path | None = None
    """Configuration with which the workflow builds them; ``None`` where the package brings them."""

    @property
    def paths(self) -> dict[str, Path]:
        """Each file by what it is."""
        return {"original": self.original, "compressed": self.compressed, "inputs": self.inputs}

    def copied(self, given: GivenFiles) -> "Files":
        """Copies of them, which nobody changes."""
        return replace(self, **{name: given.file(path) for name, path in self.paths.items()})

    def check(self, copies: "Files") -> dict[str, str]:
        """Digests of copies of these files.

        Snakemake tells by times whether a file is up to date, and a file that was put in the place of another may have
        any time. So the copies are held against the digests that the workflow noted when it made the networks.

        Raises:
            QuantriftError: one is not the file that the workflow made.
        """
        found = {name: sha256(path) for name, path in copies.paths.items()}
        stated = dict(found)
        if self.overlay is not None:
            for facts in (self.original.with_name(ORIGINAL_FACTS), self.compressed.with_name(COMPRESSED_FACTS)):
                stated |= read_json(facts)["sha256"]
        refuse(
            *(
                (
                    found[name] != stated[name],
                    f"{path}: is not the file that the workflow made; move it away, and run the command again, which "
                    "makes it anew",
                )
                for name, path in self.paths.items()
            )
        )
        return found

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Inputs, float32 (n, H, W, C), and true labels, int64 (n,)."""
        if self.overlay is None:
            given = given_inputs.read(self.inputs)
            assert given.labels is not None
            return given.values, given.labels
        whole = Inputs.load(self.inputs)
        chosen = whole.test[:MOST]
        return whole.take(chosen), whole.labels[chosen]


def of(pair: Pair, folder: Path) -> Files:
    """Where the files of a pair lie.

    Args:
        pair: of a suite.
        folder: of the project's configuration.
    """
    if pair.workflow is None:
        found = example.paths()
        return Files(found.original, found.int8 if pair.example == "int8" else found.dynamic, found.inputs)
    stated = pair.workflow
    overlay = folder / stated.configuration
    paths = Paths(Path("results") / configuration_files.load(folder, [overlay]).scale)
    return Files(
        original=paths.model(stated.dataset, stated.model) / ORIGINAL,
        compressed=paths.compressed(stated.dataset, stated.model, stated.compression) / COMPRESSED,
        inputs=paths.inputs(stated.dataset, stated.model),
        overlay=overlay,
    )


def build(overlay: Path, files: list[Path]) -> None:
    """Make files through the workflow.

    Raises:
        QuantriftError: if it fails.
    """
    snakefile = str(configuration_files.ROOT / "Snakefile")
    command = [sys.executable, "-m", "snakemake", "--snakefile", snakefile, "--cores", "2", "--quiet"]
    done = subprocess.run([*command, "rules", "--configfile", str(overlay), "--", *map(str, files)], check=False)
    refuse((done.returncode, "the workflow could not build what is needed; see its message above"))
