"""Content of ``certificate.json``: what is proven about what. Fractions are 0 to 1."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from quantrift.core.base.files import write_json
from quantrift.core.search.neighbourhood import Neighbourhood
from quantrift.core.statistics.clustered import clopper_pearson
from quantrift.judge.certify.boxes import Boxes
from quantrift.judge.certify.enumeration import State
from quantrift.judge.certify.proof import Proof
from quantrift.judge.intake.dataclass_file import read_dataclass
from quantrift.judge.verdict.assessment import Model, Verdict
from quantrift.judge.verdict.certified_share import Counted

FILE = "certificate.json"
CLAIM = (
    "Certified: both networks, as these files, were run on every image of the neighbourhood, on the runtimes, versions "
    "and type of processor named here, and gave the same label each time. Nothing is claimed about other images, other "
    "files, other versions or another type of processor."
)

CLAIM_OF_BOXES = (
    " Proven: on every image of the boxes, real arithmetic with the rounding of LiteRT's float32 and int8 kernels as "
    "quantrift.judge.certify.bounds.arithmetic states it gives the same label by both networks. That is a model of the "
    "kernels; small boxes and counterexamples alone were run on the runtimes."
)


@dataclass(frozen=True)
class Network:
    """A network that was run."""

    given: Model
    """The file that the user gave."""
    run_sha256: str
    """Digest of the file that was run: the given one, or its conversion."""
    runtime: str
    """Name of the runtime."""


@dataclass(frozen=True)
class Inputs:
    """Images whose neighbourhoods were enumerated."""

    file: str
    sha256: str
    number: int
    """The first so many of the file."""
    shape: tuple[int, int, int]
    """Rows, columns and channels."""
    black: list[float]
    """Value of the byte 0 as the networks take it, of all channels or of each."""
    white: list[float]
    """Value of 255, likewise."""
    disagree_as_given: int
    """Images on which the networks disagree without any change."""


@dataclass(frozen=True)
class Certificate:
    """Everything that a certificate states."""

    claim: str
    command: str
    versions: dict[str, str]
    """Package -> version."""
    processor: dict[str, str | list[str]]
    """``model`` and ``instruction_sets``."""
    original: Network
    compressed: Network
    inputs: Inputs
    budget: int | None
    """Most members of a neighbourhood of one input; None where there was no budget."""
    neighbourhoods: list[Counted]
    assumed: list[str]
    """Assumptions on the files, one line each."""
    boxes: int | None = None
    """Most boxes that one box was cut into; None where no boxes were asked for."""

    @property
    def verdict(self) -> Verdict:
        """``pass`` where all is certified, ``fail`` where there is a counterexample, else ``inconclusive``."""
        if any(one.counterexamples for one in self.neighbourhoods):
            return "fail"
        return "inconclusive" if any(one.unfinished or one.unknown for one in self.neighbourhoods) else "pass"


def claim(wanted: Sequence[Neighbourhood | Boxes]) -> str:
    """The claim of a certificate about some neighbourhoods."""
    return CLAIM + CLAIM_OF_BOXES if any(isinstance(one, Boxes) for one in wanted) else CLAIM


def counted(neighbourhood: Neighbourhood | Boxes, states: Sequence[State | Proof]) -> Counted:
    """Outcomes of one neighbourhood from its states, one of each input; at least one."""
    outcomes = Counter(state.outcome(neighbourhood.size) for state in states)
    share = (outcomes["certified"] + outcomes["proven"]) / len(states)
    low, high = clopper_pearson(share, len(states))
    return Counted(
        neighbourhood=neighbourhood.text,
        members=None if isinstance(neighbourhood, Boxes) else neighbourhood.size,
        distinct=sum(state.images if isinstance(state, Proof) else state.distinct for state in states),
        certified=outcomes["certified"],
        counterexamples=outcomes["counterexample"],
        unfinished=outcomes["unfinished"],
        share=share,
        low=low,
        high=high,
        proven=outcomes["proven"],
        unknown=outcomes["unknown"],
    )


def write(certificate: Certificate, folder: Path) -> None:
    """Write ``certificate.json`` to a folder."""
    write_json(folder / FILE, asdict(certificate))


def read(folder: Path) -> Certificate:
    """Read the certificate that ``write`` wrote to a folder.

    Raises:
        QuantriftError: if there is none, or it is damaged.
    """
    return read_dataclass(folder / FILE, Certificate, "a certificate", "quantrift certify")
