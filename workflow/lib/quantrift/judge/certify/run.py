"""Run of a certification: from files and neighbourhoods to certificates and counterexamples."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from tqdm import tqdm

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.folder_lock import alone_in
from quantrift.core.base.moved_files import COMMIT, files_below, finish_moving, move_into, unfinished
from quantrift.judge.certify import written_files
from quantrift.judge.certify.asked_neighbourhoods import asked
from quantrift.judge.certify.bounds.decision import Decider
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.certificate import FILE, Certificate
from quantrift.judge.certify.enumeration import Enumerator
from quantrift.judge.certify.estimate import Estimate, estimate
from quantrift.judge.certify.loaded_subject import Files, Subject, loaded
from quantrift.judge.certify.progress_file import ProgressFile
from quantrift.judge.certify.proof import Prover
from quantrift.judge.certify.settings import Settings
from quantrift.judge.certify.steps import Steps
from quantrift.judge.certify.written_files import Results


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

    Writes the folder ``out`` (``judge.certify.written_files``). A run into the folder of an earlier one, killed or
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
    bounded = subject.bounded() if any(isinstance(one, Boxes) for one in wanted) else []
    prover = Prover(Decider(enumerator, bounded), settings.boxes)
    with alone_in(out):
        finish_moving(out, lambda: [name for name in files_below(out / COMMIT / "new") if (out / name).exists()], FILE)
        progress = ProgressFile(out, subject.outcomes_depend_on())
        progress.write()
        steps = Steps(enumerator, prover, progress.progress, settings.budget)
        with progress.read():
            planned = estimate(enumerator, prover, wanted, images, progress.progress, settings.budget)
        announce(planned)
        seconds: dict[str, float] = {}
        # Bars are for what takes a while.
        pause = 0.5 if sys.stderr.isatty() else 15
        total = sum(one.members for one in planned)
        try:
            with tqdm(desc="certify", total=total, unit=" steps", unit_scale=True, mininterval=pause) as bar:
                for neighbourhood in wanted:
                    began = process_time()
                    for number, image in enumerate(images):
                        for count, state in steps.run(neighbourhood, image, number):
                            bar.update(count)
                            progress.note(neighbourhood.text, number, state)
                    seconds[neighbourhood.text] = process_time() - began
        finally:
            # Also where the run is interrupted, so that the next one goes on from here.
            progress.write()
        states = {one.text: [steps.last(one, number) for number in range(len(images))] for one in wanted}
        results = Results(subject, wanted, states, settings)
        with progress.read(), unfinished(out) as work:
            certificate = written_files.write(work, results, enumerator)
            earlier = [name for name in files_below(work) if (out / name).exists()]
            move_into(out, work, earlier, FILE)
        return Certified(certificate, seconds)


def _number(settings: Settings, subject: Subject) -> int:
    """Inputs that are asked for."""
    count = len(subject.images)
    number = count if settings.number is None else settings.number
    if not 1 <= number <= count:
        raise QuantriftError(f"{subject.inputs}: holds {count} inputs, but --number is {number}; give 1 to {count}")
    if settings.boxes < 1:
        raise QuantriftError(f"--boxes is {settings.boxes}; give the boxes to cut each one into, 1 or more")
    if settings.budget is not None and settings.budget < 1:
        raise QuantriftError(
            f"--budget is {settings.budget}; give the members of a neighbourhood to look at, 1 or more"
        )
    return number
