"""Templates of entries in the configuration: a key with placeholders, and their values under ``each``.

``rq_{data}: {each: {data: [mnist, cifar]}, subjects: "all_{data}"}`` is two entries, ``rq_mnist`` and ``rq_cifar``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from quantrift.core.base.errors import nearest, shown
from quantrift.core.base.merge import merged
from quantrift.core.settings.fields import refuse

SECTIONS = (
    "compressions",
    "calibrations",
    "tools",
    "subjects",
    "protocols",
    "experiments",
    "targets",
    "bit_studies",
)
"""Sections whose entries may be templates. Datasets and networks may not: jobs read the paths of their files from
Snakemake's own merged configuration, key by key."""
EACH = "each"
PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def expanded(layer: Mapping[str, Any]) -> dict[str, Any]:
    """A layer of configuration with every entry written out, in order, so that a later layer can change a single one.

    A row of ``each`` is one entry. Its values replace their names in braces within texts. A text that is one name in
    braces and nothing else becomes the value itself, also a list or a mapping. A key of a row that no placeholder names
    is a setting of that entry alone, laid over the settings that all entries share.

    Raises:
        ValueError: one line that begins with the key.
    """
    return {
        name: _written_out(name, section) if name in SECTIONS and isinstance(section, Mapping) else section
        for name, section in layer.items()
    }


def _written_out(section: str, entries: Mapping[Any, Any]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    origins: dict[Any, Any] = {}
    for key, own in entries.items():
        for name, entry in _entries(f"{section}.{key}", key, own):
            if name in made:
                raise ValueError(
                    f"{section}.{key}: it makes '{name}', and so does '{origins[name]}'; state each entry once"
                )
            made[name], origins[name] = entry, key
    return made


def _entries(where: str, key: Any, own: Any) -> Iterator[tuple[Any, Any]]:
    """Id and settings of each entry that one key of a section stands for."""
    in_key = _named(key) if isinstance(key, str) else {}
    each = own.get(EACH) if isinstance(own, Mapping) else None
    no_values = f"{where}: placeholder {{{next(iter(in_key), '')}}} has no values; add them under '{EACH}'"
    no_name = f"{where}.{EACH}: the key has no placeholder, so all entries would be one; add one in braces"
    refuse({no_values: in_key and each is None, no_name: not in_key and each is not None})
    if each is None:
        yield key, own
        return
    shared = {name: value for name, value in own.items() if name != EACH}
    placeholders = in_key | _named(own)
    for row in _rows(f"{where}.{EACH}", each):
        alone = {name: value for name, value in row.items() if name not in placeholders}
        unknown = [name for name in in_key | _named(shared) | _named(alone) if name not in row]
        refuse({f"{where}: unknown placeholder {{{name}}}; {nearest(name, row)}": True for name in unknown})
        yield _text(where, key, row), merged(_filled(where, shared, row), _filled(where, alone, row))


def _rows(where: str, each: Any) -> list[dict[str, Any]]:
    """Values of the placeholders for each entry, stated entry by entry, or placeholder by placeholder."""
    if isinstance(each, Mapping) and each and all(isinstance(column, list) for column in each.values()):
        lengths = {name: len(column) for name, column in each.items()}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise ValueError(f"{where}: the lists must have the same length, got {counts}; complete them")
        each = [dict(zip(each, values, strict=True)) for values in zip(*each.values(), strict=True)]
    if not isinstance(each, list) or not each or not all(isinstance(row, Mapping) for row in each):
        raise ValueError(
            f"{where}: expected a mapping for each entry, or a list for each placeholder, got {shown(each)}"
        )
    return [dict(row) for row in each]


def _named(value: Any) -> dict[str, None]:
    """Names of the placeholders within a value, in order, each once."""
    if isinstance(value, str):
        return dict.fromkeys(PLACEHOLDER.findall(value))
    inside = [*value, *value.values()] if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return {name: None for one in inside for name in _named(one)}


def _filled(where: str, value: Any, row: Mapping[str, Any]) -> Any:
    """A value with its placeholders replaced; keys of mappings are texts too."""
    if isinstance(value, Mapping):
        return {_text(where, key, row): _filled(where, one, row) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(where, one, row) for one in value]
    if isinstance(value, str) and (whole := PLACEHOLDER.fullmatch(value)):
        return row[whole[1]]
    return _text(where, value, row)


def _text(where: str, value: Any, row: Mapping[str, Any]) -> Any:
    if not isinstance(value, str):
        return value

    def word(found: re.Match[str]) -> str:
        stands = row[found[1]]
        if isinstance(stands, bool) or not isinstance(stands, str | int | float):
            raise ValueError(
                f"{where}: {found[0]} stands within a text, '{value}', and is {shown(stands)}; give a word or a number"
            )
        return str(stands)

    return PLACEHOLDER.sub(word, value)
