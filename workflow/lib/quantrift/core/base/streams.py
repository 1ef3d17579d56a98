"""Random streams by key: a result depends on its own key alone."""

import hashlib

import numpy as np


def stream(*key: str | int) -> np.random.Generator:
    """The generator of a key: equal keys give equal streams on every machine, other keys independent ones.

    The key is hashed by sha256 (Python's own hash changes from process to process) into numpy's ``SeedSequence``.
    """
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in key)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words.tolist())))
