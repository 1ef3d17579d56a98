"""Two small made-up networks and seed inputs, on which a search tool can be tried without any file.

The compressed one has the weights of the original on a coarse grid. Every row is computed by itself, as in real ones.
"""

from dataclasses import dataclass

import numpy as np

from quantrift.core.networks.neuron_profile import Profile
from quantrift.core.pairs.pair import Outputs
from quantrift.core.search.messages import Problem
from quantrift.core.search.space import Domain
from quantrift.core.search.tool import Tool

CLASSES = 5
NEURONS = 16
STEP = 0.02
"""Distance of the compressed network's weights."""


@dataclass(frozen=True, eq=False)
class Network:
    """One hidden layer and logits."""

    hidden: np.ndarray
    """float32 (NEURONS, values of an input)."""
    last: np.ndarray
    """float32 (CLASSES, NEURONS)."""

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logits and neurons of inputs, float32 (n, CLASSES) and (n, NEURONS)."""
        flat = x.reshape(len(x), self.hidden.shape[1])
        neurons = np.stack([np.maximum((flat * weights).sum(axis=1), 0) for weights in self.hidden], axis=1)
        return np.stack([(neurons * weights).sum(axis=1) for weights in self.last], axis=1), neurons

    def coarse(self) -> "Network":
        """This network with its weights on the grid."""
        return Network(*(np.rint(part / STEP).astype(np.float32) * np.float32(STEP) for part in vars(self).values()))


@dataclass(frozen=True, eq=False)
class StandIns:
    """Both networks, in the form of an evaluator, and suitable inputs."""

    original: Network
    compressed: Network
    inputs: np.ndarray
    """float32 (n, H, W, C) on the grid of 8-bit images, 0 to 1."""

    @staticmethod
    def of(shape: tuple[int, int, int], inputs: int) -> "StandIns":
        """Networks and inputs of ``shape``, the same in every call."""
        rng = np.random.default_rng(0)
        values = int(np.prod(shape))
        scale = 1 / np.sqrt(values)
        original = Network(
            rng.normal(0, scale, (NEURONS, values)).astype(np.float32),
            rng.normal(0, 1 / np.sqrt(NEURONS), (CLASSES, NEURONS)).astype(np.float32),
        )
        images = rng.integers(0, 256, (inputs, *shape)).astype(np.float32)
        images /= np.float32(255)
        return StandIns(original, original.coarse(), images)

    @property
    def domain(self) -> Domain:
        """Common properties of the inputs."""
        _, rows, columns, channels = self.inputs.shape
        return Domain((rows, columns, channels), 0.0, 1.0)

    @property
    def profile(self) -> Profile:
        """Ranges of the original's neurons."""
        return Profile(np.full(NEURONS, "hidden"), np.zeros(NEURONS, np.float32), np.ones(NEURONS, np.float32))

    def __call__(self, x: np.ndarray) -> Outputs:
        """See ``quantrift.core.pairs.pair.Networks``."""
        (first, of_first), (second, of_second) = self.original(x), self.compressed(x)
        return Outputs(first, second, of_first, of_second)

    def problems(self, tool: Tool, evaluations: int) -> list[Problem]:
        """A search from each input, after the class that follows its own where the tool wants one."""
        labels = self(self.inputs).original.argmax(axis=1).tolist()
        return [
            Problem(
                dataset="stand_in",
                run_seed=0,
                indices=(number,),
                inputs=self.inputs[number : number + 1],
                true_labels=(label,),
                space=tool.space,
                # The evaluations bound a search; one that looks at generations alone asks for more of them.
                generations=evaluations,
                evaluations=evaluations,
                target=(label + 1) % CLASSES,
            )
            for number, label in enumerate(labels)
        ]
