"""Abbreviations within a configuration as YAML states it: names and settings that entries take over from others.

What is malformed stays as it is, to be named by the check of the whole. Each mistake is one line that begins with the
key.
"""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from math import sqrt
from typing import Any

from quantrift.core.base import search_parts
from quantrift.core.base.errors import nearest
from quantrift.core.base.merge import merged
from quantrift.core.settings.bit_studies import THESIS
from quantrift.core.settings.fields import refuse
from quantrift.core.settings.networks import Networks
from quantrift.core.settings.part_settings import one_part
from quantrift.study.compression import method

ANY = "*"
"""Stands for any letters of a name, none included."""
LARGER = 8
"""Factor of the preset ``large_batch`` on batches."""
OF_ISOLATED = ("isolated_of", "inputs", "first_attack")
"""Settings that a protocol with ``isolated_of`` has of its own."""
Entry = Mapping[str, Any]


def in_full(whole: Entry) -> dict[str, Any]:
    """A whole configuration with every abbreviation written out.

    Raises:
        ValueError: one line that begins with the key.
    """
    made = _trained_alike(lists_in_full(whole))
    seen: dict[str, str] = {}
    return {
        **made,
        **_each(made, "protocols", lambda name, own: _isolated(name, own, made["protocols"], seen)),
        **_each(made, "tools", lambda name, own: _like_another(name, own, made["tools"], (name,))),
    }


def with_parts(layer: Entry) -> dict[str, Any]:
    """A layer of configuration with the parts of its tools and calibrations in one form, so that they can be merged."""
    return {**layer, **_each(layer, "tools", _in_one_form), **_each(layer, "calibrations", _in_one_form)}


def _in_one_form(_: str, own: Entry) -> Entry:
    return {key: _part_or_else(value) if key in search_parts.FOLDERS else value for key, value in own.items()}


def _part_or_else(value: Any) -> Any:
    try:
        return one_part(value)
    except ValueError:
        return value


def lists_in_full(whole: Entry) -> dict[str, Any]:
    """A whole configuration with its abbreviated lists of names written out: ``agree: all``, patterns of targets."""
    return {
        **whole,
        **_each(whole, "protocols", lambda name, own: _agreeing(whole, name, own)),
        **_each(whole, "targets", lambda name, own: _collected(whole, name, own)),
    }


def _each(whole: Entry, section: str, change: Callable[[str, Entry], Entry]) -> dict[str, Any]:
    """A section with a change of each of its entries; nothing where it is no section."""
    entries = whole.get(section)
    if not isinstance(entries, Mapping):
        return {}
    return {section: {name: change(name, own) if isinstance(own, Mapping) else own for name, own in entries.items()}}


def _mappings(whole: Entry, section: str) -> dict[str, Entry]:
    """Entries of a section that are mappings."""
    entries = whole.get(section)
    found = entries.items() if isinstance(entries, Mapping) else ()
    return {name: own for name, own in found if isinstance(own, Mapping)}


def _agreeing(whole: Entry, name: str, own: Entry) -> Entry:
    """A protocol; ``agree: all`` names the compressions of the groups of subjects that are searched under it.

    Groups without a dataset or a network are searched nowhere and say nothing.
    """
    if own.get("agree") != "all":
        return own
    experiments = [one for one in _mappings(whole, "experiments").values() if one.get("protocol") == name]
    if not experiments:
        raise ValueError(
            f"protocols.{name}.agree: all means those that experiments search under it, but no experiment does; "
            "name the compressions"
        )
    groups = _mappings(whole, "subjects")
    found = {
        group: groups[group].get("compression", [])
        for group in dict.fromkeys(str(one.get("subjects")) for one in experiments)
        if group in groups and groups[group].get("dataset") and groups[group].get("model")
    }
    first, common = next(iter(found.items()), ("", []))
    for group, compressions in found.items():
        if compressions != common:
            raise ValueError(
                f"protocols.{name}.agree: all means different ones for the groups of subjects '{first}' and '{group}'; "
                "name the compressions"
            )
    return {**own, "agree": common}


def _collected(whole: Entry, name: str, own: Entry) -> Entry:
    """A target; the patterns of a collection become the tables and figures they fit, in the order of these."""
    if own.get("kind") != "collection" or not isinstance(own.get("targets"), list):
        return own
    known = [one for one, other in _mappings(whole, "targets").items() if other.get("kind") != "collection"]
    full: list[Any] = []
    for one in own["targets"]:
        is_pattern = isinstance(one, str) and ANY in one
        fitting = [other for other in known if fnmatchcase(other, one)] if is_pattern else [one]
        if not fitting:
            hint = nearest(one.replace(ANY, ""), known)
            raise ValueError(f"targets.{name}.targets: no table or figure is named like '{one}'; {hint}")
        full += fitting
    return {**own, "targets": full}


def _trained_alike(whole: dict[str, Any]) -> dict[str, Any]:
    """The same with the device and the preset of the section ``training`` in each training that does not state them."""
    stated = whole.get("training")
    if not isinstance(stated, Mapping):
        return whole
    if stated.get("preset") == "large_batch":
        whole = whole | _each(whole, "bit_studies", lambda _, own: _larger_study(own))
    # Anything else is a mistake, which is to be named where it stands.
    if stated.get("device") != "gpu":
        return whole
    device = {"training": {"device": "gpu"}}
    return {
        **whole,
        **_each(whole, "compressions", lambda _, own: merged(device, own) if _trains(own) else own),
        **_each(whole, "bit_studies", lambda _, own: merged(device, own)),
        "models": merged(dict.fromkeys(Networks.model_fields, device), whole.get("models") or {}),
        "repair": merged(device, whole.get("repair") or {}),
    }


def _trains(compression: Entry) -> bool:
    """Whether a compression has settings of a training."""
    return any(
        "training" in one.model_fields and one.model_fields["method"].default == compression.get("method")
        for one in method.all_settings()
    )


def _larger_study(study: Entry) -> Entry:
    """A bit study with the preset ``large_batch``, in the trainings of single networks too."""
    if not isinstance(study.get("training", {}), Mapping):
        return study
    common = THESIS.model_dump(include={"batch", "learning_rate", "optimizer"}) | dict(study.get("training", {}))
    made = _larger({**study, "training": common}, common["optimizer"])
    if isinstance(study.get("per_network"), Mapping):
        made["per_network"] = {
            dataset: {model: _larger(own, common["optimizer"]) for model, own in models.items()}
            for dataset, models in study["per_network"].items()
        }
    return made


def _larger(own: Any, optimizer: str) -> Any:
    """Settings with a training whose stated ones among batch and learning rate are larger."""
    training = own.get("training") if isinstance(own, Mapping) else None
    if not isinstance(training, Mapping):
        return own
    by_sum = training.get("optimizer", optimizer) == "sgd"
    factors = {"batch": LARGER, "learning_rate": LARGER if by_sum else sqrt(LARGER)}
    larger = {key: training[key] * by for key, by in factors.items() if isinstance(training.get(key), int | float)}
    return {**own, "training": {**training, **larger}}


def _isolated(name: str, own: Entry, protocols: Entry, seen: dict[str, str]) -> Entry:
    """A protocol; one with ``isolated_of`` takes over the settings of another protocol, in a single run seed.

    It has no more inputs than that one, so that it draws the first of its inputs. ``seen`` are those before it, by the
    name that they state.
    """
    if not own.get("isolated_of"):
        return own
    where, other = f"protocols.{name}", str(own["isolated_of"])
    base = protocols.get(other, {})
    if not isinstance(base, Mapping):
        return own
    taken, of_base = {**base, "run_seeds": 1}, base.get("isolated_of")
    changed = [key for key, value in own.items() if key not in OF_ISOLATED and value != taken.get(key)]
    first, again = seen.setdefault(other, name), f"isolated searches are those of '{other}', in one run seed; remove it"
    refuse(
        {
            f"{where}.isolated_of: unknown protocol '{other}'; {nearest(other, protocols)}": other not in protocols,
            f"{where}.isolated_of: '{other}' is isolated itself; name '{of_base}'": of_base,
            f"{where}.isolated_of: '{first}' is isolated_of '{other}' already; remove one of them": first != name,
            **{f"{where}.{key}: {again}": True for key in changed},
        }
    )
    counts = [one["inputs"] for one in (own, base) if isinstance(one.get("inputs"), int)]
    return {**taken, **own, **({"inputs": min(counts)} if "inputs" in own and counts else {})}


def _like_another(name: str, own: Entry, tools: Entry, seen: tuple[str, ...]) -> Entry:
    """A tool; one with ``like`` takes over the settings of another tool, but for its title.

    A part of the same name keeps the settings that are not stated again; a part of another name has its own alone.
    ``seen`` is the chain of tools that led to it.
    """
    if own.get("like") is None:
        return own
    model = own["like"]
    if not isinstance(model, str) or model not in tools:
        raise ValueError(f"tools.{name}.like: unknown tool '{model}'; {nearest(str(model), tools)}")
    if model in seen:
        raise ValueError(f"tools.{name}.like: leads back to itself, {' -> '.join([*seen, model])}; state its parts")
    base = tools[model]
    base = _like_another(model, base, tools, (*seen, model)) if isinstance(base, Mapping) else {}
    taken = {key: value for key, value in base.items() if key not in ("title", "like")}
    for key, value in own.items():
        try:
            taken[key] = _part(taken[key], value) if key in search_parts.FOLDERS and key in taken else value
        except ValueError as error:
            raise ValueError(f"tools.{name}.{key}: {error}") from None
    return taken


def _part(base: Any, own: Any) -> dict[str, Any]:
    first, second = one_part(base), one_part(own)
    if first["name"] != second["name"]:
        return second
    return {"name": second["name"], "params": {**first.get("params", {}), **second.get("params", {})}}
