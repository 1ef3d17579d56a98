"""Blocks of the networks of a bit study, and their names; one job trains a block and one attacks it."""

import re

from quantrift.core.settings.bit_studies import BitStudy

PATTERN = r"networks_\d+-\d+"
"""Pattern of the name of a block."""


def networks(study: BitStudy, block: str | None = None) -> list[tuple[str, int]]:
    """Setting and repetition of each network of a study, or of one of its blocks, setting by setting."""
    every = [(setting, repetition) for setting in study.settings for repetition in range(study.repetitions)]
    if block is None:
        return every
    first, last = map(int, re.findall(r"\d+", block))
    return every[first : last + 1]


def attacked(study: BitStudy, block: str) -> list[tuple[str, int]]:
    """The networks of a block that are attacked."""
    return [(setting, number) for setting, number in networks(study, block) if setting in study.attacked_settings]


def of_length(study: BitStudy, wanted: int) -> list[str]:
    """Names of nearly equal blocks of at most ``wanted`` networks (1 at least); names sort as networks do."""
    total = len(networks(study))
    size = -(-total // -(-total // wanted))
    return [f"networks_{first:03d}-{min(first + size, total) - 1:03d}" for first in range(0, total, size)]
