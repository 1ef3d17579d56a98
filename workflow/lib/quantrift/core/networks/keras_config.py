"""Check of the configuration in a Keras file, before Keras reads the file.

Keras refuses code on its own too, as long as its safe mode has no gap. Here the rule is reversed: only content known
to be harmless is accepted, and anything else is refused by name.
"""

import json
from pathlib import Path
from typing import Any, NoReturn

import h5py
import keras
from keras import activations, constraints, initializers, layers, losses, metrics, optimizers, regularizers

from quantrift.core.base.errors import QuantriftError, reading, refuse
from quantrift.core.networks.keras_archive import check_plain, members

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
        return members(path)[0]
    refuse(
        (path.suffix != ".h5", f"{path}: ends in '{path.suffix}'; networks are read from .keras, .h5 and .tflite files")
    )
    with h5py.File(path) as file:
        check_plain(file, path)
        config = file.attrs.get("model_config")
    refuse((config is None, f"{path}: holds weights alone; save the whole network with model.save"))
    return json.loads(config)


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
