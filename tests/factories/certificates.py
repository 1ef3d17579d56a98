"""Certificates as they lie in a folder."""

from pathlib import Path

from quantrift.judge.certify.certificate import FILE, Certificate
from quantrift.judge.intake.dataclass_file import read_dataclass


def read(folder: Path) -> Certificate:
    """The certificate of a folder, which a run wrote."""
    return read_dataclass(folder / FILE, Certificate, "a certificate", "quantrift certify")
