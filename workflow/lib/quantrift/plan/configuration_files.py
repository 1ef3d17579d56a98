"""Reader of the configuration: the project's own files, and the overlays of a run laid over them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from quantrift.base.errors import ConfigError, nearest, shown
from quantrift.base.merge import merged
from quantrift.base.yaml_files import read_yaml
from quantrift.config.part_settings import with_parts
from quantrift.data.addresses import mirror
from quantrift.plan import channels, facets
from quantrift.plan.root import Config

LIBRARY = (
    "titles.yaml",
    "datasets.yaml",
    "compressions.yaml",
    "tools.yaml",
    "experiments.yaml",
    "findings.yaml",
    "readings.yaml",
    "claims.yaml",
    "questions.yaml",
)
"""Files of the configuration folder that every overlay builds on."""
ROOT = Path(__file__).resolve().parents[4]
"""The checkout, with the Snakefile and the configuration. To be read only: the package may be installed for many."""


def load(folder: Path, overlays: Sequence[Path], settings: Mapping[str, Any] | None = None) -> Config:
    """The resolved configuration.

    Args:
        folder: the configuration folder with the library files.
        overlays: files laid over the library, in order.
        settings: keys from the command line, laid over everything.

    Raises:
        ConfigError: one line that names the key, the file, and the nearest valid name.
    """
    stated = [(path, read_yaml(path)) for path in [*(folder / name for name in LIBRARY), *overlays]]
    if settings:
        stated.append((Path("--config"), dict(settings)))
    layers = [(path, _expanded(path, layer)) for path, layer in stated]
    whole: dict[str, Any] = {}
    for _, layer in layers:
        whole = merged(whole, with_parts(layer))
    try:
        config = Config.model_validate(whole)
    except ValidationError as error:
        raise ConfigError(_line(error, layers)) from None
    folders = [*filter(None, [mirror(config.data.mirror)]), Path(config.data.downloads)]
    for mistake in channels.mistakes(config.subjects, config.datasets, config.models.files, folders):
        raise ConfigError(_named(mistake, layers))
    return config


def _expanded(path: Path, layer: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return facets.expanded(layer)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None


def digest(config: Config) -> str:
    """sha256 of all settings that results depend on: not of folders of data, the engine, or titles of ids."""
    left_out = {"data", "engine", "titles"}
    text = json.dumps(config.model_dump(mode="json", by_alias=True, exclude=left_out), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def overlays(files: Sequence[str | Path], whole: Mapping[str, Any]) -> tuple[list[Path], dict[str, Any]]:
    """The overlay files of a Snakemake run, and the keys that its ``--config`` adds.

    Args:
        files: configuration files as Snakemake knows them.
        whole: Snakemake's merged configuration.

    Raises:
        ConfigError: if a file cannot be read, or none is named.
    """
    paths = [_relative(Path(file)) for file in files]
    if not paths:
        raise ConfigError("no configuration file is named; add --configfile config/config.yaml")
    stated: dict[str, Any] = {}
    for path in paths:
        stated = _as_snakemake_merges(stated, read_yaml(path))
    return paths, _beyond(stated, whole)


def _as_snakemake_merges(base: Any, over: Any) -> Any:
    """One mapping laid on another key by key, as Snakemake does it."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{key: _as_snakemake_merges(base.get(key), value) for key, value in over.items()}}
    return over


def _beyond(stated: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a whole configuration that its files do not state, or state otherwise."""
    found: dict[str, Any] = {}
    for key, value in whole.items():
        if key not in stated:
            found[key] = value
        elif stated[key] != value:
            both = isinstance(stated[key], Mapping) and isinstance(value, Mapping)
            found[key] = _beyond(stated[key], value) if both else value
    return found


def _relative(path: Path) -> Path:
    """The path relative to the working folder where it lies below it, else as it is."""
    here = Path.cwd()
    return path.resolve().relative_to(here) if path.resolve().is_relative_to(here) else path


def _line(error: ValidationError, layers: Sequence[tuple[Path, Mapping[str, Any]]]) -> str:
    """The first mistake as one line."""
    errors = error.errors()
    first = min(errors, key=lambda one: one["type"] != "extra_forbidden")
    loc, kind = first["loc"], first["type"]
    if kind == "extra_forbidden":
        key = ".".join(map(str, _keys(loc)))
        valid = _fields(Config, loc[:-1])
        return f"{_file(loc, layers)}: unknown key '{key}'; {nearest(str(loc[-1]), valid)}"
    message = first["msg"].removeprefix("Value error, ")
    if not loc:
        # Raised by the check of the whole configuration, whose message names the key.
        return _named(message, layers)
    key = ".".join(map(str, _keys(loc)))
    got = "" if kind in ("missing", "value_error") else f", got {shown(first['input'])}"
    if kind == "union_tag_invalid":
        tag, valid_tags = str(first["ctx"]["tag"]), [str(tag) for tag in first["ctx"]["expected_tags"].split(", ")]
        hint = nearest(tag, [name.strip("'") for name in valid_tags])
        return f"{_file(loc, layers)}: '{key}': unknown kind '{tag}'; {hint}"
    if kind == "missing":
        stated = [str(_file(loc[:-1], layers))] if len(loc) > 1 else [str(path) for path, _ in layers[len(LIBRARY) :]]
        return f"{', '.join(stated) or 'configuration'}: '{key}' is missing; add it"
    return f"{_file(loc, layers)}: '{key}': {message}{got}"


def _named(mistake: str, layers: Sequence[tuple[Path, Mapping[str, Any]]]) -> str:
    """A mistake that begins with its key, after the file that has it."""
    return f"{_file(tuple(mistake.split(':', 1)[0].split('.')), layers)}: {mistake}"


def _keys(loc: Iterable[int | str]) -> Iterator[int | str]:
    """An error's location without the tags of unions, which pydantic adds."""
    model: Any = Config
    for step in loc:
        choices = _choices(model)
        if step in choices:
            model = choices[str(step)]
            continue
        if len(_members(model)) > 1:
            # Alternatives that pydantic tried for a key that takes, say, a number or a word.
            model = None
            continue
        yield step
        model = _inside(model, step)


def _fields(model: Any, loc: Iterable[int | str]) -> list[str]:
    """Names of the keys that are valid at a location."""
    for step in loc:
        choices = _choices(model)
        model = choices[str(step)] if step in choices else _inside(model, step)
    if isinstance(model, type) and issubclass(model, BaseModel):
        return [field.alias or name for name, field in model.model_fields.items()]
    return []


def _bare(annotation: Any) -> Any:
    """A type without ``Annotated``."""
    while hasattr(annotation, "__metadata__"):
        annotation = annotation.__origin__
    return annotation


def _members(model: Any) -> list[Any]:
    """Member types of a union, without None; empty for any other type."""
    model = _bare(model)
    if get_origin(model) is not Union and type(model).__name__ != "UnionType":
        return []
    return [choice for choice in map(_bare, get_args(model)) if choice is not type(None)]


def _choices(model: Any) -> dict[str, Any]:
    """Tag -> model of a union of models told apart by ``kind``, or name -> model of a plain union."""
    found: dict[str, Any] = {}
    for choice in _members(model):
        if isinstance(choice, type) and issubclass(choice, BaseModel):
            kind = choice.model_fields.get("kind")
            for tag in get_args(kind.annotation) if isinstance(kind, FieldInfo) else (choice.__name__,):
                found[tag] = choice
    return found


def _inside(model: Any, step: int | str) -> Any:
    """The type that stands under a key of a model, mapping or list."""
    model = _bare(model)
    if isinstance(model, type) and issubclass(model, BaseModel):
        for name, field in model.model_fields.items():
            if step in (name, field.alias):
                return field.annotation
        return _inside(get_type_hints(model).get("__pydantic_extra__"), step)
    arguments = get_args(model)
    return arguments[-1] if arguments else None


def _file(loc: Sequence[int | str], layers: Sequence[tuple[Path, Mapping[str, Any]]]) -> Path:
    """The last layer that reaches furthest along a location."""
    keys = list(_keys(loc)) if loc else []

    def depth(layer: Any) -> int:
        reached = 0
        for key in keys:
            if not isinstance(layer, Mapping) or key not in layer:
                break
            layer, reached = layer[key], reached + 1
        return reached

    return max(reversed(layers), key=lambda one: depth(one[1]))[0]
