"""Networks from .pt2 files give the bits that PyTorch gives, whatever they are asked beside."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.installed import needs

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import LAYOUT, with_note
from quantrift.core.networks.runtime import load_runtime, load_values, module, runtime_of
from quantrift.core.networks.runtimes.torch import TOGETHER

pytestmark = needs("torch")
RNG = np.random.default_rng(0)


def saved(path: Path, network: Any, shape: tuple[int, ...], open_batch: bool = True) -> Path:
    """A network in a .pt2 file, in float32, for any number of inputs or for three at once."""
    import torch

    example = torch.zeros(2 if open_batch else 3, *shape)
    dimensions = ({0: torch.export.Dim("batch", min=1, max=4096)},) if open_batch else None
    torch.export.save(torch.export.export(network.eval(), (example,), dynamic_shapes=dimensions), path)
    return path


def by_torch(path: Path, x: np.ndarray, rows: int) -> np.ndarray:
    """What PyTorch itself gives for images, float32 (n, H, W, C), run by ``rows``; filled up with the last."""
    import torch

    first = np.moveaxis(x, 3, 1)
    program = torch.export.load(path).module()
    found = []
    with torch.inference_mode():
        for start in range(0, len(first), rows):
            part = first[start : start + rows]
            filled = np.concatenate([part, np.repeat(part[-1:], rows - len(part), axis=0)])
            given = torch.empty(filled.shape).copy_(torch.from_numpy(filled))
            found.append(program(given).numpy()[: len(part)])
    return np.concatenate(found)


def networks() -> dict[str, Any]:
    """Networks for images of 9 rows, 8 columns and 3 channels."""
    import torch
    from torch import nn
    from torch.ao.quantization.fx import _decomposed  # noqa: F401

    class Rounded(nn.Module):
        """In 8 bits at its input, as PyTorch's own quantization writes it."""

        def __init__(self) -> None:
            super().__init__()
            self.rest = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU6(inplace=True), nn.Flatten(), nn.Linear(168, 5))

        def forward(self, x: Any) -> Any:
            operations = torch.ops.quantized_decomposed
            grid = 1 / 255, -128, -128, 127, torch.int8
            rounded = operations.quantize_per_tensor(x, *grid)
            return self.rest(operations.dequantize_per_tensor(rounded, *grid))

    class Residual(nn.Module):
        """With sizes of the batch in its own code, a sum that works in place, and parts of tensors."""

        def __init__(self) -> None:
            super().__init__()
            self.one, self.other = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1, groups=4)
            self.norm, self.last = nn.GroupNorm(2, 4), nn.Linear(4 * 72, 6)
            self.register_buffer("mean", torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1))

        def forward(self, image: Any) -> Any:
            left, right = torch.chunk(self.one((image - self.mean) / 0.25), 2, dim=1)
            whole = left + nn.functional.silu(self.other(right))
            whole *= 1.5
            flat = self.norm(whole).permute(0, 2, 3, 1).reshape(image.shape[0], -1)
            return self.last(nn.functional.dropout(flat, training=self.training)).log_softmax(-1)

    torch.manual_seed(0)
    return {
        "convolutions and batch normalisation": nn.Sequential(
            nn.Conv2d(3, 8, 3),
            nn.BatchNorm2d(8),
            nn.Hardswish(inplace=True),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(72, 4),
        ),
        "a residual sum": Residual(),
        "rounded to 8 bits": Rounded(),
        "a recurrent layer behind a convolution": nn.Sequential(nn.Conv2d(3, 2, 2), nn.Flatten(2), last_of(nn.LSTM)),
    }


def last_of(kind: Any) -> Any:
    """A recurrent layer whose last output is taken."""
    from torch import nn

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = kind(56, 7, batch_first=True)

        def forward(self, x: Any) -> Any:
            return self.layer(x)[0][:, -1]

    return Recurrent()


NAMES = (
    "convolutions and batch normalisation",
    "a residual sum",
    "rounded to 8 bits",
    "a recurrent layer behind a convolution",
)


@pytest.mark.parametrize("open_batch", [True, False], ids=["open batch", "batches of 3"])
@pytest.mark.parametrize("name", NAMES)
def test_a_file_gives_the_bits_of_pytorch_however_inputs_are_grouped(
    name: str, open_batch: bool, tmp_path: Path
) -> None:
    path = saved(tmp_path / "net.pt2", networks()[name], (3, 9, 8), open_batch)
    assert runtime_of(path) == "torch"
    network = load_runtime("torch", path)
    assert network.input_shape == (9, 8, 3)
    x = RNG.random((37, 9, 8, 3)).astype(np.float32)
    found = network(x)
    np.testing.assert_array_equal(found, by_torch(path, x, TOGETHER if open_batch else 3))
    np.testing.assert_array_equal(np.concatenate([network(x[:1]), network(x[1:6]), network(x[6:])]), found)
    np.testing.assert_array_equal(load_runtime("torch", path, batch=5)(x[30:]), found[30:])
    assert network(x[:0]).shape == (0, found.shape[1])


def test_a_file_tells_its_8_bit_input_and_its_8_bit_weights(tmp_path: Path) -> None:
    path = saved(tmp_path / "net.pt2", networks()["rounded to 8 bits"], (3, 9, 8))
    assert module("torch").range_of_input(path) == pytest.approx((0, 1, 1 / 255))
    assert not any(small for small, _ in module("torch").stored(path))
    assert sum(count for _, count in module("torch").stored(path)) == 4 * 27 + 4 + 5 * 168 + 5


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float64"])
def test_a_network_in_other_floating_point_numbers_takes_and_gives_float32(kind: str, tmp_path: Path) -> None:
    import torch
    from torch import nn

    torch.manual_seed(0)
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(168, 5)).to(getattr(torch, kind))
    example = torch.zeros(2, 3, 9, 8, dtype=getattr(torch, kind))
    torch.export.save(torch.export.export(network, (example,)), tmp_path / "net.pt2")
    x = RNG.random((2, 9, 8, 3)).astype(np.float32)
    with torch.inference_mode():
        expected = network(torch.from_numpy(np.moveaxis(x, 3, 1).copy()).to(example.dtype)).float().numpy()
    found = load_runtime("torch", tmp_path / "net.pt2")(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-2 if kind != "float64" else 1e-6, atol=1e-2)


def test_outputs_have_the_names_of_the_dictionary_that_a_network_gives(tmp_path: Path) -> None:
    from torch import nn

    class Detector(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.boxes, self.scores = nn.Conv2d(3, 4, 3), nn.Linear(4, 8), nn.Linear(4, 2)

        def forward(self, x: Any) -> Any:
            found = self.body(x).mean((2, 3))
            return {"boxes": self.boxes(found).view(-1, 2, 4), "scores": self.scores(found).sigmoid()}

    path = saved(tmp_path / "net.pt2", Detector(), (3, 9, 8))
    network = load_values("torch", path)
    assert network.signature.values is not None
    assert network.signature.values.names == ("boxes", "scores")
    assert network.signature.values.shapes == ((2, 4), (2,))
    assert network(np.zeros((3, 9, 8, 3), np.float32)).shape == (3, 10)
    with pytest.raises(QuantriftError, match="has 2 outputs .*quantrift assess --output NAME says which one"):
        load_runtime("torch", path)


def test_probabilities_become_logits_and_a_mark_states_the_layout(tmp_path: Path) -> None:
    from torch import nn

    path = saved(tmp_path / "net.pt2", nn.Sequential(nn.Flatten(), nn.Linear(216, 5), nn.Softmax(1)), (3, 9, 8))
    network = load_runtime("torch", path)
    assert (network.input_shape, network.signature.decided) == ((3, 9, 8), False)  # type: ignore[attr-defined]
    path.write_bytes(with_note(path.read_bytes(), ".pt2", LAYOUT, "channels_first"))
    network = load_runtime("torch", path)
    assert network.input_shape == (9, 8, 3)
    x = RNG.random((16, 9, 8, 3)).astype(np.float32)
    found = network(x)
    assert found.max(axis=1).tolist() == [0] * 16
    np.testing.assert_allclose(
        np.exp(found) / np.exp(found).sum(axis=1, keepdims=True), by_torch(path, x, 16), rtol=1e-5
    )


def test_a_network_exported_as_in_training_is_refused(tmp_path: Path) -> None:
    import torch
    from torch import nn

    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Dropout(), nn.Flatten(), nn.Linear(168, 5)).train()
    torch.export.save(torch.export.export(network, (torch.zeros(1, 3, 9, 8),)), tmp_path / "net.pt2")
    with pytest.raises(QuantriftError, match=r"as in training \(torch\.ops\.aten\.dropout\.default\); call \.eval\(\)"):
        load_runtime("torch", tmp_path / "net.pt2")
