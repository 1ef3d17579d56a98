"""Device that a job trains on, as the configuration states it."""

from collections.abc import Mapping
from typing import Any

from quantrift.core.settings.repairs import trains
from quantrift.core.settings.training import Device, Training
from quantrift.study.planning.root import Config


def of(config: Config, rule: str, wildcards: Mapping[str, str]) -> Device:
    """Device of a job: that of its training; processors where it trains nothing."""
    training = _training(config, rule, wildcards)
    return training.device if training else "cpu"


def _training(config: Config, rule: str, wildcards: Mapping[str, str]) -> Training | None:
    found: Any = None
    if rule in ("train", "train_blocks"):
        found = config.network(wildcards["model"], wildcards["dataset"])
    elif rule == "train_bits":
        found = config.bit_studies[wildcards["study"]].trained(wildcards["dataset"], wildcards["model"])
    elif rule == "repair_model":
        found = config.repair
    elif rule in ("compress", "compress_by_training"):
        settings = config.compressions.get(wildcards["compression"])
        found = settings if settings and trains(settings) else None
    training: Training | None = getattr(found, "training", None)
    return training


def asked(config: Config) -> bool:
    """Whether any training asks for a device."""
    return _asks(config.model_dump(mode="json", exclude={"training"}))


def _asks(stated: Any) -> bool:
    if isinstance(stated, Mapping):
        return stated.get("device") == "gpu" or any(map(_asks, stated.values()))
    return isinstance(stated, list) and any(map(_asks, stated))
