"""Layered configuration: what later files say goes over what earlier ones said."""

from typing import Any


def merged(base: Any, over: Any) -> Any:
    """``base`` with ``over`` laid on it, mappings key by key, everything else replaced whole."""
    if isinstance(base, dict) and isinstance(over, dict):
        return {**base, **{key: merged(base.get(key), value) for key, value in over.items()}}
    return over
