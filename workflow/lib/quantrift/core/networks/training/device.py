"""Device of a training: processors, with all other devices hidden, or one graphics processor."""

from typing import Any

import tensorflow as tf

from quantrift.core.base import hidden_devices
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.settings.training import Device, Training


def use(device: Device) -> None:
    """Make TensorFlow compute on one kind of device in this process, from here on.

    Of several graphics processors it takes the first that the process may use, and of its memory as much as it needs,
    so that trainings can share one. Products there are those of float32, as on processors, and not of TF32.

    Raises:
        QuantriftError: if there is no such device, or if TensorFlow already runs here on other devices.
    """
    if device == "gpu":
        hidden_devices.show()
    chosen = tf.config.list_physical_devices("GPU")[:1] if device == "gpu" else []
    refuse(
        (
            device == "gpu" and not chosen,
            "training.device: gpu is asked for, but TensorFlow sees none here; where nvidia-smi lists one, pip install "
            "'quantrift[gpu]', elsewhere state cpu",
        ),
    )
    try:
        for one in chosen:
            tf.config.experimental.set_memory_growth(one, True)
        tf.config.set_visible_devices(chosen, "GPU")
    except RuntimeError:
        raise QuantriftError(
            f"TensorFlow already runs here on other devices than training.device={device}; use a new process"
        ) from None
    if chosen:
        tf.config.experimental.enable_tensor_float_32_execution(False)


def facts(training: Training) -> dict[str, Any]:
    """Type and name of the device of a training, for the file that describes its network.

    Nothing of processors: these files were so before there were devices, and tables state the processor.
    """
    if training.device == "cpu":
        return {}
    details = tf.config.experimental.get_device_details(tf.config.list_physical_devices("GPU")[0])
    return {"device": {"type": training.device, "name": details.get("device_name", "unknown")}}
