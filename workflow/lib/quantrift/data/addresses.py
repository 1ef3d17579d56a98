"""Addresses of official files, which jobs take from the configuration beside their parameters."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantrift.base.merge import merged
from quantrift.base.yaml_files import read_yaml
from quantrift.config.datasets import DataSettings, SourceFile, official_files
from quantrift.config.fields import Strict
from quantrift.config.networks import Networks
from quantrift.data import dataset_kind

MIRROR = "QUANTRIFT_MIRROR"
"""Environment variable that names a local folder of official files."""


class Sources(Strict):
    """Sections of a configuration that state where files come from."""

    data: DataSettings = DataSettings()
    models: Networks = Networks()


@dataclass(frozen=True)
class Addresses:
    """Where official files may lie: all that jobs take from the configuration beside their parameters."""

    data: DataSettings
    files: Mapping[str, SourceFile]
    """sha256 of an official file -> its addresses and size."""


def of_job(script_folder: Path, settings: Mapping[str, Any]) -> Addresses:
    """Where the official files of a job's run may lie, as files and the command line left it.

    A change of that reruns nothing, so it is no parameter of a rule. All else is left out: Snakemake merges files key
    by key, whatever keys mean, and makes a tool of two searchers of two files that state one each.

    Args:
        script_folder: the folder of the entry scripts.
        settings: Snakemake's merged configuration.
    """
    library = read_yaml(script_folder.resolve().parents[1] / "config" / "datasets.yaml")
    files = {name: own for name, own in settings.get("models", {}).items() if "source" in own}
    datasets = merged(library, {"datasets": settings.get("datasets", {})})["datasets"]
    sources = Sources.model_validate({"data": settings.get("data", {}), "models": files})
    official = [file for stated in datasets.values() for file in official_files(dataset_kind.settings(stated))]
    official += [file for one in sources.models.files.values() for file in (one.original, *one.compressed.values())]
    return Addresses(sources.data, {file.sha256: file for file in official})


def mirror(named: str | None) -> Path | None:
    """The local folder of official files: ``data.mirror`` first, then the environment variable."""
    folder = named or os.environ.get(MIRROR)
    return Path(folder) if folder else None
