"""Input and output of a compression method: the original, and the compressed network."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quantrift.core.base.files import read_json
from quantrift.core.settings.networks import Networks

if TYPE_CHECKING:
    import keras


@dataclass(frozen=True)
class Original:
    """A network as training left it, or as it was taken over from a file."""

    folder: Path
    """Holds model.keras, twin.keras, original.tflite and model.json."""

    @cached_property
    def network(self) -> "keras.Model":
        """The network as published, with its 3-D convolutions if it has any; from inputs to logits."""
        return _read(self.folder / "model.keras")

    @cached_property
    def twin(self) -> "keras.Model":
        """Its 2-D twin, whose layers all exist in 8 bits; the same function."""
        return _read(self.folder / "twin.keras")

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Content of model.json."""
        return dict(read_json(self.folder / "model.json"))

    @property
    def trained_here(self) -> bool:
        """Whether it can be built anew and has a twin of its own making; a network from a file cannot."""
        return self.facts["model"] in Networks.model_fields


def _read(file: Path) -> "keras.Model":
    # Methods name this module's types, and they are read with the configuration.
    from quantrift.core.networks.keras_files import load

    return load(file)


@dataclass(frozen=True)
class Compressed:
    """Result of a method."""

    content: bytes
    """A .tflite file from float32 inputs to float32 logits, with an open batch."""
    weight_bits: int | None = None
    """Bits that its weights need by the method, where the file holds them in a wider type; all layers, biases too."""
    facts: dict[str, Any] = field(default_factory=dict)
    """More facts, like its sparsity; stands in compression.json."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Content of other files of it, by name."""
