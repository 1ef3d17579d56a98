"""Versions of the packages that compute results; a changed version reruns what it computed."""

import platform
from collections.abc import Iterable
from functools import cache
from importlib import metadata

DISTRIBUTIONS = {
    "PIL": ("pillow",),
    "cv2": ("opencv-python-headless",),
    "foolbox": ("eagerpy", "foolbox"),
    "google": ("protobuf",),
    "keras": ("keras", "tensorflow"),
    "matplotlib": ("contourpy", "kiwisolver", "matplotlib", "pillow"),
    "sklearn": ("scikit-learn", "scipy"),
    "tensorflow": ("keras", "ml-dtypes", "tensorflow"),
    "yaml": ("pyyaml",),
}
"""Import name -> packages, where the names differ."""
NONE = "none"
"""Version of what is not installed."""
WITHOUT_EFFECT = frozenset({"annotated_types", "pooch", "psutil", "pydantic", "snakemake", "threadpoolctl", "tqdm"})
"""Names in imports of what computes nothing: it starts, watches, shows, fetches files that a digest fixes, or checks
settings, whose values are parameters of jobs."""


def stated(imported: Iterable[str]) -> str:
    """Versions of the packages behind some imports, and of Python, like ``numpy 2.4.6, python 3.11``."""
    names = {one for name in {*imported} - WITHOUT_EFFECT for one in _packages(name)}
    # Releases of one minor version of Python compute alike.
    python = f"python {'.'.join(platform.python_version_tuple()[:2])}"
    return ", ".join([*(f"{name} {version(name)}" for name in sorted(names)), python])


@cache
def version(package: str) -> str:
    """Installed version of a package; ``NONE`` where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return NONE


@cache
def _packages(name: str) -> tuple[str, ...]:
    """Packages behind an import; for modules that another package adds to this one, that package."""
    if name in DISTRIBUTIONS:
        return DISTRIBUTIONS[name]
    own = name.replace("_", "-")
    if version(own) != NONE:
        return (own,)
    added = (point for point in metadata.entry_points(group="quantrift.parts") if point.dist)
    return tuple(sorted({point.dist.name for point in added if point.dist and point.value.startswith(name)})) or (own,)
