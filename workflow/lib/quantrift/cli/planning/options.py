"""Options and configuration of commands on runs of the workflow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quantrift.core.base.errors import check_name, refuse
from quantrift.core.settings.searches import Tool
from quantrift.study.planning import configuration_files
from quantrift.study.planning.root import Config


def of_run(configuration: str, rates: str) -> dict[str, dict[str, Any]]:
    """Options of a configuration and a file of rates, with these help texts."""
    of_files = {"type": Path, "metavar": "FILE"}
    several = {"required": True, "nargs": "+", "help": f"{configuration}; later files are laid over earlier ones"}
    return {"--configfile": of_files | several, "--rates": of_files | {"help": rates}}


def configuration(files: Sequence[Path]) -> Config:
    """The configuration of some files.

    Raises:
        QuantriftError: one of them does not exist, or the configuration has a mistake.
    """
    for file in files:
        refuse((not file.exists(), f"--configfile: {file} does not exist; put other arguments before --configfile"))
    return configuration_files.load(configuration_files.ROOT / "config", files)


def tool_of(name: str, configfile: Path | None) -> Tool:
    """A tool of the demo's configuration, or of a file that is laid over it.

    Raises:
        QuantriftError: there is none of that id.
    """
    folder = configuration_files.ROOT / "config"
    tools = configuration_files.load(folder, [folder / "config.yaml", *filter(None, [configfile])]).tools
    check_name(f"unknown tool '{name}'", name, tools)
    return tools[name]
