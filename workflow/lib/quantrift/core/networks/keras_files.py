"""Keras files that are byte-equal whenever the networks in them are equal."""

import zipfile
from pathlib import Path

import keras

from quantrift.core.base.errors import reading, refuse
from quantrift.core.base.files import replacing
from quantrift.core.networks import keras_config


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


def load(path: Path) -> keras.Model:
    """The network in a .keras file of ours; nothing inside the file is run, whoever made it.

    Raises:
        QuantriftError: if the file is missing or cannot be read, or holds more than Keras's own layers.
    """
    refuse((not path.is_file(), f"{path}: no such file; train the model first"))
    keras_config.check(path)
    with reading(path, "not a readable .keras file", "train the model again"):
        return keras.saving.load_model(path, compile=False, safe_mode=True)
