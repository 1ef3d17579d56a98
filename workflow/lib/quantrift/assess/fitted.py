"""The inputs of a user as networks take them: axes in order, on the scale that they were made for."""

from collections.abc import Sequence
from pathlib import Path

from quantrift.assess.given import Arrays
from quantrift.assess.layout import channels_last
from quantrift.assess.networks import Ready
from quantrift.assess.quantized_input import input_range
from quantrift.assess.scaling import Said, scaled


def fitted(arrays: Arrays, file: Path, original: Ready, compressed: Sequence[Ready]) -> Said:
    """Inputs that can be searched, and what was found out about them.

    Args:
        arrays: what was given.
        file: where it comes from, for messages.
        original: the network.
        compressed: versions of it, which take the same inputs.

    Raises:
        QuantriftError: the inputs do not fit the networks.
    """
    values, layout = channels_last(arrays.values, original.network.input_shape, str(file), original.given.name)
    ready = {one.path: one.given.name for one in (original, *compressed)}
    expected = {name: found for path, name in ready.items() if (found := input_range(path))}
    names, classes = arrays.class_names, original.network.classes
    class_names = names if names and len(names) == classes else [str(number) for number in range(classes)]
    said = scaled(values, arrays.labels, class_names, original.network, expected, file)
    return Said(said.inputs, [*arrays.assumed, layout, *said.assumed])
