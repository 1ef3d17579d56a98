"""Outputs of a file by name: chosen by a user, and matched between two networks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import plain


@dataclass(frozen=True)
class ChosenOutputs:
    """Outputs of a network that are compared, among all that it has."""

    names: tuple[str, ...] = ()
    """As the file has them; none where nothing was chosen."""
    among: tuple[str, ...] = ()
    """All outputs of the file, in its order."""

    @property
    def titles(self) -> list[str]:
        """The chosen names without what converters add."""
        return [plain(name) for name in self.names]

    @property
    def places(self) -> list[int]:
        """Places of the chosen outputs among all."""
        return [self.among.index(name) for name in self.names]


ALL = ChosenOutputs()
"""Nothing was chosen."""


def chosen(path: Path, outputs: Sequence[str], wanted: Sequence[str]) -> ChosenOutputs:
    """The outputs of a file, ``path``, that a user named, with or without what converters add to their names.

    Raises:
        QuantriftError: there is none of a name.
    """
    return ChosenOutputs(tuple(_found(path, outputs, name) for name in wanted), tuple(outputs))


def matched(path: Path, outputs: Sequence[str], wanted: ChosenOutputs) -> tuple[ChosenOutputs, str]:
    """The outputs of a compressed network that stand for those chosen of the original, and how they were matched.

    Outputs of one name are the same. Where a name is not there, a network's only output stands for the only one that
    was chosen; else those of one place do, if both networks have as many outputs.

    Args:
        path: of the compressed network, for messages.
        outputs: of its file.
        wanted: of the original.

    Raises:
        QuantriftError: they do not fit each other.
    """
    found = [_same(outputs, name) for name in wanted.names]
    known = tuple(one for one in found if one is not None)
    if len(known) == len(found):
        return ChosenOutputs(known, tuple(outputs)), "by name"
    if len(outputs) == len(wanted.names) == 1:
        return ChosenOutputs(tuple(outputs), tuple(outputs)), "as it has no other"
    if len(outputs) == len(wanted.among):
        names = tuple(outputs[place] for place in wanted.places)
        return ChosenOutputs(names, tuple(outputs)), "by their order, as names differ"
    missing = [name for name, one in zip(wanted.names, found, strict=True) if one is None]
    raise QuantriftError(
        f"{path}: has outputs {_listed(outputs) or 'of no name'}, and none that stands for {_listed(missing)} of the "
        f"original by its name or, beside {len(wanted.among)} outputs there, by its order; export it with the names of "
        "the original's outputs"
    )


def _found(path: Path, outputs: Sequence[str], name: str) -> str:
    found = _same(outputs, name)
    if found is None:
        raise QuantriftError(f"{path}: has no output '{name}'; name one of {_listed(outputs)} with --output")
    return found


def _same(outputs: Sequence[str], name: str) -> str | None:
    """The output of a name, or the only one of that name without what converters add."""
    same = [one for one in outputs if one == name] or [one for one in outputs if plain(one) == plain(name)]
    return same[0] if len(same) == 1 else None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{plain(one)}'" for one in names)
