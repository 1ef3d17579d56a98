"""Reader of the configuration: the project's own files, and the overlays of a run laid over them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from quantrift.core.base.errors import ConfigError, nearest, shown
from quantrift.core.base.merge import merged
from quantrift.core.base.yaml_files import line_of, read_yaml
from quantrift.core.settings.part_settings import with_parts
from quantrift.study.datasets.addresses import mirror
from quantrift.study.planning import channels, facets, jobs
from quantrift.study.planning.root import REPORT, Config

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
RESERVED = frozenset({"all", "everything", REPORT, *jobs.RULES, *jobs.SAME})
"""Names that no target may have, as rules have them; those of tables and figures begin with ``table_``, ``figure_``."""
Layers = Sequence[tuple[Path, Mapping[str, Any]]]
"""Files and what they state, in the order in which they are laid on each other."""
ROOT = Path(__file__).resolve().parents[5]
"""The checkout, with the Snakefile and the configuration. To be read only: the package may be installed for many."""


def load(
    folder: Path,
    overlays: Sequence[Path],
    settings: Mapping[str, Any] | None = None,
    named: str = "--config",
) -> Config:
    """The resolved configuration.

    Args:
        folder: the configuration folder with the library files.
        overlays: files laid over the library, in order.
        settings: keys laid over everything.
        named: what errors call these keys.

    Raises:
        ConfigError: one line that names the key, the file, and the nearest valid name.
    """
    stated = [(path, read_yaml(path)) for path in [*(folder / name for name in LIBRARY), *overlays]]
    if settings:
        stated.append((Path(named), dict(settings)))
    layers = [(path, _expanded(path, layer)) for path, layer in stated]
    try:
        config = _resolved(layers)
    except ValidationError as error:
        raise ConfigError(_line(error, layers)) from None
    for mistake in _mistakes(config, layers):
        raise ConfigError(_caused(mistake, layers))
    for name in config.targets:
        if name in RESERVED or name.startswith(("table_", "figure_")):
            mistake = f"targets.{name}: the workflow has a rule of that name; give the target another one"
            raise ConfigError(_named(mistake, layers))
    folders = [*filter(None, [mirror(config.data.mirror)]), Path(config.data.downloads)]
    for mistake in channels.mistakes(config.subjects, config.datasets, config.models.files, folders):
        raise ConfigError(_named(mistake, layers))
    return config


def _resolved(layers: Layers) -> Config:
    whole: dict[str, Any] = {}
    for _, layer in layers:
        whole = merged(whole, with_parts(layer))
    return Config.model_validate(whole)


def _mistakes(config: Config, layers: Layers) -> Iterator[str]:
    """Mistakes in what ``all`` shows and in what overlays state: the library has more than a scale can make."""
    own = [layer for _, layer in layers[len(LIBRARY) :]]
    targets, experiments = ([key for one in own for key in one.get(name, ())] for name in ("targets", "experiments"))
    return config.mistakes([*dict.fromkeys([*config.shown, *targets])], experiments)


def _expanded(path: Path, layer: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return facets.expanded(layer)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None


def overlays(files: Sequence[str | Path], whole: Mapping[str, Any]) -> tuple[list[Path], dict[str, Any]]:
    """The overlay files of a Snakemake run, and the keys that its ``--config`` adds.

    Args:
        files: configuration files as Snakemake knows them.
        whole: Snakemake's merged configuration.

    Raises:
        ConfigError: if a file cannot be read.
    """
    paths = [_relative(Path(file)) for file in files]
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


def _line(error: ValidationError, layers: Layers) -> str:
    """The first mistake as one line."""
    errors = error.errors()
    first = min(errors, key=lambda one: one["type"] != "extra_forbidden")
    loc, kind = first["loc"], first["type"]
    if kind == "extra_forbidden":
        key = ".".join(map(str, _keys(loc)))
        valid = _fields(Config, loc[:-1])
        return f"{_place(loc, layers)}: unknown key '{key}'; {nearest(str(loc[-1]), valid)}"
    message = first["msg"].removeprefix("Value error, ")
    if not loc:
        # Raised by the check of the whole configuration, whose message names the key.
        return _caused(message, layers)
    key = ".".join(map(str, _keys(loc)))
    got = "" if kind in ("missing", "value_error") else f", got {shown(first['input'])}"
    if kind == "union_tag_invalid":
        tag, valid_tags = str(first["ctx"]["tag"]), [str(tag) for tag in first["ctx"]["expected_tags"].split(", ")]
        hint = nearest(tag, [name.strip("'") for name in valid_tags])
        return f"{_place(loc, layers)}: '{key}': unknown kind '{tag}'; {hint}"
    if kind == "missing":
        stated = [_place(loc[:-1], layers)] if len(loc) > 1 else [str(path) for path, _ in layers[len(LIBRARY) :]]
        return f"{', '.join(stated) or 'configuration'}: '{key}' is missing; add it"
    return f"{_place(loc, layers)}: '{key}': {message}{got}"


def _named(mistake: str, layers: Layers) -> str:
    """A mistake that begins with its key, after the place of the key."""
    return f"{_place(tuple(mistake.split(':', 1)[0].split('.')), layers)}: {mistake}"


def _caused(mistake: str, layers: Layers) -> str:
    """A mistake of the whole configuration, after the key of the last overlay without which it would not be there.

    The key that the mistake begins with may stand in a file below, to which an overlay does not fit.
    """
    path, overlay = layers[-1]
    keys: list[str] = []
    inside: Any = overlay
    while isinstance(inside, Mapping):
        found = next(
            (
                key
                for key in sorted(inside, key="all".__eq__)
                if _valid([*layers[:-1], (path, _without(overlay, [*keys, key]))])
            ),
            None,
        )
        if found is None:
            break
        keys.append(found)
        inside = inside[found]
    own = mistake.split(":", 1)[0]
    if not keys or ".".join(keys).startswith(own) or own.startswith(".".join(keys)):
        return _named(mistake, layers)
    return f"{_place(keys, layers[-1:])}: {'.'.join(keys)}: does not go with {mistake}"


def _valid(layers: Layers) -> bool:
    try:
        return not any(_mistakes(_resolved(layers), layers))
    except ValidationError:
        return False


def _without(layer: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """A layer that lacks a key of nested mappings."""
    first, *rest = keys
    return {
        key: _without(value, rest) if key == first else value for key, value in layer.items() if rest or key != first
    }


def _place(loc: Sequence[int | str], layers: Layers) -> str:
    """The file that states what stands at a location, and the line."""
    path = _file(loc, layers)
    line = line_of(path, [str(key) for key in _keys(loc)])
    return f"{path}: line {line}" if line else str(path)


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


def _file(loc: Sequence[int | str], layers: Layers) -> Path:
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
