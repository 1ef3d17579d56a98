"""OpenCV runs on one thread, and where it is missing one line says what needs it and how to get it."""

import sys

import cv2
import pytest

from quantrift.core.base.errors import QuantriftError
from quantrift.core.search.libraries.installed import opencv


def test_it_runs_on_one_thread() -> None:
    cv2.setNumThreads(2)
    assert opencv().getNumThreads() == 1


def test_where_it_is_missing_one_line_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    message = r"^this change of images needs OpenCV; pip install 'quantrift\[triggerfinder\]'$"
    with pytest.raises(QuantriftError, match=message):
        opencv()
