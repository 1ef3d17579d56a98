"""Numbers of inputs of datasets, as far as the configuration alone tells."""

from math import ceil

from quantrift.config.datasets import EmbeddedDigits, OfficialImages, Scene, SimulatedScene, SimulatedTextures
from quantrift.config.model_files import ModelFile
from quantrift.config.scene_networks import SceneSplit
from quantrift.plan.root import Config

DIGITS = 1797
"""scikit-learn's handwritten digits."""


def inputs(config: Config, dataset: str, model: str) -> tuple[int, int] | None:
    """Training and test inputs of a network on a dataset, to within the rounding of splits; None where unknown."""
    match config.datasets[dataset]:
        case OfficialImages(train_inputs=int(train), test_inputs=int(test)):
            return train, test
        case EmbeddedDigits() as digits:
            test = round(DIGITS * digits.test)
            return DIGITS - test, test
        case SimulatedTextures() as textures:
            return textures.train * len(textures.class_names), textures.test * len(textures.class_names)
        case Scene(labelled=int(labelled)):
            return _split(labelled, config, dataset, model)
        case SimulatedScene() as scene:
            return _split(round(scene.height * scene.width * scene.labelled), config, dataset, model)
    return None


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
