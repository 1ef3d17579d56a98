"""Versions of all packages that results of some networks depend on."""

from collections.abc import Sequence
from importlib.metadata import version

from quantrift.core.networks.runtime import module
from quantrift.core.networks.versions import versions
from quantrift.judge.intake.given_functions import Called
from quantrift.judge.intake.given_networks import Ready


def versions_of(networks: Sequence[Ready]) -> dict[str, str]:
    """Package -> version: quantrift, what every network needs, and the packages of these networks' runtimes.

    What a function calls is not known, so it adds none.
    """
    of_files = [one for one in networks if not isinstance(one, Called)]
    used = dict.fromkeys(name for one in of_files for name in module(one.runtime).PACKAGES)
    return {"quantrift": version("quantrift")} | versions() | {name: version(name) for name in used}
