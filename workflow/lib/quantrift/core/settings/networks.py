"""Settings of networks for images, and of all networks by id; recipes are the papers' where stated, else chosen."""

from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, model_validator

from quantrift.core.base.errors import nearest
from quantrift.core.settings.fields import Strict
from quantrift.core.settings.model_files import ModelFile
from quantrift.core.settings.scene_networks import SSRN, HybridSN
from quantrift.core.settings.training import Network, Training

Shape = tuple[int, int, int]
GREY: Shape = (28, 28, 1)
"""Rows, columns and channels of MNIST's images."""
COLOUR: Shape = (32, 32, 3)
"""Rows, columns and channels of CIFAR-10's images."""

_CIFAR = Training(
    epochs=164,
    batch=128,
    learning_rate=0.1,
    optimizer="sgd",
    drops=(82, 123),
    weight_decay=0.0001,
    augment=("mirror", "shift"),
)
"""He et al. 2016, Section 4.2: 64,000 steps, a tenth of the rate after 32,000 and 48,000; in epochs of 50,000."""


class ImageNetwork(Network):
    """Settings of all networks for images."""

    shapes: ClassVar[tuple[Shape, ...]] = (GREY,)
    """Shapes of the images it takes."""


class LeNet1(ImageNetwork):
    """LeNet-1 on 28x28 grey images; the training recipe is chosen, the papers state none."""

    training: Training = Training(epochs=12, batch=128, learning_rate=0.001)


class LeNet4(ImageNetwork):
    """LeNet-4 on 28x28 grey images; the training recipe is chosen, the papers state none."""

    training: Training = Training(epochs=20, batch=128, learning_rate=0.001, drops=(15,))


class LeNet5(ImageNetwork):
    """LeNet-5 on 28x28 grey images; the training recipe is chosen, the papers state none."""

    training: Training = Training(epochs=12, batch=128, learning_rate=0.001)


class CNN(ImageNetwork):
    """TriggerFinder's CNN on 28x28 grey images; the training recipe is chosen, the paper states none."""

    training: Training = Training(epochs=20, batch=128, learning_rate=0.001, drops=(15,))


class MLP(ImageNetwork):
    """The thesis's perceptron of three layers: 500 epochs (Section 4.1) of Adam at 1e-5 (Section 3.1), batch chosen."""

    shapes: ClassVar[tuple[Shape, ...]] = (GREY, COLOUR)
    training: Training = Training(epochs=500, batch=32, learning_rate=0.00001)


class ResNet20(ImageNetwork):
    """ResNet-20 on 32x32 colour images, with the recipe of He et al. 2016, Section 4.2."""

    shapes: ClassVar[tuple[Shape, ...]] = (COLOUR,)
    training: Training = _CIFAR


class PlainNet20(ResNet20):
    """ResNet-20 without shortcuts, trained like it (He et al. 2016, Section 4.2)."""


class VGG16(ImageNetwork):
    """VGG-16 on small images; recipe chosen for CIFAR-10, where TriggerFinder states none.

    The thesis's 500 epochs of Adam at 1e-5 (Sections 3.1, 4.1) are for networks with quantized weights.
    Mirroring suits photographs; on digits give ``augment: [shift]``.
    """

    shapes: ClassVar[tuple[Shape, ...]] = (GREY, COLOUR)
    dense: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Units of the dense layers before the last; 4096, 4096 in Simonyan and Zisserman 2015, none in the form for
    CIFAR-10 that TriggerFinder took."""
    training: Training = Training(
        epochs=100, batch=128, learning_rate=0.0001, drops=(60, 85), augment=("mirror", "shift")
    )


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


def network_of(name: str, settings: Any) -> Network:
    """Settings of the network of an id, from plain values as a job has them."""
    return getattr(Networks.model_validate({name: settings}), name)
