"""Protocols with ``isolated_of``: searches of another protocol, run again one by one for their seconds."""

from collections.abc import Mapping
from typing import Any

from quantrift.core.base.errors import nearest

OWN = ("isolated_of", "inputs", "first_attack")
"""Settings that such a protocol has of its own."""


def resolved(protocols: Mapping[str, Any]) -> dict[str, Any]:
    """Protocols as in YAML, those with ``isolated_of`` completed by the settings of the one named there.

    They have a single run seed, and no more inputs than the other protocol, so that they draw the first of its inputs.
    What is malformed stays, to be named later.

    Raises:
        ValueError: one line that begins with the key, where ``isolated_of`` names no protocol, or one of its kind,
            where two name the same, or where more is stated than they may have of their own.
    """
    seen: dict[str, str] = {}
    return {
        name: _completed(name, own, protocols, seen) if isinstance(own, Mapping) and own.get("isolated_of") else own
        for name, own in protocols.items()
    }


def _completed(name: str, own: Mapping[str, Any], protocols: Mapping[str, Any], seen: dict[str, str]) -> dict[str, Any]:
    """A protocol with the settings it takes over; ``seen`` are those before it, by the name that they state."""
    where, other = f"protocols.{name}", str(own["isolated_of"])
    if other not in protocols:
        raise ValueError(f"{where}.isolated_of: unknown protocol '{other}'; {nearest(other, protocols)}")
    base = protocols[other]
    if not isinstance(base, Mapping):
        return dict(own)
    if base.get("isolated_of"):
        raise ValueError(f"{where}.isolated_of: '{other}' is isolated itself; name '{base['isolated_of']}'")
    if (first := seen.setdefault(other, name)) != name:
        raise ValueError(f"{where}.isolated_of: '{first}' is isolated_of '{other}' already; remove one of them")
    taken = {**base, "run_seeds": 1}
    for key, value in own.items():
        if key not in OWN and value != taken.get(key):
            raise ValueError(f"{where}.{key}: isolated searches are those of '{other}', in one run seed; remove it")
    counts = [one["inputs"] for one in (own, base) if isinstance(one.get("inputs"), int)]
    return {**taken, **own, **({"inputs": min(counts)} if "inputs" in own and counts else {})}
