"""Check of the configuration in a Keras file, before Keras reads the file.

Keras refuses code on its own too, as long as its safe mode has no gap. Here the rule is reversed: only content known
to be harmless is accepted, and anything else is refused by name.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any, NoReturn

import h5py
import keras
from keras import activations, constraints, initializers, layers, losses, metrics, optimizers, regularizers

from quantrift.core.base.errors import QuantriftError, reading, refuse
from quantrift.core.base.limits import check_unpacked

CONFIG, WEIGHTS = "config.json", "model.weights.h5"
MEMBERS = {CONFIG, WEIGHTS, "metadata.json"}
"""Members of a .keras file of a network; assets belong to layers that read text."""
LONGEST = 10**8
"""Bytes of a configuration."""
PLACES: dict[str, tuple[Any, ...]] = {
    "keras": (keras,),
    "keras.layers": (layers,),
    "keras.models": (keras.models,),
    "keras.initializers": (initializers,),
    "keras.regularizers": (regularizers,),
    "keras.constraints": (constraints,),
    "keras.dtype_policies": (keras.dtype_policies,),
    # Networks inside the network may say how they were trained.
    "keras.losses": (losses,),
    "keras.metrics": (metrics,),
    "keras.optimizers": (optimizers,),
    "keras.src.models.functional": (keras.models,),
    "keras.src.models.sequential": (keras.models,),
    # Files of Keras 2 name no module.
    "": (layers, keras.models, initializers, regularizers, constraints),
}
"""Modules that a file may name, and the modules of their public classes."""
KINDS = (
    layers.Layer,
    initializers.Initializer,
    regularizers.Regularizer,
    constraints.Constraint,
    losses.Loss,
    metrics.Metric,
    optimizers.Optimizer,
    keras.dtype_policies.DTypePolicy,
)
CODE = {"Lambda", "__lambda__", "TFSMLayer", "JaxLayer", "FlaxLayer", "TorchModuleWrapper"}
"""Classes that hold code, or load it from another file."""
READING = {"StringLookup", "IntegerLookup", "TextVectorization"}
"""Classes that read their vocabulary from any file that their configuration names."""
FUNCTIONAL = {"Functional", "Model"}
"""Class names, in Keras 3 and 2, of a network given by its graph of layers; neither is public under the first name."""
DATA = {"__keras_tensor__", "__tensor__", "__numpy__", "__tuple__", "__slice__", "__ellipsis__"}
"""Values that are not in the JSON standard."""


def check(path: Path) -> None:
    """Make sure that a .keras or .h5 file holds a network of Keras's own layers, channels last, and no code.

    Everything in it must stand in the file itself and fit the limit on unpacked content.

    Raises:
        QuantriftError: if the file breaks one of these rules, or is no such file.
    """
    with reading(path, "not a complete Keras file", "save the network again"):
        config = _read(path)
        refuse(
            (
                not isinstance(config, dict) or not isinstance(config.get("config"), dict | list),
                f"{path}: holds no network that Keras could build; export it as .tflite",
            ),
        )
        # Settings of its training are not read.
        config.pop("compile_config", None)
        if (name := config.get("class_name")) not in {"Sequential", *FUNCTIONAL}:
            raise QuantriftError(f"{path}: is of class {name}, whose code the file does not hold; export it as .tflite")
        _check(config, "", path)


def _read(path: Path) -> Any:
    """The configuration of the network in a file."""
    if path.suffix == ".keras":
        return _read_archive(path)
    refuse(
        (path.suffix != ".h5", f"{path}: ends in '{path.suffix}'; networks are read from .keras, .h5 and .tflite files")
    )
    with h5py.File(path) as file:
        check_plain(file, path)
        config = file.attrs.get("model_config")
    refuse((config is None, f"{path}: holds weights alone; save the whole network with model.save"))
    return json.loads(config)


def _read_archive(path: Path) -> Any:
    """The configuration in a .keras file, whose members are looked at first."""
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        names = [member.filename for member in members]
        refuse(
            *(
                (name not in MEMBERS, f"{path}: holds '{name}', which no network of images needs; save it again")
                for name in sorted(names)
            ),
            (len({*names}) != len(names), f"{path}: holds two members of one name; save the network again"),
        )
        check_unpacked(path, sum(member.file_size for member in members))
        if (length := archive.getinfo(CONFIG).file_size) > LONGEST:
            raise QuantriftError(
                f"{path}: has a configuration of {length / 1e9:.1f} GB, which is damaged; save it again"
            )
        with h5py.File(io.BytesIO(archive.read(WEIGHTS))) as weights:
            check_plain(weights, path)
        return json.loads(archive.read(CONFIG))


def _check(value: Any, owner: str, path: Path) -> None:
    """Refuse what is inside ``value``; ``owner`` is the name of the layer it belongs to."""
    if isinstance(value, list):
        for item in value:
            _check(item, owner, path)
    elif isinstance(value, dict):
        if "class_name" in value:
            inner = value.get("config")
            owner = inner["name"] if isinstance(inner, dict) and isinstance(inner.get("name"), str) else owner
            _check_class(value, owner, path)
        refuse(
            (
                value.get("data_format") == "channels_first",
                f"{path}: layer '{owner}' takes its channels first; save a network that takes them last, or its "
                ".tflite",
            ),
        )
        for key, item in value.items():
            if key.endswith("activation") and isinstance(item, str) and not _is_activation(item):
                _refuse_unknown(path, owner, f"activation {item}")
            # Keras 3 writes the code of a lambda here without saying that it is one.
            if key.endswith("activation") and isinstance(item, dict) and "class_name" not in item:
                _refuse_code(path, owner, "__lambda__")
            _check(item, owner, path)


def _check_class(value: dict[str, Any], owner: str, path: Path) -> None:
    name, module = value["class_name"], value.get("module", "")
    if name in CODE:
        _refuse_code(path, owner, str(name))
    refuse((name in READING, f"{path}: layer '{owner}' of class {name} is for text; name a network of images"))
    if name == "function":
        if not _is_activation(function := value.get("config")):
            _refuse_unknown(path, owner, f"function {function}")
    elif name not in DATA and not _is_own(name, module):
        _refuse_unknown(path, owner, f"class {name}" + (f" of {module}" if module else ""))


def _is_own(name: object, module: object) -> bool:
    """Whether a class is one of Keras's."""
    if not isinstance(name, str) or not isinstance(module, str):
        return False
    found = [getattr(place, name, None) for place in PLACES.get(module, ())]
    own = any(isinstance(one, type) and issubclass(one, KINDS) for one in found)
    return own or (name in FUNCTIONAL and module in PLACES)


def _is_activation(name: object) -> bool:
    try:
        return isinstance(name, str) and callable(activations.get(name))
    except ValueError:
        return False


def _refuse_code(path: Path, owner: str, name: str) -> NoReturn:
    raise QuantriftError(
        f"{path}: holds code (layer '{owner}' of class {name}), which is never run; "
        "replace that layer by Keras's own, or export the network as .tflite"
    )


def _refuse_unknown(path: Path, owner: str, what: str) -> NoReturn:
    raise QuantriftError(f"{path}: layer '{owner}' needs {what}, which Keras does not have; export it as .tflite")


def check_plain(file: h5py.File, name: object) -> None:
    """Refuse links to other places and files, and data that are larger than the limit.

    HDF5 follows such links to any file that the reader may read, and its compression ratio is unbounded.

    Args:
        file: open for reading.
        name: of the file, for messages.

    Raises:
        QuantriftError: for a link that is not to an object of its own, a dataset that is stored elsewhere, or more
            content than the limit allows.
    """
    waiting: list[h5py.Group] = [file]
    seen, total = set(), 0
    while waiting:
        group = waiting.pop()
        for key in group:
            refuse(
                (
                    not isinstance(group.get(key, getlink=True), h5py.HardLink),
                    f"{name}: '{key}' in it is a link to another place; save the network again",
                ),
            )
            item = group[key]
            address = h5py.h5o.get_info(item.id).addr
            if address in seen:
                continue
            seen.add(address)
            if isinstance(item, h5py.Group):
                waiting.append(item)
            elif isinstance(item, h5py.Dataset):
                refuse(
                    (
                        item.external or item.is_virtual,
                        f"{name}: '{key}' in it is stored in another file; save the network again",
                    ),
                )
                total += item.size * item.dtype.itemsize if item.size else 0
                check_unpacked(name, total)
