"""Environment variables that change results: set or removed, so that the shell of a user does not matter.

Libraries read their variables when they are imported. So ``pin`` comes before NumPy, TensorFlow and Keras, and this
module imports none of them.
"""

import os
from collections.abc import Mapping
from pathlib import Path

REMOVED = (
    "DNNL_",  # oneDNN: instruction sets, precision
    "KERAS_",  # backend, configuration file, limits of epochs and steps
    "MKL_",  # instruction sets, reproducibility mode
    "NPY_",  # NumPy: instruction sets, promotion of types
    "ONEDNN_",
    "OPENCV_",  # instruction sets, IPP, OpenCL
    "ORT_",  # ONNX Runtime: approximate kernels
    "OV_",  # OpenVINO: instruction sets
    "RUY_",  # matrix products of LiteRT: instruction sets
    "SCIPY_",  # array API
    "SKLEARN_",  # sizes of the chunks that sums are made of
    "TF2_",
    "TF_",  # oneDNN, precision, kernels, cluster
    "XLA_",
)
"""Prefixes of removed variables. Those of OpenBLAS stay: some machines cannot compute without them."""
KEPT = (
    "TF_CPP_",  # messages
    "TF_FORCE_GPU_ALLOW_GROWTH",  # memory
    "TF_CLI_",  # Terraform
    "TF_VAR_",
)
"""Prefixes among them that stay, as they affect no result."""
DEFAULTS = Path(__file__).parent / "defaults"
"""Folder of the libraries' default configuration files."""
SET = {
    "KERAS_BACKEND": "tensorflow",
    "KERAS_HOME": str(DEFAULTS),
    "MATPLOTLIBRC": str(DEFAULTS / "matplotlibrc"),
    # Parallel work is processes: sums of several threads would depend on how many there are.
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Variables that every run sets."""
_ignored: set[str] = set()


def pin() -> None:
    """Remove and set variables that change results, for this process and its children; to be called before imports."""
    _ignored.update(overruled(os.environ))
    for name in [name for name in os.environ if _removed(name)]:
        del os.environ[name]
    os.environ |= SET
    # The messages of TensorFlow concern graphics processors.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


def ignored() -> list[str]:
    """Names of the variables that ``pin`` took out or overwrote in this process, sorted."""
    return sorted(_ignored)


def overruled(environ: Mapping[str, str]) -> set[str]:
    """Names of the variables in ``environ`` that ``pin`` takes out or gives another value."""
    return {name for name, value in environ.items() if (SET[name] != value if name in SET else _removed(name))}


def _removed(name: str) -> bool:
    return name.startswith(REMOVED) and not name.startswith(KEPT)
