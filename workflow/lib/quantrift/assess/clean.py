"""Both networks on the inputs as they were given."""

from collections.abc import Collection

import numpy as np

from quantrift.assess.assessment import Clean, Margins
from quantrift.assess.found import rate
from quantrift.compression.comparison import Comparison
from quantrift.data.inputs import Inputs
from quantrift.metrics.intervals import wilson
from quantrift.models.evaluate import flips
from quantrift.search.objectives.margin import Margin
from quantrift.subjects.pair import Outputs

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def clean(found: Comparison, inputs: Inputs, labelled: bool, searched: Collection[int], hit: Collection[int]) -> Clean:
    """Agreement, accuracies and margins.

    Args:
        found: logits of both on all inputs.
        inputs: those.
        labelled: whether their labels were given.
        searched: numbers of the seed inputs of natural tools.
        hit: those of them that led to a disagreement.
    """
    count, differing = len(inputs), flips(found.of_original, found.of_compressed)
    kept = sorted(set(searched) - set(hit))
    groups = {
        "inputs": np.arange(count),
        "searched with disagreement": np.array(sorted(hit), np.int64),
        "searched without disagreement": np.array(kept, np.int64),
    }
    networks = {"original": found.of_original, "compressed": found.of_compressed}
    return Clean(
        agreement=rate(1 - differing / count, *wilson(count - differing, count)),
        disagreeing=differing,
        accuracy_original=found.before if labelled else None,
        accuracy_compressed=found.after if labelled else None,
        margins=[
            _margins(network, on, logits[chosen])
            for network, logits in networks.items()
            for on, chosen in groups.items()
            if len(chosen)
        ],
    )


def _margins(network: str, on: str, logits: np.ndarray) -> Margins:
    # The objective is larger the less sure a network is, and looks at what it is given as the original.
    margins = -Margin().score(Outputs(logits, logits))[:, 0]
    return Margins(network, on, len(margins), *np.quantile(margins, QUANTILES).tolist())  # type: ignore[arg-type]
