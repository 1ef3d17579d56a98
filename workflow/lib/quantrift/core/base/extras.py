"""Extras: packages that an installation may lack, and the line that says how to get one."""

from importlib.util import find_spec

from quantrift.core.base.errors import QuantriftError

PACKAGES = {
    "ai_edge_quantizer": ("AI Edge Quantizer", "mend"),
    "coremltools": ("coremltools", "coreml"),
    "cv2": ("OpenCV", "triggerfinder"),
    "executorch": ("ExecuTorch", "executorch"),
    "foolbox": ("foolbox", "attacks"),
    "geneticalgorithm": ("geneticalgorithm", "libraries"),
    "keras": ("Keras", "keras"),
    "openvino": ("OpenVINO", "openvino"),
    "packaging": ("packaging", "workflow"),
    "pandas": ("pandas", "workflow"),
    "pooch": ("pooch", "workflow"),
    "pymoo": ("pymoo", "libraries"),
    "pyarrow": ("pyarrow", "workflow"),
    "pyswarm": ("pyswarm", "libraries"),
    "sklearn": ("scikit-learn", "workflow"),
    "snakemake": ("Snakemake", "workflow"),
    "tensorflow": ("TensorFlow", "keras"),
    "tf2onnx": ("tf2onnx", "keras"),
    "threadpoolctl": ("threadpoolctl", "workflow"),
    "torch": ("PyTorch", "torch"),
    "yaml": ("PyYAML", "workflow"),
}
"""Import name of a package that only an extra installs -> its name for people, and the extra."""


def installed(name: str) -> bool:
    """Whether a package is installed, by its import name; imports nothing."""
    return find_spec(name) is not None


def check(user: str, name: str) -> None:
    """Make sure that a package is installed before work begins that needs it.

    Raises:
        QuantriftError: it is not.
    """
    if not installed(name):
        raise missing(user, name)


def missing(user: str, name: str) -> QuantriftError:
    """The error for a package that is not installed.

    Args:
        user: who needs it: a command, a file or a runtime.
        name: its import name.
    """
    title, extra = PACKAGES.get(name, (name, ""))
    return QuantriftError(f"{user} needs {title}; pip install " + (f"'quantrift[{extra}]'" if extra else name))
