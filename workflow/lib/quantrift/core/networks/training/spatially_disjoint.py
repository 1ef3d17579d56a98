"""Accuracy under a spatially disjoint split."""

from pathlib import Path

from quantrift.core.base.files import write_json
from quantrift.core.base.inputs import Inputs
from quantrift.core.networks.evaluate import accuracy, logits
from quantrift.core.networks.training import device
from quantrift.core.networks.training.training_run import trained
from quantrift.core.networks.versions import versions
from quantrift.core.settings.scene_networks import SceneNetwork


def train_blocks(settings: SceneNetwork, inputs: Inputs, out: Path) -> None:
    """Train a network once and write its accuracy alone; the network is not kept.

    The folder ``out`` receives ``blocks.json``: ``accuracy`` (of the Keras network on the test split, fraction),
    numbers of labelled pixels for training, for tests and dropped between the blocks, settings, and the ``device`` that
    trained it, where that is no processor; ``blocks.timing.json``: seconds of all epochs. Until both are written, it
    also holds ``blocks.checkpoint.npz``, from which an interrupted training resumes.

    Args:
        settings: of the network, with a split of kind ``spatial_blocks``.
        inputs: of the network, split so.
        out: folder to write to.

    Raises:
        QuantriftError: if TensorFlow already runs in this process with another number of threads.
    """
    checkpoint = out / "blocks.checkpoint.npz"
    model, history = trained(settings.id, settings, inputs, checkpoint)
    facts = {
        "model": settings.id,
        "accuracy": accuracy(logits(model.predict_on_batch, inputs, inputs.test), inputs.labels[inputs.test]),
        "train_inputs": len(inputs.train),
        "test_inputs": len(inputs.test),
        "dropped_inputs": len(inputs) - len(inputs.train) - len(inputs.test),
        "settings": settings.model_dump(mode="json", exclude={"blocks", "per_dataset"}),
        **device.facts(settings.training),
        "versions": versions(),
    }
    write_json(out / "blocks.json", facts)
    write_json(out / "blocks.timing.json", {"blocks_seconds": sum(epoch["seconds"] for epoch in history)})
    checkpoint.unlink(missing_ok=True)
