"""Every task of a network of PyTorch, in a .pt2 file, against OpenVINO's .xml and, in 8 bits, ExecuTorch's .pte."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.factories.documents import blocks
from tests.factories.installed import needs
from tests.factories.new_builds import on_given

from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.pairs.task import task_of
from quantrift.core.search.records.replaying import replay
from quantrift.judge.verdict.assessment import Limits, read
from quantrift.judge.verdict.new_build import still
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

pytestmark = [pytest.mark.slow, needs("torch", "executorch", "openvino", "sklearn")]
TINY = Size(seeds=6, generations=3, queries=20, vectors=3, shrunk=4, layer_inputs=8)
SIDE, ROOM = 16, 28
SETTINGS: dict[str, dict[str, object]] = {
    "regress": {"tolerance": (0.1,), "share": False},
    "multilabel": {},
    "detect": {"iou": 0.4, "score_tolerance": 0.4},
}
OUTPUTS: dict[str, dict[str, tuple[int, ...]]] = {
    "regress": {"centre": (2,)},
    "multilabel": {"labels": (3,)},
    "detect": {"boxes": (1, 4), "scores": (1,)},
}


def placed() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Digits somewhere in larger images, float32 (n, 1, 28, 28), and what networks of each task should say of them."""
    from sklearn.datasets import load_digits

    digits, rng = load_digits(), np.random.default_rng(0)
    count = len(digits.target)
    images = np.zeros((count, 1, ROOM, ROOM), np.float32)
    corners = rng.integers(0, ROOM - SIDE + 1, (count, 2))
    for image, digit, (down, right) in zip(images, digits.images / 16, corners, strict=True):
        image[0, down : down + SIDE, right : right + SIDE] = np.kron(digit, np.ones((2, 2)))
    first = corners.astype(np.float32) / ROOM
    found = digits.target >= 5
    return images, {
        "centre": first + np.float32(SIDE / 2 / ROOM),
        "boxes": np.concatenate([first, first + np.float32(SIDE / ROOM)], axis=1),
        "labels": np.stack([found, digits.target % 2 == 0, np.isin(digits.target, (0, 6, 8, 9))], axis=1),
        "scores": found[:, None],
    }


@pytest.fixture(scope="module")
def trained() -> tuple[Any, np.ndarray]:
    """A function from a task to a module for it, and the images that none was trained on, (n, 28, 28, 1)."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    torch.set_num_threads(1)
    images, truth = placed()
    wide = {"centre": 2, "boxes": 4, "labels": 3, "scores": 1}
    body = nn.Sequential(
        nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(784, 64)
    )
    heads = nn.ModuleDict({name: nn.Linear(64, count) for name, count in wide.items()})
    x, y = torch.from_numpy(images), {name: torch.from_numpy(one).float() for name, one in truth.items()}
    optimizer = torch.optim.Adam([*body.parameters(), *heads.parameters()], 2e-3)
    losses = {name: nn.functional.mse_loss for name in ("centre", "boxes")}
    for _ in range(6):
        for rows in torch.randperm(1500).split(50):
            optimizer.zero_grad()
            seen = torch.relu(body(x[rows]))
            score = nn.functional.binary_cross_entropy_with_logits
            sum(losses.get(name, score)(head(seen), y[name][rows]) for name, head in heads.items()).backward()
            optimizer.step()

    class Network(nn.Module):
        def __init__(self, task: str) -> None:
            super().__init__()
            self.body, self.task = body, task
            self.heads = nn.ModuleDict({name: heads[name] for name in OUTPUTS[task]})

        def forward(self, image: Any) -> Any:
            seen = torch.relu(self.body(image))
            found = {name: head(seen) for name, head in self.heads.items()}
            if self.task == "detect":
                return {"boxes": found["boxes"].reshape(-1, 1, 4), "scores": torch.sigmoid(found["scores"])}
            return found

    return lambda task: Network(task).eval(), np.moveaxis(images[1500:1560], 1, 3)


@pytest.mark.parametrize("task", SETTINGS)
def test_a_task_is_assessed_and_replayed_across_formats(
    task: str, trained: tuple[Any, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import openvino
    import torch

    network, images = trained
    monkeypatch.chdir(tmp_path)
    saving, _, lowering, _ = blocks("formats.md", "py")
    names: dict[str, Any] = {"module": network(task), "samples": torch.from_numpy(np.moveaxis(images, 3, 1).copy())}
    exec(saving, names)
    exec(lowering, names)
    converted = openvino.convert_model(torch.export.load("model.pt2"))
    # The conversion leaves every side open.
    converted.reshape([-1, 1, ROOM, ROOM])
    openvino.save_model(converted, "model.xml", compress_to_fp16=False)
    write_arrays(tmp_path / "inputs.npz", {"inputs": images})
    out, original, compressed = tmp_path / "out", Path("model.pt2"), [Path("model.xml"), Path("model.pte")]
    settings = Settings(size=TINY, task=task_of(task, SETTINGS[task]), limits=Limits(0.3, None, 0.5))
    found = assess(original, compressed, tmp_path / "inputs.npz", out, settings)
    assert read(out) == found
    assert found.task.name == task
    same, rounded = found.candidates
    assert same.clean.disagreeing == 0, "the same numbers, to the last digits"
    assert rounded.verdict != "fail"
    for one, file in zip(found.candidates, compressed, strict=True):
        stored = read_arrays(out / one.dii_file)
        assert stored["original_outputs"].shape[1] == sum(map(np.prod, OUTPUTS[task].values()))
        for tool in one.tools:
            assert replay(out / tool.records).complete
        again = still(out / one.dii_file, file, original)
        assert on_given(again.judgements) == on_given(one.judgements)
