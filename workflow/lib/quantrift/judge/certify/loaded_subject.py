"""Two networks and 8-bit images from a user's files, checked and ready to be enumerated."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from quantrift.core.base import code_digests
from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import sha256
from quantrift.core.base.inputs import ImageStack
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.foreign.requirements import check_independence
from quantrift.core.networks.runtime import FOLDER, file_digest
from quantrift.core.page.provenance import processor
from quantrift.core.pairs import given_pair
from quantrift.core.pairs.pair import Networks, PairFiles
from quantrift.core.search.neighbourhood_kinds import module_names
from quantrift.core.search.space import Domain
from quantrift.core.search.spaces import pixels
from quantrift.core.search.spaces.pixels import Pixels
from quantrift.judge.certify import proof
from quantrift.judge.certify.bounds.bounded_network import BoundedNetwork
from quantrift.judge.intake import given_inputs
from quantrift.judge.intake.fitted_inputs import fitted
from quantrift.judge.intake.fitting_networks import check_fit, check_not_swapped
from quantrift.judge.intake.given_networks import Ready, compressed, original, versions_of
from quantrift.judge.intake.input_form import FROM_FILES, InputForm


@dataclass(frozen=True)
class Files:
    """Files of a user, and what the user says of them."""

    original: Path
    """As for ``quantrift.judge.intake.given_networks.original``."""
    compressed: Path
    """.tflite or .onnx."""
    inputs: Path
    """.npz with images of 8 bits, on any scale, and labels if there are any."""
    array: str | None = None
    """Name of the array of inputs; found by its name otherwise."""
    labels: str | None = None
    """Name of the array of labels, likewise."""
    form: InputForm = FROM_FILES


@dataclass(frozen=True, eq=False)
class Subject:
    """Networks that run, and the images."""

    original: Ready
    compressed: Ready
    networks: Networks
    images: ImageStack
    scale: Pixels
    """Takes bytes to what the networks take."""
    assumed: list[str]
    """Assumptions, one line each."""
    inputs: Path
    """The file of the images."""
    array: str | None
    """Name of the array of inputs that was asked for."""

    @staticmethod
    def of(
        original: Ready, compressed: Ready, images: ImageStack, assumed: Sequence[str], inputs: Path, array: str | None
    ) -> "Subject":
        """Networks of checked files, loaded once more to run as a pair."""
        return Subject(
            original=original,
            compressed=compressed,
            networks=given_pair.load(
                PairFiles(
                    original=original.path,
                    compressed=compressed.path,
                    original_runtime=original.runtime,
                    compressed_runtime=None if compressed.own_runtime else compressed.runtime,
                )
            ),
            images=images,
            scale=pixels.bind(pixels.Params(), Domain.of(images)),
            assumed=list(assumed),
            inputs=inputs,
            array=array,
        )

    def bounded(self) -> list[BoundedNetwork]:
        """Both networks, original first, as bounds see them.

        Raises:
            QuantriftError: one line, if there are no bounds for one of them.
        """
        both = (self.original, self.compressed)
        for one in both:
            refuse(
                (
                    not one.own_runtime,
                    f"{one.given}: bounds are of the kernels that run its file as usual; name it without @, or "
                    "enumerate a finite neighbourhood",
                )
            )
        return [BoundedNetwork.of(one.path, one.network.signature, self.scale) for one in both]

    def outcomes_depend_on(self) -> dict[str, str]:
        """Everything that an outcome depends on, beside the neighbourhood and the number of the input."""
        return {
            "original": _told(self.original),
            "compressed": _told(self.compressed),
            "inputs": f"{sha256(self.inputs)} {self.array or ''}".strip(),
            "scale": f"{self.images.black.tolist()} {self.images.white.tolist()}",
            "code or versions": code_digests.of_job(
                Path(proof.__file__),
                [*module_names(), *[f"{FOLDER}.{one.runtime}" for one in (self.original, self.compressed)]],
            ),
            "runtimes": str(versions_of([self.original, self.compressed])),
            "processor": str(processor(Path("/proc/cpuinfo"))),
        }


@contextmanager
def loaded(files: Files) -> Iterator[Subject]:
    """Copy, load and check everything; the copies and converted networks exist as long as the block.

    Raises:
        QuantriftError: a file cannot be read, they do not fit each other, the inputs are no images of 8 bits, or a
            result for one input depends on the others beside it.
    """
    with GivenFiles() as given:
        inputs = given.file(files.inputs)
        networks = given.network(files.original), given.network(files.compressed)
        arrays = given_inputs.read(inputs, files.array, files.labels)
        form = replace(files.form, shape=arrays.values.shape[1:])
        with ForeignFiles() as reader:
            second = compressed(networks[1], reader, form)
            first = original(networks[0], given.folder(), reader, form)
            check_fit(first, second)
            both_quantized = check_not_swapped(first, second)
            said = fitted(arrays, inputs, first, [second], form)
        images = said.inputs
        if not isinstance(images, ImageStack) or images.carried:
            raise QuantriftError(
                f"{inputs}: holds no images of 8 bits, and only their neighbourhoods are finite; give bytes, or "
                "numbers on a grid of 256 steps with --range"
            )
        for one in (first, second):
            check_independence(one.given, one.network, images)
        yield Subject.of(
            first,
            second,
            images,
            [*first.assumed, *second.assumed, *filter(None, [both_quantized]), *said.assumed],
            inputs,
            files.array,
        )


def _told(network: Ready) -> str:
    """The file that is run, and how, where that is not as usual."""
    return file_digest(network.path) + ("" if network.own_runtime else f" {network.runtime}")
