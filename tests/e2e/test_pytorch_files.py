"""A network of PyTorch, trained here, in a .pt2 file against its 8-bit form for phones, as the documents make it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.documents import blocks
from tests.factories.installed import needs
from tests.factories.new_builds import on_given

from quantrift.core.base.archive import write_arrays
from quantrift.core.search.records.replaying import replay
from quantrift.judge.verdict.assessment import Limits
from quantrift.judge.verdict.new_build import still
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

TINY = Size(seeds=8, generations=3, queries=20, vectors=3, shrunk=4, layer_inputs=8)


@pytest.fixture(scope="module")
def trained() -> tuple[Any, np.ndarray, np.ndarray]:
    """A module trained on scikit-learn's digits at 28x28 pixels, the digits, (n, 1, 28, 28) in 0 to 1, and labels."""
    import torch
    from sklearn.datasets import load_digits
    from torch import nn

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            first = nn.Conv2d(1, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU()
            last = nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 49, 10)
            self.body = nn.Sequential(*first, *last)

        def forward(self, image: Any) -> Any:
            return self.body(image)

    torch.manual_seed(0)
    torch.set_num_threads(1)
    digits = load_digits()
    images = np.pad(np.kron(digits.images / 16, np.ones((3, 3))), ((0, 0), (2, 2), (2, 2))).astype(np.float32)
    x, y = torch.from_numpy(images[:, None].copy()), torch.from_numpy(digits.target)
    module = Network()
    optimizer = torch.optim.Adam(module.parameters(), 2e-3)
    for _ in range(6):
        for rows in torch.randperm(1200).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(module(x[rows]), y[rows]).backward()
            optimizer.step()
    return module.eval(), x.numpy(), digits.target


@needs("torch", "executorch", "sklearn")
@pytest.mark.slow
def test_a_network_of_pytorch_is_assessed_against_its_8_bit_form_for_phones(
    trained: tuple[Any, np.ndarray, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    module, images, labels = trained
    monkeypatch.chdir(tmp_path)
    saving, _, lowering, _ = blocks("formats.md", "py")
    names: dict[str, Any] = {"module": module, "samples": torch.from_numpy(images[:100])}
    exec(saving, names)
    exec(lowering, names)
    write_arrays(tmp_path / "inputs.npz", {"inputs": np.moveaxis(images[1200:], 1, 3), "labels": labels[1200:]})
    original, compressed = tmp_path / "model.pt2", tmp_path / "model.pte"
    assert compressed.stat().st_size < original.stat().st_size / 2
    out, limits = tmp_path / "out", Limits(0.05, 0.2, 0.03)
    found = assess(original, [compressed], tmp_path / "inputs.npz", out, Settings(size=TINY, limits=limits))
    (one,) = found.candidates
    assert one.verdict != "fail"
    assert (one.clean.accuracy_original or 0) > 0.9
    assert one.clean.disagreement.value is not None
    assert one.clean.disagreement.value < 0.05
    assert "layers cannot be matched between .pt2 and .pte files" in str(one.layers_note)
    assert {"torch", "executorch"} <= set(found.versions)
    assert "model.pte" in (out / "report.html").read_text()
    for tool in one.tools:
        assert replay(out / tool.records).complete
    again = still(out / one.dii_file, compressed, original)
    assert on_given(again.judgements) == on_given(one.judgements)


@needs("torch", "sklearn")
@pytest.mark.slow
def test_the_example_of_a_module_as_a_function_is_assessed_and_replayed(
    trained: tuple[Any, np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    import torch

    from quantrift.api import Function, assess, replay

    module, images, labels = trained
    *_, code = blocks("formats.md", "py")
    names: dict[str, Any] = {"module": module}
    exec(code.replace("(8, 8, 1)", "(28, 28, 1)"), names)
    first = names["network"]

    def rounded(inputs: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return (module(torch.from_numpy(inputs.copy())) * 4).round().numpy() / 4

    second = Function(rounded, outputs="logits", layout="channels_first", input_shape=(28, 28, 1), batch=1)
    x, y = np.moveaxis(images[1200:1260], 1, 3), labels[1200:1260]
    found = assess(first, second, x, tmp_path / "out", labels=y, seeds=4, generations=2)
    assert "run is a function" in found.verdict_text or "are functions" in found.verdict_text
    again = replay(tmp_path / "out", original=first, compressed=second)
    assert all(one.complete for one in again.values())
