"""Networks from .pte files give what PyTorch gives, whatever they are asked beside."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.installed import needs

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.graphs.choices import LAYOUT, with_note
from quantrift.core.networks.runtime import load_runtime, load_values, runtime_of

pytestmark = needs("executorch", "torch")
IMAGES = np.random.default_rng(0).random((11, 6, 5, 3)).astype(np.float32)


@pytest.fixture(scope="module")
def network() -> Any:
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(96, 4))

        def forward(self, image: Any) -> Any:
            return self.body(image)

    torch.manual_seed(0)
    return Network().eval()


@pytest.fixture(scope="module")
def path(network: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network for three images at once, lowered to XNNPACK's kernels."""
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    program = torch.export.export(network, (torch.zeros(3, 3, 6, 5),))
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()]).to_executorch()
    found = tmp_path_factory.mktemp("pte") / "net.pte"
    found.write_bytes(lowered.buffer)
    return found


def test_a_network_gives_what_pytorch_gives_however_inputs_are_grouped(
    network: Any, path: Path, tmp_path: Path
) -> None:
    import torch

    assert runtime_of(path) == "executorch"
    open_layout = load_runtime("executorch", path)
    assert (open_layout.input_shape, open_layout.signature.decided) == ((3, 6, 5), False)  # type: ignore[attr-defined]
    marked = tmp_path / "net.pte"
    marked.write_bytes(with_note(path.read_bytes(), ".pte", LAYOUT, "channels_first"))
    loaded = load_runtime("executorch", marked)
    assert (loaded.input_shape, loaded.classes) == ((6, 5, 3), 4)
    with torch.no_grad():
        expected = network(torch.from_numpy(np.moveaxis(IMAGES, 3, 1).copy())).numpy()
    found = loaded(IMAGES)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(np.concatenate([loaded(IMAGES[:1]), loaded(IMAGES[1:5]), loaded(IMAGES[5:])]), found)
    assert loaded(IMAGES[:0]).shape == (0, 4)
    values = load_values("executorch", marked)
    np.testing.assert_array_equal(values(IMAGES), found)
    assert values.signature.values is not None
    assert values.signature.values.names == ("output_0",)


def test_damaged_files_are_refused_in_one_line(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    for name, held, said in (
        ("text", b"no program at all", "no program in it"),
        ("empty", b"", "no program in it"),
        ("short", content[: len(content) // 3], "ExecuTorch cannot run it"),
        ("changed", content[:40] + bytes(200) + content[240:], "ExecuTorch cannot run it"),
    ):
        broken = tmp_path / f"{name}.pte"
        broken.write_bytes(held)
        with pytest.raises(QuantriftError, match=said) as caught:
            load_runtime("executorch", broken)
        assert "\n" not in str(caught.value)
