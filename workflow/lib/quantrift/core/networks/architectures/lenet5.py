"""LeNet-5 for 28x28 grey images (LeCun et al. 1998).

DiffChaser and TriggerFinder name the network without listing its layers. Chosen: its modern form, as in
DeepXplore's public code, whose networks this line of work reuses: two 5x5 convolutions that keep the size,
of 6 and 16 filters, each with ReLU and 2x2 max pooling, then 120 and 84 units with ReLU.
"""

from functools import partial

from quantrift.core.networks import convolutions_and_dense

build = partial(convolutions_and_dense.build, filters=(6, 16), hidden=(120, 84))
