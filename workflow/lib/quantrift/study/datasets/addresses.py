"""Addresses of official files, which jobs take from the configuration beside their parameters."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantrift.core.settings.datasets import Dataset, DataSettings, SourceFile, official_files
from quantrift.core.settings.model_files import ModelFile

OFFICIAL = "official"
"""Key of Snakemake's configuration under which jobs find what ``stated`` gives."""
MIRROR = "QUANTRIFT_MIRROR"
"""Environment variable that names a local folder of official files."""


@dataclass(frozen=True)
class Addresses:
    """Where official files may lie: all that jobs take from the configuration beside their parameters."""

    data: DataSettings
    files: Mapping[str, SourceFile]
    """sha256 of an official file -> its addresses and size."""


def stated(data: DataSettings, datasets: Iterable[Dataset], networks: Iterable[ModelFile]) -> dict[str, Any]:
    """Where the official files of a configuration may lie, as plain values for ``of_job``."""
    files = [file for dataset in datasets for file in official_files(dataset)]
    files += [file for one in networks for file in (one.original, *one.compressed.values())]
    return {
        "data": data.model_dump(mode="json"),
        "files": [file.model_dump(mode="json") | {"bytes": file.bytes, "urls": [*file.urls]} for file in files],
    }


def of_job(settings: Mapping[str, Any]) -> Addresses:
    """Where the official files of a job's run may lie, from Snakemake's configuration as the rules leave it.

    A change of that reruns nothing, so it is no parameter of a rule.
    """
    found = settings[OFFICIAL]
    files = [SourceFile.model_validate(file) for file in found["files"]]
    return Addresses(DataSettings.model_validate(found["data"]), {file.sha256: file for file in files})


def mirror(named: str | None) -> Path | None:
    """The local folder of official files: ``data.mirror`` first, then the environment variable."""
    folder = named or os.environ.get(MIRROR)
    return Path(folder) if folder else None
