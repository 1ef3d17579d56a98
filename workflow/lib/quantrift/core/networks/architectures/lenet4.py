"""LeNet-4 for 28x28 grey images (LeCun et al. 1998).

TriggerFinder names the network without listing its layers. Chosen: the form of DeepXplore's public code, as for
LeNet-5: two 5x5 convolutions that keep the size, of 6 and 16 filters, each with ReLU and 2x2 max pooling, then 84 units
with ReLU.
"""

from functools import partial

from quantrift.core.networks import convolutions_and_dense

build = partial(convolutions_and_dense.build, filters=(6, 16), hidden=(84,))
