"""Settings that several methods of compression share; those of a method stand in its module."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from quantrift.core.settings.fields import Fraction, Strict
from quantrift.core.settings.references import Ref
from quantrift.core.settings.training import Training

Bits = Annotated[int, Field(ge=1, le=32)]


class Compression(Strict):
    """Settings of all compressions."""

    method: str
    """Module of ``quantrift.study.compression.methods`` that does it."""
    title: str | None = None
    """Display name; the id where it is not given."""
    max_accuracy_loss: Fraction = 0.05
    """Largest loss of test accuracy, as a fraction, before the model is refused as broken."""
    allow_degraded: bool = False
    """Whether a model that loses more is kept; tables show what it lost."""
    seed: int = 0
    """Seed of everything that is drawn, training aside, which has its own."""
    original_runtime: Annotated[str, Ref("runtime")] = "litert"
    """Runtime of the original in all searches on this compression: ``tensorflow`` runs the Keras network itself, any
    other its converted twin. The compressed model always runs on LiteRT."""


class Representative(Compression):
    """Settings of methods that measure the ranges of activations."""

    representative: Annotated[int, Field(ge=1)] = 200
    """Training inputs on which ranges are measured."""


class InEightBits(Strict):
    """Settings of methods whose result must run in 8 bits."""

    min_int8_mac_share: Fraction = 0.95
    """Below this share of multiply-accumulates in 8 bits the model is refused."""


class Trained(Compression):
    """Settings of methods that train their result, so that training can continue (``study.compression.method``)."""


class Qat(Trained):
    """Settings that fine-tuning for quantization and its control share, so that both take the same steps."""

    training: Training = Training(epochs=3, batch=64, learning_rate=0.00001)
    """Short and slow, as training itself moves labels. Ranges of activations stand still in its last epoch."""


class Rounding(Compression):
    """Settings of quantization by Eq. 3.1 of the thesis: weights rounded to 2^bits levels, biases left in float."""

    form: Literal["post_training", "trained"] = "post_training"
    """``trained``: from scratch, with rounded weights and straight-through gradients, levels between -1 and 1 as
    published. ``post_training``: the weights as they are, levels between the extremes of each layer."""
    training: Training = Training(epochs=500, batch=32, learning_rate=0.00001)
    """Training of the form ``trained`` (thesis, Sections 3.1 and 4.1; the batch is chosen)."""


class Homogeneous(Rounding):
    """The same number of bits for every weight (thesis, Table 3.1); 32 means clipped only."""

    bits: Bits


class Heterogeneous(Rounding):
    """A number of bits for each weight, drawn from a distribution within a budget (thesis, Tables 3.2 and 3.3)."""

    bits: tuple[Bits, ...]
    shares: tuple[Fraction, ...]
    """Probability of each number of bits."""
    budget: Annotated[float, Field(gt=0)]
    """Bits per weight that Algorithm 1 allows."""

    def faults(self) -> Mapping[str, object]:
        """See ``Strict``."""
        lengths = f"{len(self.bits)} numbers of bits but {len(self.shares)} shares; give one for each"
        total = sum(self.shares)
        return {
            lengths: len(self.bits) != len(self.shares),
            f"shares add up to {total:g}, not to 1": abs(total - 1) > 1e-9,
        }


def trains(settings: Compression) -> bool:
    """Whether a method trains its result, so that training can continue."""
    return isinstance(settings, Trained) or (isinstance(settings, Rounding) and settings.form == "trained")
