"""Images of the benchmarks that train their own networks."""

from collections.abc import Mapping

from quantrift.study.datasets.addresses import mirror
from quantrift.study.datasets.kinds import idx_images
from quantrift.study.league.planted import tinted_digits
from quantrift.study.league.planted.tinted_digits import Images
from quantrift.study.planning.root import Config


def by_tint(config: Config) -> Mapping[bool, Images]:
    """Grey and tinted digits: MNIST's where a mirror holds them, else scikit-learn's."""
    folder, mnist = mirror(config.data.mirror), config.datasets["mnist"]
    assert isinstance(mnist, idx_images.Settings)
    grey = tinted_digits.embedded() if folder is None else tinted_digits.mnist(mnist, folder)
    return {False: grey, True: tinted_digits.tinted(grey)}
