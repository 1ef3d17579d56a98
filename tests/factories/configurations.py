"""Configurations of the project, as its files state them or with changes."""

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from tests.factories.places import CONFIG

from quantrift.study.datasets.addresses import MIRROR
from quantrift.study.planning.configuration_files import load
from quantrift.study.planning.root import Config


def of_scale(name: str = "config", **settings: Any) -> Config:
    """The configuration of ``config/<name>.yaml``, the demo's by default, with settings as on the command line.

    It is read once for all tests of a process, so none may change it.
    """
    return _of_scale(name, json.dumps(settings, sort_keys=True), os.environ.get(MIRROR))


@cache
def _of_scale(name: str, settings: str, mirror: str | None) -> Config:
    return load(CONFIG, [CONFIG / f"{name}.yaml"], json.loads(settings))


def overlay(folder: Path, content: dict[str, Any]) -> Path:
    """Write an overlay, ``<folder>/mine.yaml``, of scale ``mine`` where it names none; its keys keep their order."""
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump({"scale": "mine"} | content, sort_keys=False))
    return path


def overlaid(folder: Path, content: dict[str, Any], name: str = "config") -> Config:
    """The configuration of ``config/<name>.yaml`` with an overlay, written to ``folder``, over it."""
    return load(CONFIG, [CONFIG / f"{name}.yaml", overlay(folder, content)])


def digest(config: Config) -> str:
    """sha256 of all settings that results depend on: not of folders of data, the engine, or titles of ids."""
    left_out = {"data", "engine", "titles"}
    text = json.dumps(config.model_dump(mode="json", by_alias=True, exclude=left_out), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def tool(name: str) -> dict[str, Any]:
    """Settings of a tool of the demo, as a search job is given them."""
    return of_scale().tools[name].model_dump(mode="json")
