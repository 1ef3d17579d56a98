"""Inputs and outputs of a file by name: chosen by a user, and matched between two networks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError, refuse
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


@dataclass(frozen=True)
class Ends:
    """All inputs and outputs of a file, in its order."""

    inputs: Sequence[NamedInput]
    outputs: Sequence[str]
    """By the names by which users know them."""


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


ALL = ChosenOutputs()
"""Nothing was chosen."""


def chosen_inputs(path: Path, inputs: Sequence[NamedInput], change: str) -> list[str]:
    """Names of a network's inputs, the one that searches change first.

    Args:
        path: for messages.
        inputs: of its file.
        change: name that a user gave, with or without what converters add to it.

    Raises:
        QuantriftError: there is one input alone, or none of that name.
    """
    listed = ", ".join(f"'{plain(one.name)}'" for one in inputs)
    refuse((len(inputs) < 2, f"{path}: has one input, {listed}, and no others to carry along; leave out --change"))
    same = _same([one.name for one in inputs], change)
    if same is None:
        raise QuantriftError(f"{path}: has no input '{change}' to change; name one of {listed} with --change")
    return [same, *(one.name for one in inputs if one.name != same)]


def matched_inputs(path: Path, inputs: Sequence[NamedInput], wanted: Sequence[NamedInput]) -> tuple[list[str], str]:
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
        lambda one: None if one.place is None else (one.place, one.sides),
    ]
    by_place = 0
    for way in ways:
        before, left = len(found), [one for one in inputs if one.name not in found.values()]
        without = [one for one in wanted if one.name not in found]
        for one in (one for one in without if way(one) is not None):
            fitting = [other.name for other in left if way(other) == way(one)]
            if len(fitting) == 1 and [way(other) for other in without].count(way(one)) == 1:
                found[one.name] = fitting[0]
        # The last way counts.
        by_place = len(found) - before
    listed, of_original = (", ".join(f"'{plain(one.name)}' {one.shape}" for one in both) for both in (inputs, wanted))
    named = all(one.named for one in inputs)
    say = "export it with the names of the original" if named else "give the .pt2 file that it was made of as original"
    refuse(
        (
            len(found) < len(wanted) or len(inputs) != len(wanted),
            f"{path}: its inputs {listed} are not those of the original, {of_original}, neither by name nor by shape; "
            f"{say}",
        ),
    )
    other = [f"'{new}' is '{plain(old)}'" for old, new in found.items() if plain(old) != plain(new)]
    order = ", and by the order of arguments where shapes are the same" if by_place else ""
    how = f"by shape where names differ{order} ({', '.join(other)})" if other else "by name"
    return [found[one.name] for one in wanted], how


def chosen_outputs(path: Path, outputs: Sequence[str], wanted: Sequence[str]) -> ChosenOutputs:
    """The outputs of a file, ``path``, that a user named, with or without what converters add to their names.

    Raises:
        QuantriftError: there is none of a name.
    """
    found = [_same(outputs, name) for name in wanted]
    refuse(
        *(
            (one is None, f"{path}: has no output '{name}'; name one of {_listed(outputs)} with --output")
            for name, one in zip(wanted, found, strict=True)
        )
    )
    return ChosenOutputs(tuple(filter(None, found)), tuple(outputs))


def matched_outputs(path: Path, outputs: Sequence[str], wanted: ChosenOutputs) -> tuple[ChosenOutputs, str]:
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
        names = tuple(outputs[wanted.among.index(name)] for name in wanted.names)
        return ChosenOutputs(names, tuple(outputs)), "by their order, as names differ"
    missing = [name for name, one in zip(wanted.names, found, strict=True) if one is None]
    raise QuantriftError(
        f"{path}: has outputs {_listed(outputs) or 'of no name'}, and none that stands for {_listed(missing)} of the "
        f"original by its name or, beside {len(wanted.among)} outputs there, by its order; export it with the names of "
        "the original's outputs"
    )


def _same(outputs: Sequence[str], name: str) -> str | None:
    """The input or output of a name, or the only one of that name without what converters add."""
    same = [one for one in outputs if one == name] or [one for one in outputs if plain(one) == plain(name)]
    return same[0] if len(same) == 1 else None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{plain(one)}'" for one in names)
