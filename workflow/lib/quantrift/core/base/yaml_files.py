"""Reading of YAML configuration files; a key that stands twice in a mapping is refused."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from quantrift.core.base.errors import ConfigError

MOST = 200_000
"""Most values of a file, aliases counted each time."""


class _Loader(Composer, yaml.CSafeLoader):
    """PyYAML's safe loader on libyaml's parser, which is many times faster than PyYAML's own.

    By itself it would silently keep the last of equal keys, and take a key like ``1``, ``on`` or ``2001-01-01`` for a
    number, a truth value or a date.
    """

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)

    # The check comes before construction: '<<' then adds keys to the nodes, which may stand twice.
    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                shown, line = " ".join(key.value.split()), key.start_mark.line + 1
                if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                    raise ConfigError(f"line {line}: the key {shown} is no text; put it in quotes")
                if (key.tag, key.value) in lines:
                    raise ConfigError(
                        f"line {line}: '{shown}' stands twice in one mapping, first in line "
                        f"{lines[key.tag, key.value]}; remove or rename one of them"
                    )
                lines[key.tag, key.value] = line
        return node


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file.

    Raises:
        ConfigError: if the file is missing, not YAML, no mapping, states a key twice, or one that is no text.
    """
    try:
        value = _Loader(path.read_text(encoding="utf-8")).get_single_data()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); name an existing configuration file") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    # PyYAML raises various exceptions on impossible dates, broken tags and deep nesting.
    except Exception as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}; correct it there") from None
    if _values(value, {}) > MOST:
        raise ConfigError(f"{path}: aliases in it stand for more than {MOST:,} values; write out what is meant")
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected 'key: value' lines at top level, got {type(value).__name__}")
    return value


def line_of(path: Path, keys: Sequence[str]) -> int | None:
    """The line of a YAML file, from 1, in which a key of nested mappings stands, or the last of its parents that does.

    None where not even the first stands there, or the file cannot be read.
    """
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    except (OSError, yaml.YAMLError):
        return None
    line = None
    for wanted in keys:
        found = node.value if isinstance(node, yaml.MappingNode) else []
        at = next((pair for pair in found if pair[0].value == wanted), None)
        if at is None:
            break
        line, node = at[0].start_mark.line + 1, at[1]
    return line


def _values(value: Any, known: dict[int, int]) -> int:
    """Number of values in ``value``; ``known``: counted values, by identity."""
    if id(value) in known:
        return known[id(value)]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    # A value that holds itself would never end.
    known[id(value)] = MOST + 1
    known[id(value)] = 1 + sum(_values(one, known) for one in inside)
    return known[id(value)]
