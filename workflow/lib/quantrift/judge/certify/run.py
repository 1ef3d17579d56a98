"""Run of a certification: from files and neighbourhoods to certificates and counterexamples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from quantrift.core.base.errors import refuse
from quantrift.core.base.inputs import ImageStack, Inputs
from quantrift.core.base.moved_files import COMMIT, alone_in, files_below, finish_moving, move_into, unfinished
from quantrift.core.base.progress_bar import bar
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.judge.certify import certificate
from quantrift.judge.certify.asked_neighbourhoods import CERTIFIED, Settings, asked
from quantrift.judge.certify.bounds.decision import Decider
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.certificate import FILE, Certificate
from quantrift.judge.certify.enumeration import Enumerator
from quantrift.judge.certify.loaded_subject import Files, Subject, loaded
from quantrift.judge.certify.progress import Estimate, ProgressFile, Work
from quantrift.judge.certify.proof import Prover
from quantrift.judge.intake.given_networks import Ready
from quantrift.judge.verdict.tool_result import Counted


@dataclass(frozen=True)
class Certified:
    """A certificate, and what the run took."""

    certificate: Certificate
    seconds: Mapping[str, float]
    """Neighbourhood -> seconds of processor time of this run."""


def certify(
    files: Files, out: Path, settings: Settings, announce: Callable[[Sequence[Estimate]], None] = lambda _: None
) -> Certified:
    """Enumerate neighbourhoods of inputs on both networks, and prove boxes by bounds.

    Writes the folder ``out`` (``judge.certify.certificate``). A run into the folder of an earlier one, killed or
    ended by its budget, goes on where that was, and its files are the same as those of one run.

    Args:
        files: networks and inputs.
        out: folder; it may hold certificates of the same networks and inputs.
        settings: what is asked for.
        announce: told what is left to do, before it starts.

    Raises:
        QuantriftError: one line, if anything keeps it from running.
    """
    with loaded(files) as subject:
        return of_subject(subject, out, settings, announce)


def of_subject(
    subject: Subject,
    out: Path,
    settings: Settings,
    announce: Callable[[Sequence[Estimate]], None] = lambda _: None,
) -> Certified:
    """The same of networks that run already."""
    images = subject.images.images[: _number(settings, subject)]
    wanted = asked(settings.neighbourhoods, subject.images.shape)
    enumerator = Enumerator(subject.networks, subject.scale)
    # Networks without bounds are refused before anything is written.
    prover = Prover(
        Decider(enumerator, subject.bounded() if any(isinstance(one, Boxes) for one in wanted) else []), settings.boxes
    )
    with alone_in(out):
        finish_moving(out, lambda: [name for name in files_below(out / COMMIT / "new") if (out / name).exists()], FILE)
        file = ProgressFile(out, subject.outcomes_depend_on())
        file.write()
        work = Work(enumerator, prover, images, file, settings.budget)
        with file.read():
            # The first run of a network takes longer than those that follow.
            enumerator.labels(images[:1])
            planned = [work.estimate(one) for one in wanted]
        announce(planned)
        seconds = _worked(work, wanted, sum(one.members for one in planned))
        with file.read(), unfinished(out) as new:
            found = certificate.write(new, subject, [(one, work.states(one)) for one in wanted], settings, enumerator)
            move_into(out, new, [name for name in files_below(new) if (out / name).exists()], FILE)
        return Certified(found, seconds)


def _worked(work: Work, wanted: Sequence[Neighbourhood | Boxes], total: int) -> dict[str, float]:
    """Decide everything, with a progress bar; neighbourhood -> seconds of processor time."""
    seconds: dict[str, float] = {}
    try:
        with bar(desc="certify", total=total, unit=" steps", unit_scale=True) as progress:
            for one in wanted:
                began = process_time()
                for count in work.run(one):
                    progress.update(count)
                seconds[one.text] = process_time() - began
    finally:
        # Also where the run is interrupted, so that the next one goes on from here.
        work.file.write()
    return seconds


def _number(settings: Settings, subject: Subject) -> int:
    """Inputs that are asked for."""
    count = len(subject.images)
    number = count if settings.number is None else settings.number
    refuse(
        (
            not 1 <= number <= count,
            f"{subject.inputs}: holds {count} inputs, but --number is {number}; give 1 to {count}",
        ),
        (settings.boxes < 1, f"--boxes is {settings.boxes}; give the boxes to cut each one into, 1 or more"),
        (
            settings.budget is not None and settings.budget < 1,
            f"--budget is {settings.budget}; give the members of a neighbourhood to look at, 1 or more",
        ),
    )
    return number


@dataclass(frozen=True)
class WithinAssessment:
    """See :class:`quantrift.judge.verdict.tool_result.Certifier`."""

    neighbourhoods: str
    """See ``quantrift.judge.certify.asked_neighbourhoods``."""
    number: int = CERTIFIED
    """First inputs of the file; all where it has fewer."""
    command: str = ""
    array: str | None = None

    def check(self, inputs: Inputs) -> None:
        """See :class:`quantrift.judge.verdict.tool_result.Certifier`."""
        refuse(
            (
                not isinstance(inputs, ImageStack),
                "--certify: the inputs are no images of 8 bits, and only their neighbourhoods are finite; leave it out",
            ),
            (self.number < 1, f"--certify-number is {self.number}; give 1 or more"),
        )
        asked(self.neighbourhoods, inputs.shape, "--certify")

    def __call__(
        self, original: Ready, compressed: Ready, inputs: Inputs, file: Path, assumed: Sequence[str], out: Path
    ) -> list[Counted]:
        """See :class:`quantrift.judge.verdict.tool_result.Certifier`."""
        assert isinstance(inputs, ImageStack)
        return of_subject(
            Subject.of(original, compressed, inputs, assumed, file, self.array),
            out,
            Settings(self.neighbourhoods, min(self.number, len(inputs)), command=self.command),
        ).certificate.neighbourhoods
