"""Keras files, .keras and .h5, that hold code, point elsewhere or are far too large."""

import io
import json
import pickle
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
from keras import layers
from tests.hostile.makers import GIGA, Touch, network, of, zeros
from tests.hostile.saved_models import writing_initializer


@contextmanager
def edited_keras(folder: Path) -> Iterator[dict[str, bytes]]:
    """Members of a .keras file, to be changed."""
    path = folder / "net.keras"
    network().save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    yield members
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def with_layer(folder: Path, layer: dict[str, Any]) -> Path:
    """A .keras file with another layer in front of the last."""
    with edited_keras(folder) as members:
        config = json.loads(members["config.json"])
        config["config"]["layers"].insert(2, {"registered_name": None, **layer})
        members["config.json"] = json.dumps(config).encode()
    return folder / "net.keras"


def with_weights(folder: Path, change: Callable[[h5py.File], None]) -> Path:
    """A .keras file whose weights are stored in another way."""
    with edited_keras(folder) as members:
        content = io.BytesIO(members["model.weights.h5"])
        with h5py.File(content, "r+") as file:
            change(file)
        members["model.weights.h5"] = content.getvalue()
    return folder / "net.keras"


def _without_weights(file: h5py.File) -> h5py.Group:
    """The group that held the weights of the last layer, called "0" in it."""
    group = file["layers/dense/vars"]
    del group["0"]
    return group


@of("originals")
def keras_lambda(folder: Path, canary: Path) -> Path:
    touch = eval(f"lambda x: [x, open({str(canary)!r}, 'w').close()][0]")
    touch.__name__ = "<lambda>"
    network(layers.Lambda(touch, output_shape=lambda shape: shape)).save(folder / "net.keras")
    canary.unlink(missing_ok=True)
    return folder / "net.keras"


@of("originals")
def keras_lambda_h5(folder: Path, canary: Path) -> Path:
    touch = eval(f"lambda x: [x, open({str(canary)!r}, 'w').close()][0]")
    touch.__name__ = "<lambda>"
    network(layers.Lambda(touch, output_shape=lambda shape: shape)).save(folder / "net.h5")
    canary.unlink(missing_ok=True)
    return folder / "net.h5"


@of("originals")
def keras_lambda_activation(folder: Path, canary: Path) -> Path:
    network(layers.Dense(4, activation=lambda x: x)).save(folder / "net.keras")
    return folder / "net.keras"


@of("originals")
def keras_foreign_class(folder: Path, canary: Path) -> Path:
    return with_layer(folder, {"module": "os", "class_name": "system", "config": {"command": f"touch {canary}"}})


@of("originals")
def keras_function_of_python(folder: Path, canary: Path) -> Path:
    config = {"class_name": "function", "config": "exec", "module": "builtins"}
    settings = {"name": "a", "units": 4, "activation": config}
    return with_layer(folder, {"module": "keras.layers", "class_name": "Dense", "config": settings})


@of("originals")
def keras_saved_model_layer(folder: Path, canary: Path) -> Path:
    saved = writing_initializer(folder, canary)
    settings = {"name": "a", "filepath": str(saved)}
    return with_layer(folder, {"module": "keras.layers", "class_name": "TFSMLayer", "config": settings})


@of("originals")
def keras_vocabulary_of_another_file(folder: Path, canary: Path) -> Path:
    settings = {"name": "a", "vocabulary": "/etc/passwd"}
    return with_layer(folder, {"module": "keras.layers", "class_name": "StringLookup", "config": settings})


@of("originals")
def keras_bomb_in_the_configuration(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "net.keras", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        zeros(archive, "config.json", b"{", 5 * GIGA, b" ")
        archive.writestr("model.weights.h5", b"")
    return folder / "net.keras"


@of("originals")
def keras_large_configuration(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "net.keras", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        zeros(archive, "config.json", b"{", 3 * GIGA, b" ")
        archive.writestr("model.weights.h5", b"")
    return folder / "net.keras"


@of("originals")
def keras_deep_configuration(folder: Path, canary: Path) -> Path:
    with edited_keras(folder) as members:
        members["config.json"] = b'{"config": ' + b"[" * 10**6
    return folder / "net.keras"


@of("originals")
def keras_member_outside(folder: Path, canary: Path) -> Path:
    with edited_keras(folder) as members:
        members["../" * 12 + str(canary)[1:]] = b"x"
    return folder / "net.keras"


@of("originals")
def keras_two_members_of_one_name(folder: Path, canary: Path) -> Path:
    with edited_keras(folder):
        pass
    with zipfile.ZipFile(folder / "net.keras", "a") as archive:
        archive.writestr("config.json", b"{}")
    return folder / "net.keras"


@of("originals")
def keras_weights_in_another_file(folder: Path, canary: Path) -> Path:
    def change(file: h5py.File) -> None:
        del file["layers"]
        file["layers"] = h5py.ExternalLink("/etc/passwd", "/")

    return with_weights(folder, change)


@of("originals")
def keras_weights_stored_elsewhere(folder: Path, canary: Path) -> Path:
    def change(file: h5py.File) -> None:
        size = 784 * 10 * 4
        _without_weights(file).create_dataset("0", (784, 10), "f4", external=[("/etc/passwd", 0, size)])

    return with_weights(folder, change)


@of("originals")
def keras_virtual_weights(folder: Path, canary: Path) -> Path:
    def change(file: h5py.File) -> None:
        layout = h5py.VirtualLayout((784, 10), "f4")
        layout[:] = h5py.VirtualSource("/etc/hostname.h5", "x", (784, 10))
        _without_weights(file).create_virtual_dataset("0", layout)

    return with_weights(folder, change)


@of("originals")
def keras_weights_of_forty_gigabytes(folder: Path, canary: Path) -> Path:
    def change(file: h5py.File) -> None:
        _without_weights(file).create_dataset("0", (10**6, 10**4), "f4", chunks=(10**3, 10**3), compression="gzip")

    return with_weights(folder, change)


@of("originals")
def keras_layer_of_forty_gigabytes(folder: Path, canary: Path) -> Path:
    settings = {"name": "a", "units": 13_000_000, "activation": "relu"}
    return with_layer(folder, {"module": "keras.layers", "class_name": "Dense", "config": settings})


@of("originals")
def keras_cut_short(folder: Path, canary: Path) -> Path:
    network().save(folder / "net.keras")
    content = (folder / "net.keras").read_bytes()
    (folder / "net.keras").write_bytes(content[: len(content) // 2])
    return folder / "net.keras"


@of("originals")
def h5_link_to_another_file(folder: Path, canary: Path) -> Path:
    network().save(folder / "net.h5")
    with h5py.File(folder / "net.h5", "r+") as file:
        file["more"] = h5py.ExternalLink("/etc/passwd", "/")
    return folder / "net.h5"


@of("originals")
def h5_link_to_itself(folder: Path, canary: Path) -> Path:
    network().save(folder / "net.h5")
    with h5py.File(folder / "net.h5", "r+") as file:
        file["more"] = h5py.SoftLink("/more")
    return folder / "net.h5"


@of("originals")
def h5_pickle(folder: Path, canary: Path) -> Path:
    (folder / "net.h5").write_bytes(pickle.dumps(Touch(canary)))
    return folder / "net.h5"
