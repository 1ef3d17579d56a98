"""Settings of compressions: the method, and what its result must keep."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from quantrift.config.fields import Fraction, Id, Strict
from quantrift.config.training import Training

Bits = Annotated[int, Field(ge=1, le=32)]


class Compression(Strict):
    """Settings of all compressions."""

    method: str
    """Module of ``quantrift.compression`` that does it."""
    title: str | None = None
    """Display name; the id where it is not given."""
    max_accuracy_loss: Fraction = 0.05
    """Largest loss of test accuracy, as a fraction, before the model is refused as broken."""
    allow_degraded: bool = False
    """Whether a model that loses more is kept; tables show what it lost."""
    seed: int = 0
    """Seed of everything that is drawn, training aside, which has its own."""
    original_runtime: Literal["litert", "openvino", "tensorflow"] = "litert"
    """Runtime of the original in all searches on this compression: LiteRT or OpenVINO its converted twin, TensorFlow
    the Keras network itself. The compressed model always runs on LiteRT."""


class Representative(Compression):
    """Settings of methods that measure the ranges of activations."""

    representative: Annotated[int, Field(ge=1)] = 200
    """Training inputs on which ranges are measured."""


class InEightBits(Strict):
    """Settings of methods whose result must run in 8 bits."""

    min_int8_mac_share: Fraction = 0.95
    """Below this share of multiply-accumulates in 8 bits the model is refused."""


class TfliteFloat(Compression):
    """Conversion without quantization; the original is the Keras network itself (DiffChaser, Table 2, "Conv.")."""

    method: Literal["tflite_float"] = "tflite_float"


class PtqInt8(Representative, InEightBits):
    """Post-training 8-bit quantization of weights and activations of the 2-D twin."""

    method: Literal["ptq_int8"] = "ptq_int8"


class PtqDynamic(Compression):
    """Post-training 8-bit weights; activations are quantized as they come, with ranges of each input."""

    method: Literal["ptq_dynamic"] = "ptq_dynamic"


class PtqFloat16(Compression):
    """Post-training weights in 16-bit floating point, computed in 32 bits."""

    method: Literal["ptq_float16"] = "ptq_float16"


class PtqInt8Conv3dFloat(Representative):
    """The published setting: 8-bit quantization of the 3-D graph, whose 3-D convolutions stay in float."""

    method: Literal["ptq_int8_conv3d_float"] = "ptq_int8_conv3d_float"


class Qat(Compression):
    """Settings that fine-tuning for quantization and its control share, so that both take the same steps."""

    training: Training = Training(epochs=3, batch=64, learning_rate=0.00001)
    """Short and slow, as training itself moves labels. Ranges of activations stand still in its last epoch."""


class QatInt8(Qat, InEightBits):
    """Quantization-aware fine-tuning of the 2-D twin with fake-quantized weights and activations."""

    method: Literal["qat_int8"] = "qat_int8"


class QatControl(Qat):
    """The float network fine-tuned for the same steps; give it the training of the model it is the control of."""

    method: Literal["qat_control"] = "qat_control"


class CoreML(Compression):
    """Conversion to Core ML (DiffChaser, Table 2); needs coremltools. The weights of its package run here in float."""

    method: Literal["coreml"] = "coreml"
    weights: Literal["float32", "float16", "int8"]
    """As what the package stores the weights."""


class Float16Truncation(Compression):
    """Some weights truncated from 32 to 16 bits of floating point (DiffChaser §4.1)."""

    method: Literal["float16_truncation"] = "float16_truncation"
    share: Fraction
    """Share of the weights that are truncated, drawn over the whole network."""
    by: Literal["rounding", "cutting"] = "rounding"
    """``rounding``: to the nearest number of 16 bits, as a cast does (TensorFuzz's public code). ``cutting``: the last
    bits are dropped, so that weights shrink (the paper's word, "truncating")."""


class Prune(Compression):
    """Smallest weights or filters set to zero, the rest fine-tuned."""

    method: Literal["prune"] = "prune"
    by: Literal["weights", "filters"] = "weights"
    """Single weights by magnitude (Han et al. 2015), or whole filters by their L1 norm (Li et al. 2017)."""
    sparsity: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """Share set to zero: of the weights of each convolution and dense layer, or of the filters of each convolution; the
    network's last layer stays as it is."""
    training: Training = Training(epochs=5, batch=128, learning_rate=0.0001)


class Linear(Representative):
    """Symmetric linear quantization of weights and activations, simulated in float (Distiller)."""

    method: Literal["linear"] = "linear"
    bits: Annotated[int, Field(ge=2, le=16)] = 8


class Distill(Compression):
    """A smaller network trained on the outputs of the original (Hinton et al. 2015)."""

    method: Literal["distill"] = "distill"
    student: Id | None = None
    """Id of the student's network; the original's own where it is not given."""
    width: Annotated[float, Field(gt=0, le=1)] = 0.5
    """The student's width, in parts of the original's."""
    temperature: Annotated[float, Field(gt=0)] = 4.0
    """Softens both outputs before they are compared."""
    true_labels: Fraction = 0.3
    """Weight of the loss on true labels; the rest is on the original's outputs."""
    training: Training = Training(epochs=20, batch=128, learning_rate=0.001)


class Rounding(Compression):
    """Settings of quantization by Eq. 3.1 of the thesis: weights rounded to 2^bits levels, biases left in float."""

    form: Literal["post_training", "trained"] = "post_training"
    """``trained``: from scratch, with rounded weights and straight-through gradients, levels between -1 and 1 as
    published. ``post_training``: the weights as they are, levels between the extremes of each layer."""
    training: Training = Training(epochs=500, batch=32, learning_rate=0.00001)
    """Training of the form ``trained`` (thesis, Sections 3.1 and 4.1; the batch is chosen)."""


class Homogeneous(Rounding):
    """The same number of bits for every weight (thesis, Table 3.1); 32 means clipped only."""

    method: Literal["homogeneous"] = "homogeneous"
    bits: Bits


class Heterogeneous(Rounding):
    """A number of bits for each weight, drawn from a distribution within a budget (thesis, Tables 3.2 and 3.3)."""

    method: Literal["heterogeneous"] = "heterogeneous"
    bits: tuple[Bits, ...]
    shares: tuple[Fraction, ...]
    """Probability of each number of bits."""
    budget: Annotated[float, Field(gt=0)]
    """Bits per weight that Algorithm 1 allows."""

    @model_validator(mode="after")
    def _a_distribution(self) -> "Heterogeneous":
        if len(self.shares) != len(self.bits):
            raise ValueError(f"{len(self.bits)} numbers of bits but {len(self.shares)} shares; give one for each")
        if abs(sum(self.shares) - 1) > 1e-9:
            raise ValueError(f"shares add up to {sum(self.shares):g}, not to 1")
        return self


AnyCompression = Annotated[
    TfliteFloat
    | PtqInt8
    | PtqDynamic
    | PtqFloat16
    | PtqInt8Conv3dFloat
    | QatInt8
    | QatControl
    | CoreML
    | Float16Truncation
    | Prune
    | Linear
    | Distill
    | Homogeneous
    | Heterogeneous,
    Field(discriminator="method"),
]


class LayerSettings(Strict):
    """On which inputs the layers of a compressed network are compared with the original's."""

    inputs: Annotated[int, Field(ge=1)] = 256
    """Test inputs, drawn without repetition; all where there are fewer."""
    dii: Annotated[int, Field(ge=1)] = 256
    """Stored difference-inducing inputs of each tool, and their seed inputs; all where there are fewer."""
    seed: int = 0
