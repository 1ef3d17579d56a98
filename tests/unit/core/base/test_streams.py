"""Random streams depend on their key alone."""

import subprocess
import sys

import numpy as np

from quantrift.core.base.streams import stream


def test_a_key_gives_the_same_stream_in_every_process() -> None:
    code = "from quantrift.core.base.streams import stream\n"
    code += "print(stream('search', 'pso_div', 3, 'mnist', 17).integers(2**62))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == stream("search", "pso_div", 3, "mnist", 17).integers(2**62)


def test_other_keys_give_other_streams() -> None:
    keys = [("a", 1), ("a", 2), ("b", 1), ("a1",), ("a", "1"), (1, "a"), ("a", 1, "")]
    draws = {tuple(stream(*key).integers(2**62, size=2)) for key in keys}
    assert len(draws) == len(keys)


def test_streams_of_neighbouring_keys_are_uncorrelated() -> None:
    first, second = (stream("x", number).random(20_000) for number in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03
