"""Files of the network that a benchmark measures."""

from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.paths import COMPRESSED, ORIGINAL, Paths
from quantrift.study.planning.root import Config
from quantrift.study.planning.work import subjects

COMPRESSION = "ptq_int8"


@dataclass(frozen=True)
class Files:
    """A network, its inputs, and its form in 8 bits."""

    inputs: Path
    twin: Path
    original: Path
    compressed: Path

    @staticmethod
    def of(model: str, config: Config, paths: Paths, compression: str = COMPRESSION) -> "Files":
        """Files of the first subject of the configuration with ``model`` and a compression, in 8 bits by default.

        Raises:
            QuantriftError: if there is none.
        """
        datasets = _datasets(model, config, compression)
        if not datasets:
            raise QuantriftError(f"no subject of this scale is {model} with {compression}; add one")
        folder = paths.model(datasets[0], model)
        return Files(
            inputs=paths.inputs(datasets[0], model),
            twin=folder / "twin.keras",
            original=folder / ORIGINAL,
            compressed=paths.compressed(datasets[0], model, compression) / COMPRESSED,
        )

    @staticmethod
    def exists(model: str, config: Config, compression: str = COMPRESSION) -> bool:
        """Whether the configuration has such a subject."""
        return bool(_datasets(model, config, compression))


def _datasets(model: str, config: Config, compression: str) -> list[str]:
    found = (one for group in config.subjects for one in subjects(config, group))
    return [one.dataset for one in found if (one.model, one.compression) == (model, compression)]
