"""Files of a search in a results folder, of networks made here or given."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantrift.core.base.paths import COMPRESSED, Paths
from quantrift.core.networks import runtime
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import FROM_FILES, Loaded
from quantrift.core.pairs.task_pair import FILE as TASK
from quantrift.core.search.run import Files
from quantrift.core.search.tool import looks_into_networks


def files_in(
    paths: Paths,
    subject: Mapping[str, str],
    tool_settings: Mapping[str, Any],
    original_runtime: str = "litert",
    loaded: Loaded = FROM_FILES,
    compressed_runtime: str | None = None,
) -> Files:
    """The files for a tool on a subject (dataset, model, compression, protocol) in a results folder."""
    dataset, model = subject["dataset"], subject["model"]
    named = tool_settings.get("calibration")
    missing = named and not tool_settings["space"]["params"]["strengths"]
    folder = paths.compressed(dataset, model, subject["compression"])
    # Of networks that users give, the file is another one than those made here have.
    given = (folder / name for one in runtime.names() if (name := runtime.module(one).COMPRESSED))
    return Files(
        opening=given_pair.__name__,
        inputs=paths.inputs(dataset, model),
        original=paths.model(dataset, model) / runtime.module(original_runtime).ORIGINAL,
        compressed=next(filter(Path.is_file, given), folder / COMPRESSED),
        seeds=paths.seeds(dataset, model, subject["protocol"]),
        profile=paths.profile(dataset, model) if looks_into_networks(tool_settings) else None,
        calibration=paths.calibration(dataset, model, str(named)) if missing else None,
        original_runtime=original_runtime,
        compressed_runtime=compressed_runtime,
        loaded=loaded,
        task=task if (task := folder / TASK).is_file() else None,
    )
