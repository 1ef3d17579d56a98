"""Checkers asked about the planted pairs of one network, for the comparison of checkers in the workflow."""

import tempfile
from pathlib import Path

from quantrift.core.statistics.checker_figures import write
from quantrift.study.league import checker as checks
from quantrift.study.league.planted import graded_pairs, tinted_digits, trained_networks
from quantrift.study.league.planted_pairs import rows


def check_network(network: str, kind: str, draws: int, out: Path) -> None:
    """Train a network, make its pairs, ask every checker, and write all that they say.

    Networks and files are made anew in a folder that does not stay.

    Args:
        network: name of one of ``trained_networks.NETWORKS``.
        kind: of files, ``tflite`` or ``onnx``.
        draws: of layer, channels and class for each fault that has them.
        out: .json, beside which the seconds are written (``quantrift.core.statistics.checker_figures.write``).

    Raises:
        QuantriftError: a package is missing that makes such files.
    """
    [of_network] = [one for one in trained_networks.NETWORKS if one.name == network]
    digits = tinted_digits.embedded()
    data = tinted_digits.tinted(digits) if of_network.tinted else digits
    with tempfile.TemporaryDirectory(prefix="quantrift-") as folder:
        net = trained_networks.trained(of_network, data, Path(folder) / "network")
        found = list(rows(net, data, graded_pairs.FORMATS[f".{kind}"], Path(folder) / "files", draws))
    write(out, found, {name: checks.about(name) for name in checks.names()})
