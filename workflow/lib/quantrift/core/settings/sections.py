"""Settings of sections of the configuration that hold those of one kind of jobs."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from quantrift.core.settings.fields import Fraction, Strict
from quantrift.core.settings.training import Training

PlantedNetwork = Literal[
    "perceptron", "lenet5", "separable", "deep_perceptron", "convolutions", "residual", "table", "resnet20"
]
"""Networks of ``quantrift.study.league.planted.trained_networks``, one of each family in turn."""


class CheckerSettings(Strict):
    """Networks, kinds of files and faults on which checkers are compared."""

    tflite: list[PlantedNetwork] = Field(default_factory=lambda: list(get_args(PlantedNetwork)))
    """Networks whose pairs are made in ``.tflite`` files. Thresholds come from other networks, so one is too few."""
    onnx: list[PlantedNetwork] = Field(default_factory=list)
    """Networks whose pairs are made in ``.onnx`` files too."""
    draws: Annotated[int, Field(ge=1)] = 1
    """Draws of layer, channels and class for each fault that has them."""


class LayerSettings(Strict):
    """On which inputs the layers of a compressed network are compared with the original's."""

    inputs: Annotated[int, Field(ge=1)] = 256
    """Test inputs, drawn without repetition; all where there are fewer."""
    dii: Annotated[int, Field(ge=1)] = 256
    """Stored difference-inducing inputs of each tool, and their seed inputs; all where there are fewer."""
    seed: int = 0


class RepairSettings(Strict):
    """Settings of the training of compressed networks on difference-inducing inputs."""

    dii: Annotated[int, Field(ge=2)] = 10_000
    """Stored difference-inducing inputs of each tool on a subject, drawn from the distinct ones; all where there are
    fewer."""
    clean: Annotated[float, Field(ge=0)] = 1.0
    """Unchanged training inputs per difference-inducing input; 0 trains on the latter alone."""
    training: Training = Training(epochs=10, batch=64, learning_rate=0.0001)
    """Training on both kinds of inputs, with the labels that the original gives."""
    seed: int = 0
    """Seed of the draws of inputs and of the halves."""


class MendingSettings(Strict):
    """Settings of the mending of compressed networks (``quantrift mend``)."""

    inputs: Annotated[int, Field(ge=10)] = 1000
    """Test inputs, drawn without repetition; all where there are fewer. A fifth, 200 at most, is for calibration, the
    rest in halves for the choice of layers and for the verdict."""
    max_disagreement: Fraction = 0.05
    """Limit on the share of inputs as given with another label than the original's."""
    max_accuracy_drop: Fraction = 0.03
    """Limit on the loss of accuracy."""
    max_dir: Fraction = 0.05
    """Limit on the share of natural changes on which the networks disagree."""
    margin: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share by which each limit is tighter while layers are chosen."""
    changes: Annotated[int, Field(ge=1)] = 20
    """Natural changes drawn of each input by which layers are chosen."""
    compare: bool = True
    """Whether the orders by SQNR and by chance are tried too."""
    profile: Literal["quick", "thorough"] = "quick"
    """Of the assessment that gives the verdict."""
    seeds: Annotated[int, Field(ge=1)] | None = None
    """Seed inputs of its searches, in place of the profile's number."""
    generations: Annotated[int, Field(ge=1)] | None = None
    """Its generations, likewise."""
    seed: int = 0
    """Seed of the draw of inputs, of their split, and of random orders."""


class Sample(Strict):
    """A fixed number of the candidates of each search that reach the goal, drawn evenly."""

    sample: Annotated[int, Field(ge=1)]


class RecordSettings(Strict):
    """Settings of the records stored of each search beside its counts."""

    vectors: Literal["all", "first"] | Sample = Sample(sample=20)
    """Candidates that reach the goal whose vectors are stored."""


class EngineSettings(Strict):
    """Settings of the run of searches and bit studies; none of them changes a result."""

    block_evaluations: Annotated[int, Field(ge=1)] = 2_000_000
    """Candidates that one search job may evaluate: it gets as many whole run seeds as fit, or an equal part of the
    inputs of one, at least one input. Of a search that ends at its first disagreement, a tenth of the budget counts."""
    block_trainings: Annotated[int, Field(ge=1)] = 1_000_000
    """Training inputs, each counted once an epoch, of one job of a bit study: it gets as many networks as fit, at least
    one."""
    trainings_at_once: Annotated[int, Field(ge=1)] = 1
    """Networks of a bit study that a job trains side by side, in processes of their own; a job gets at least as many
    networks. Small networks alone leave a graphics processor idle most of the time. Cores, memory and start-up are
    those of so many processes."""
    block: Annotated[int, Field(ge=1)] | None = None
    """Whole run seeds of every search job, in place of ``block_evaluations``."""


class ShrinkSettings(Strict):
    """Settings of the reduction of difference-inducing inputs to the distortions they need."""

    per_run_seed: Annotated[int, Field(ge=1)] = 50
    """Stored difference-inducing inputs of each tool on each subject, drawn evenly from the distinct ones."""
    exhaustive: Annotated[int, Field(ge=0, le=16)] = 11
    """With at most this many active distortions, all subsets are tried in order of size. With more, distortions are
    switched off one at a time as long as that works (greedy)."""
