"""Labels that both models give to adversarial samples of the original."""

from dataclasses import asdict, dataclass
from pathlib import Path

from quantrift.core.base.archive import read_arrays
from quantrift.core.base.files import read_json, write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.batches import Runtime
from quantrift.core.networks.evaluate import labels, logits


@dataclass(frozen=True)
class Verdicts:
    """Counts of attacked test inputs."""

    attacked: int
    """All of them."""
    differing_before: int
    """The models disagree on the clean input."""
    fooled: int
    """The original labels the clean input correctly, and the sample wrongly."""
    differing: int
    """The models disagree on the sample."""
    fooled_differing: int
    """Both of these."""
    differing_anew: int
    """They disagree on the sample and not on the input."""


def judge(samples: Path, inputs: Inputs, original: Runtime, compressed: Runtime, out: Path) -> None:
    """Count verdicts, and write ``out`` (.json).

    Args:
        samples: file that ``quantrift.core.networks.training.adversarial_samples`` wrote.
        inputs: of the network.
        original: as searches run it.
        compressed: the compressed model.
        out: .json with ``Verdicts``.
    """
    arrays = read_arrays(samples)
    numbers, attacked = arrays["numbers"], arrays["samples"]
    truth = inputs.labels[numbers]
    first, second = (labels(logits(network, inputs, numbers)) for network in (original, compressed))
    of_samples, by_other = labels(original(attacked)), labels(compressed(attacked))
    fooled = (first == truth) & (of_samples != truth)
    differing = of_samples != by_other
    counted = first != second, fooled, differing, fooled & differing, differing & (first == second)
    write_json(out, asdict(Verdicts(len(numbers), *(int(one.sum()) for one in counted))))


def read(path: Path) -> Verdicts:
    """Read the file that ``judge`` made."""
    return Verdicts(**read_json(path))
