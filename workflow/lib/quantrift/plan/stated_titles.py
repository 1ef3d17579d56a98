"""Titles that the configuration states, by id: those of config/titles.yaml, and those that entries have themselves."""

from quantrift.config.robustness import ATTACKS
from quantrift.plan.root import Config


def stated(config: Config) -> dict[str, str]:
    """All but those of datasets; an entry's own title goes before that of config/titles.yaml."""
    return {**config.titles, **_own(config)}


def in_figures(config: Config) -> dict[str, str]:
    """Those of attacks, and those that entries have themselves.

    On purpose without the others: figures that are not made from tables name networks and compressions by their ids,
    which fit above a panel, and the bits of weights in fewer words than tables.
    """
    return {name: config.titles[name] for name in ATTACKS if name in config.titles} | _own(config)


def _own(config: Config) -> dict[str, str]:
    sections = (config.tools, config.calibrations, config.compressions, config.models.files)
    return {name: one.title for section in sections for name, one in section.items() if one.title}
