"""Reader of the configuration: the project's own files, and the overlays of a run laid over them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from quantrift.core.base.errors import ConfigError, nearest, shown
from quantrift.core.base.merge import merged
from quantrift.core.base.yaml_files import line_of, read_yaml
from quantrift.study.datasets.addresses import mirror
from quantrift.study.planning import abbreviations, checks, facets, jobs
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
        config = Config.model_validate(_laid(layers))
    except ValidationError as error:
        raise ConfigError(_line(error, layers)) from None
    for mistake in _mistakes(config, layers):
        raise ConfigError(_caused(mistake, layers))
    folders = [*filter(None, [mirror(config.data.mirror)]), Path(config.data.downloads)]
    rules = [name for name in config.targets if name in RESERVED or name.startswith(("table_", "figure_"))]
    of_rules = [f"targets.{name}: the workflow has a rule of that name; give the target another one" for name in rules]
    for mistake in (*of_rules, *checks.channels(config.subjects, config.datasets, config.models.files, folders)):
        raise ConfigError(_named(mistake, layers))
    return config


def _laid(layers: Layers) -> dict[str, Any]:
    """All layers on each other, as YAML states them."""
    whole: dict[str, Any] = {}
    for _, layer in layers:
        whole = merged(whole, abbreviations.with_parts(layer))
    return whole


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
    from snakemake.utils import update_config

    here = Path.cwd()
    found = (Path(file).resolve() for file in files)
    paths = [path.relative_to(here) if path.is_relative_to(here) else path for path in found]
    stated: dict[str, Any] = {}
    for path in paths:
        update_config(stated, read_yaml(path))
    return paths, _beyond(stated, whole)


def _beyond(stated: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a whole configuration that its files do not state, or state otherwise."""
    others = {key: value for key, value in whole.items() if key not in stated or stated[key] != value}
    return {
        key: _beyond(stated[key], own) if isinstance(stated.get(key), Mapping) and isinstance(own, Mapping) else own
        for key, own in others.items()
    }


def _line(error: ValidationError, layers: Layers) -> str:
    """The first mistake as one line; unknown keys come first."""
    first = min(error.errors(), key=lambda one: one["type"] != "unknown_key")
    kind, message = first["type"], first["msg"].removeprefix("Value error, ")
    if not first["loc"] and kind != "unknown_key":
        # Raised by the check of the whole configuration, whose message names the key.
        return _caused(message, layers)
    keys = _keys(first["loc"], layers)
    if kind == "missing":
        keys = [*_keys(first["loc"][:-1], layers), str(first["loc"][-1])]
        own = [str(path) for path, _ in layers[len(LIBRARY) :]]
        stated = ", ".join(own if len(keys) == 1 else [_place(keys[:-1], layers)])
        return f"{stated or 'configuration'}: '{'.'.join(keys)}' is missing; add it"
    if kind == "unknown_key":
        keys.append(first["ctx"]["key"])
        return f"{_place(keys, layers)}: unknown key '{'.'.join(keys)}'; {first['ctx']['hint']}"
    got = "" if kind == "value_error" else f", got {shown(first['input'])}"
    if kind == "union_tag_invalid":
        tag, valid = str(first["ctx"]["tag"]), first["ctx"]["expected_tags"].replace("'", "").split(", ")
        message, got = f"unknown kind '{tag}'; {nearest(tag, valid)}", ""
    return f"{_place(keys, layers)}: '{'.'.join(keys)}': {message}{got}"


def _keys(loc: Iterable[int | str], layers: Layers) -> list[str]:
    """Keys that lead to an error's location, without the tags of unions that pydantic adds."""
    inside: Any = abbreviations.in_full(_laid(layers))
    keys = []
    for step in loc:
        try:
            inside = inside[step]
        except (KeyError, TypeError, IndexError):
            continue
        keys.append(str(step))
    return keys


def _named(mistake: str, layers: Layers) -> str:
    """A mistake that begins with its key, after the place of the key."""
    return f"{_place(mistake.split(':', 1)[0].split('.'), layers)}: {mistake}"


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
        return not any(_mistakes(Config.model_validate(_laid(layers)), layers))
    except ValidationError:
        return False


def _without(layer: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """A layer that lacks a key of nested mappings."""
    first, *rest = keys
    return {
        key: _without(value, rest) if key == first else value for key, value in layer.items() if rest or key != first
    }


def _place(keys: Sequence[str], layers: Layers) -> str:
    """The last file that reaches furthest along some keys, and the line."""
    path, _ = max(reversed(layers), key=lambda one: _depth(one[1], keys))
    line = line_of(path, keys)
    return f"{path}: line {line}" if line else str(path)


def _depth(layer: Any, keys: Sequence[str]) -> int:
    """Keys, of those that lead into a layer one after the other, that are there."""
    there = bool(keys) and isinstance(layer, Mapping) and keys[0] in layer
    return 1 + _depth(layer[keys[0]], keys[1:]) if there else 0
