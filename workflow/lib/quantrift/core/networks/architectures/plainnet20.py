"""PlainNet-20 for 32x32 colour images: ResNet-20 without shortcuts (He et al. 2016, Section 4.2)."""

from functools import partial

from quantrift.core.networks.architectures import resnet20

build = partial(resnet20.build, shortcuts=False)
twin = resnet20.twin
