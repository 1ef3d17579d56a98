"""LeNet-1 for 28x28 grey images (LeCun et al. 1998): the layers of the network published with DiffChaser and DFlare.

Two 5x5 convolutions that keep the size, of 4 and 12 filters, each with ReLU and 2x2 max pooling, then the logits. The
weights of that file (lenet1.h5) fit.
"""

from functools import partial

from quantrift.core.networks import convolutions_and_dense

build = partial(convolutions_and_dense.build, filters=(4, 12), hidden=())
