"""TriggerFinder's CNN for 28x28 grey images.

The paper lists no layers but names Distiller as the toolkit it compressed with. Chosen: the network for MNIST that
comes with Distiller (simplenet_mnist): two unpadded 5x5 convolutions of 20 and 50 filters, each with ReLU and 2x2 max
pooling, then 500 units with ReLU.
"""

from functools import partial

from quantrift.core.networks import convolutions_and_dense

build = partial(convolutions_and_dense.build, filters=(20, 50), hidden=(500,), padding="valid")
