"""Keras files that are byte-equal whenever the networks in them are equal."""

import zipfile
from pathlib import Path
from types import SimpleNamespace

import keras

from quantrift.core.base.errors import reading, refuse
from quantrift.core.base.files import replacing
from quantrift.core.networks import keras_config

OF_KERAS_2 = {
    "DepthwiseConv2D": SimpleNamespace(
        from_config=lambda config: keras.layers.DepthwiseConv2D.from_config(
            {name: value for name, value in config.items() if name != "groups"}
        )
    )
}
"""Layers in .h5 files of Keras 2 that state what Keras 3 does not know."""


def save(model: keras.Model, path: Path) -> None:
    """Write ``model`` to a .keras file without the state of its training, the date and the times of Keras's own."""
    bare = keras.Model.from_config(model.get_config())
    bare.set_weights(model.get_weights())
    with replacing(path) as temporary:
        bare.save(temporary)
        with zipfile.ZipFile(temporary) as archive:
            members = {name: archive.read(name) for name in sorted(archive.namelist())}
        members["metadata.json"] = b'{"keras_version": "%s"}' % keras.__version__.encode()
        with zipfile.ZipFile(temporary, "w") as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content)


def load(
    path: Path,
    missing: str = "train the model first",
    wrong: str = "not a readable .keras file",
    remedy: str = "train the model again",
) -> keras.Model:
    """The network in a .keras file of ours, or in another of Keras; nothing in the file is run, whoever made it.

    Its configuration is checked before Keras reads it, and Keras reads in safe mode.

    Args:
        path: a .keras file, or a whole-model .h5 file of Keras 2 or 3.
        missing: what to do where there is no such file.
        wrong: what is said of a file that Keras cannot read.
        remedy: what to do about it.

    Raises:
        QuantriftError: if the file is missing or cannot be read, or holds more than Keras's own layers.
    """
    refuse((not path.is_file(), f"{path}: no such file; {missing}"))
    keras_config.check(path)
    with reading(path, wrong, remedy):
        return keras.saving.load_model(
            path, OF_KERAS_2 if path.suffix == ".h5" else None, compile=False, safe_mode=True
        )
