"""JSON schemas for editors and programs: of an overlay, ``config.json``, and of rows of a board, ``board.json``."""

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from quantrift.core.base.files import write_file
from quantrift.core.networks import runtime
from quantrift.study.board.row import Row
from quantrift.study.planning.root import Config


def complete() -> dict[str, Any]:
    """Schema of a configuration with everything that it needs."""
    whole = Config.model_json_schema(by_alias=True)
    for one in whole["$defs"].values():
        if own := one.get("properties", {}).get("original_runtime"):
            # Found by folder, which the type does not say; pydantic sorts keys too.
            stated = {**own, "enum": list(runtime.names_for_trained())}
            one["properties"]["original_runtime"] = dict(sorted(stated.items()))
    return whole


def schema() -> dict[str, Any]:
    """Schema of one overlay. Only ``scale`` is required, since an overlay states only what it changes."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_optional(complete()), "required": ["scale"]}


def texts() -> dict[str, str]:
    """Name of a file -> the schema as it is committed."""
    board = TypeAdapter(Row).json_schema()
    return {f"{name}.json": json.dumps(one, indent=1) + "\n" for name, one in (("config", schema()), ("board", board))}


def write(folder: Path) -> None:
    """Write the schemas to a folder."""
    for name, text in texts().items():
        write_file(folder / name, text)


def _optional(value: Any) -> Any:
    """A schema without required keys. An overlay without a ``kind`` fits several kinds, so that any of them is
    accepted.
    """
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if key != "required" or not isinstance(item, list)}
        return {"anyOf" if key == "oneOf" else key: _optional(item) for key, item in kept.items()}
    return [_optional(item) for item in value] if isinstance(value, list) else value
