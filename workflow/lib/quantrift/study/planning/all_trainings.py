"""The section ``training``: settings that every training takes over which does not state them."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

from quantrift.core.base.merge import merged
from quantrift.core.settings.bit_studies import THESIS
from quantrift.core.settings.networks import Networks
from quantrift.study.compression import method

LARGER = 8
"""Factor of the preset ``large_batch`` on batches."""


def resolved(whole: Mapping[str, Any]) -> dict[str, Any]:
    """A whole configuration as in YAML, with the device and the preset of its section ``training`` in each training.

    What is no mapping stays as it is, for the check of the whole to name.
    """
    stated = whole.get("training")
    made = dict(whole)
    if not isinstance(stated, Mapping):
        return made
    if stated.get("preset") == "large_batch" and isinstance(whole.get("bit_studies"), Mapping):
        made["bit_studies"] = {name: _larger_study(study) for name, study in whole["bit_studies"].items()}
    # Anything else is a mistake, which is to be named where it stands.
    if stated.get("device") != "gpu":
        return made
    device = {"training": {"device": "gpu"}}
    trained = {name: device for name in Networks.model_fields}
    made["models"] = merged(trained, made.get("models") or {})
    for section in ("compressions", "bit_studies"):
        if isinstance(made.get(section), Mapping):
            made[section] = {
                name: merged(device, own) if section == "bit_studies" or _trains(own) else own
                for name, own in made[section].items()
            }
    made["repair"] = merged(device, made.get("repair") or {})
    return made


def _trains(compression: Any) -> bool:
    """Whether a compression has settings of a training."""
    named = compression.get("method") if isinstance(compression, Mapping) else None
    known = {settings.model_fields["method"].default: settings for settings in method.all_settings()}
    return named in known and "training" in known[named].model_fields


def _larger_study(study: Any) -> Any:
    """A bit study with the preset ``large_batch``, in the trainings of single networks too."""
    if not isinstance(study, Mapping) or not isinstance(study.get("training", {}), Mapping):
        return study
    common = THESIS.model_dump(include={"batch", "learning_rate", "optimizer"}) | dict(study.get("training", {}))
    made = {**study, "training": _larger(common, common["optimizer"])}
    if isinstance(study.get("per_network"), Mapping):
        made["per_network"] = {
            dataset: {model: _larger_network(own, common["optimizer"]) for model, own in models.items()}
            for dataset, models in study["per_network"].items()
        }
    return made


def _larger_network(own: Any, optimizer: str) -> Any:
    if not isinstance(own, Mapping) or not isinstance(own.get("training"), Mapping):
        return own
    return {**own, "training": _larger(own["training"], own["training"].get("optimizer", optimizer))}


def _larger(training: Mapping[str, Any], optimizer: str) -> dict[str, Any]:
    """The stated ones among batch and learning rate, larger."""
    factors = {"batch": LARGER, "learning_rate": LARGER if optimizer == "sgd" else sqrt(LARGER)}
    return {
        key: value * factors[key] if key in factors and isinstance(value, int | float) else value
        for key, value in training.items()
    }
