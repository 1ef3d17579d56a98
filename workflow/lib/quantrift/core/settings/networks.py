"""Settings of all networks, by id."""

from typing import Any

from pydantic import ConfigDict, Field, model_validator

from quantrift.core.base.errors import nearest
from quantrift.core.settings.fields import Strict
from quantrift.core.settings.image_networks import (
    CNN,
    MLP,
    VGG16,
    ImageNetwork,
    LeNet1,
    LeNet4,
    LeNet5,
    PlainNet20,
    ResNet20,
)
from quantrift.core.settings.model_files import ModelFile
from quantrift.core.settings.scene_networks import SSRN, HybridSN, SceneNetwork, SceneSplit
from quantrift.core.settings.training import Network, Training

__all__ = [
    "CNN",
    "MLP",
    "SSRN",
    "VGG16",
    "HybridSN",
    "ImageNetwork",
    "LeNet1",
    "LeNet4",
    "LeNet5",
    "ModelFile",
    "Network",
    "Networks",
    "PlainNet20",
    "ResNet20",
    "SceneNetwork",
    "SceneSplit",
    "Training",
]


class Networks(Strict):
    """Settings of each network, by id; other ids are networks from files."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, ModelFile] = Field(init=False)

    hybridsn: HybridSN = HybridSN()
    ssrn: SSRN = SSRN()
    lenet1: LeNet1 = LeNet1()
    lenet4: LeNet4 = LeNet4()
    lenet5: LeNet5 = LeNet5()
    cnn: CNN = CNN()
    mlp: MLP = MLP()
    resnet20: ResNet20 = ResNet20()
    plainnet20: PlainNet20 = PlainNet20()
    vgg16: VGG16 = VGG16()

    @model_validator(mode="before")
    @classmethod
    def _others_are_files(cls, values: Any) -> Any:
        for name, settings in values.items() if isinstance(values, dict) else ():
            file = isinstance(settings, ModelFile) or (isinstance(settings, dict) and "source" in settings)
            if name not in cls.model_fields and not file:
                hint = nearest(name, cls.model_fields)
                raise ValueError(f"unknown network '{name}'; {hint} A network of your own needs source: file")
        return values

    @property
    def files(self) -> dict[str, ModelFile]:
        """Networks from files, by id."""
        return dict(self.__pydantic_extra__)

    @property
    def trained(self) -> dict[str, Network]:
        """Networks trained by the workflow, by id."""
        return {name: getattr(self, name) for name in type(self).model_fields}
