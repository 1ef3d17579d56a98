"""Numbers of inputs of datasets, as far as the configuration alone tells."""

from math import ceil

from quantrift.core.settings.model_files import ModelFile
from quantrift.core.settings.scene_networks import SceneSplit
from quantrift.study.planning.root import Config


def inputs(config: Config, dataset: str, model: str) -> tuple[int, int] | None:
    """Training and test inputs of a network on a dataset, to within the rounding of splits; None where unknown."""
    settings = config.datasets[dataset]
    if settings.labelled_pixels is not None:
        return _split(settings.labelled_pixels, config, dataset, model)
    return settings.split_sizes


def _split(labelled: int, config: Config, dataset: str, model: str) -> tuple[int, int] | None:
    """Labelled pixels for training and for tests; None for a network whose inputs are no scenes."""
    network = config.network(model, dataset)
    split = getattr(network.inputs if isinstance(network, ModelFile) else network, "split", None)
    if not isinstance(split, SceneSplit):
        return None
    if split.kind == "per_class":
        train = ceil(labelled * (split.train or 0))
        return train, labelled - train - ceil(labelled * (split.validation or 0))
    test = ceil(labelled * (split.test or 0))
    return labelled - test, test
