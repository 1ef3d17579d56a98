"""Titles that the configuration states, by id: those of config/titles.yaml, and those that entries have themselves."""

from quantrift.study.planning.root import Config


def stated(config: Config) -> dict[str, str]:
    """All but those of datasets; an entry's own title goes before that of config/titles.yaml."""
    return {**config.titles, **_own(config)}


def in_figures(config: Config) -> dict[str, str]:
    """The same without the settings of bit studies: figures name these in fewer words than tables."""
    bits = {name for study in config.bit_studies.values() for name in study.settings}
    return {name: title for name, title in config.titles.items() if name not in bits} | _own(config)


def _own(config: Config) -> dict[str, str]:
    sections = (config.tools, config.calibrations, config.compressions, config.models.files)
    return {name: one.title for section in sections for name, one in section.items() if one.title}
