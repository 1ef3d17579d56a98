"""Inputs of a file by name: chosen by a user, and matched between two networks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import plain


@dataclass(frozen=True)
class NamedInput:
    """One input of a file."""

    name: str
    """By which users know it."""
    shape: tuple[int, ...]
    """For one input; -1 for sides that are open."""
    place: int | None = None
    """Its place among the arguments of ``forward``, which files of PyTorch keep; ``None`` where nothing tells it."""
    named: bool = True
    """Whether the file has the name; else it was made of the place."""

    @property
    def sides(self) -> list[int]:
        """Sides longer than 1, sorted, which the order of axes does not change."""
        return sorted(side for side in self.shape if side != 1)

    @property
    def argument(self) -> tuple[int, list[int]] | None:
        """Place among the arguments of ``forward`` and sides; ``None`` where nothing tells the place."""
        return None if self.place is None else (self.place, self.sides)


def chosen(path: Path, inputs: Sequence[NamedInput], change: str) -> list[str]:
    """Names of a network's inputs, the one that searches change first.

    Args:
        path: for messages.
        inputs: of its file.
        change: name that a user gave, with or without what converters add to it.

    Raises:
        QuantriftError: there is one input alone, or none of that name.
    """
    listed = ", ".join(f"'{plain(one.name)}'" for one in inputs)
    if len(inputs) < 2:
        raise QuantriftError(f"{path}: has one input, {listed}, and no others to carry along; leave out --change")
    same = [one.name for one in inputs if one.name == change] or [
        one.name for one in inputs if plain(one.name) == plain(change)
    ]
    if len(same) != 1:
        raise QuantriftError(f"{path}: has no input '{change}' to change; name one of {listed} with --change")
    return [*same, *(one.name for one in inputs if one.name != same[0])]


def matched(path: Path, inputs: Sequence[NamedInput], wanted: Sequence[NamedInput]) -> tuple[list[str], str]:
    """Names of a compressed network's inputs in the order of the original's, and how they were matched.

    Inputs of one name are the same; then those whose names are the same without what converters add; then those that
    alone on either side have their shape, whatever the order of its axes; then, of files of PyTorch, those of one shape
    at one place among the arguments.

    Args:
        path: of the compressed network, for messages.
        inputs: of its file.
        wanted: of the original, the one that searches change first.

    Raises:
        QuantriftError: they do not fit each other.
    """
    found: dict[str, str] = {}
    ways: list[Callable[[NamedInput], object]] = [
        lambda one: (one.name, one.named),
        lambda one: (plain(one.name), one.named),
        lambda one: one.sides,
        lambda one: one.argument,
    ]
    by_place = 0
    for way in ways:
        left = [one for one in inputs if one.name not in found.values()]
        without = [one for one in wanted if one.name not in found]
        before = len(found)
        for one in (one for one in without if way(one) is not None):
            fitting = [other.name for other in left if way(other) == way(one)]
            if len(fitting) == 1 and [way(other) for other in without].count(way(one)) == 1:
                found[one.name] = fitting[0]
        # The last way counts.
        by_place = len(found) - before
    if len(found) < len(wanted) or len(inputs) != len(wanted):
        listed, of_original = (
            ", ".join(f"'{plain(one.name)}' {one.shape}" for one in both) for both in (inputs, wanted)
        )
        named = all(one.named for one in inputs)
        say = (
            "export it with the names of the original"
            if named
            else "give the .pt2 file that it was made of as original"
        )
        raise QuantriftError(
            f"{path}: its inputs {listed} are not those of the original, {of_original}, neither by name nor by shape; "
            f"{say}"
        )
    other = [f"'{new}' is '{plain(old)}'" for old, new in found.items() if plain(old) != plain(new)]
    order = ", and by the order of arguments where shapes are the same" if by_place else ""
    how = f"by shape where names differ{order} ({', '.join(other)})" if other else "by name"
    return [found[one.name] for one in wanted], how
