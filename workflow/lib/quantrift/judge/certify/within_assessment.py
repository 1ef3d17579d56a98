"""Certification of the compressed networks of an assessment (``quantrift assess --certify``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.inputs import ImageStack, Inputs
from quantrift.judge.certify.asked_neighbourhoods import asked
from quantrift.judge.certify.loaded_subject import Subject
from quantrift.judge.certify.run import of_subject
from quantrift.judge.certify.settings import CERTIFIED, Settings
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.certified_share import Counted


@dataclass(frozen=True)
class WithinAssessment:
    """See :class:`quantrift.judge.verdict.certified_share.Certifier`."""

    neighbourhoods: str
    """See ``quantrift.judge.certify.asked_neighbourhoods``."""
    number: int = CERTIFIED
    """First inputs of the file; all where it has fewer."""
    command: str = ""
    array: str | None = None

    def check(self, inputs: Inputs) -> None:
        """See :class:`quantrift.judge.verdict.certified_share.Certifier`."""
        if not isinstance(inputs, ImageStack):
            raise QuantriftError(
                "--certify: the inputs are no images of 8 bits, and only their neighbourhoods are finite; leave it out"
            )
        if self.number < 1:
            raise QuantriftError(f"--certify-number is {self.number}; give 1 or more")
        asked(self.neighbourhoods, inputs.shape, "--certify")

    def __call__(
        self, original: Ready, compressed: Ready, inputs: Inputs, file: Path, assumed: Sequence[str], out: Path
    ) -> list[Counted]:
        """See :class:`quantrift.judge.verdict.certified_share.Certifier`."""
        if not isinstance(inputs, ImageStack):
            raise TypeError("no images of 8 bits")
        settings = Settings(self.neighbourhoods, min(self.number, len(inputs)), command=self.command)
        subject = Subject.of(original, compressed, inputs, assumed, file, self.array)
        return of_subject(subject, out, settings).certificate.neighbourhoods
