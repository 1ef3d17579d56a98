"""A pair of networks, loaded from what Python programs give."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from quantrift.core.base.paths import Paths
from quantrift.core.networks.beside_original import compare
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.foreign.reader import ForeignFiles
from quantrift.core.networks.function import Meaning
from quantrift.core.pairs.pair import Outputs
from quantrift.judge.intake import fitting_networks, given_networks
from quantrift.judge.intake.fitted_inputs import laid_out
from quantrift.judge.intake.given_functions import Function, called
from quantrift.judge.intake.given_inputs import rows_for
from quantrift.judge.intake.input_form import FROM_FILES, InputForm
from quantrift.judge.intake.python_objects import Given, Network, Said, inputs_of, of_object
from quantrift.judge.verdict.assessment import Layer
from quantrift.judge.verdict.candidate import layers_of, with_exchanged
from quantrift.judge.verdict.candidate_searches import Subject, layers_on
from quantrift.judge.verdict.comparison import LAYER_INPUTS, Compared, beside
from quantrift.judge.verdict.under_task import on_labels


@dataclass(frozen=True, eq=False)
class Pair:
    """A network and a compressed version of it, ready to run."""

    original: given_networks.Ready
    compressed: given_networks.Ready
    given: GivenFiles
    """Copies of the files, and converted ones; they live as long as the pair."""
    form: InputForm = FROM_FILES
    """Layout and scale of inputs, where files do not tell."""

    @property
    def input_shape(self) -> tuple[int, int, int]:
        """Rows, columns and channels of an input."""
        return self.original.network.signature.image

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.original.network.classes

    @property
    def assumed(self) -> list[str]:
        """Assumptions about the files, one line each."""
        return [*self.original.assumed, *self.compressed.assumed]

    def __call__(self, x: np.ndarray, **others: np.ndarray) -> Outputs:
        """Logits of both networks for inputs as the original's file takes them, (n, ...), or (n, H, W, C).

        Numbers are used as they are, as float32. Other inputs of the networks, (n, ...), are given by their names.

        Raises:
            QuantriftError: inputs have another shape, or values of an input are missing.
        """
        first = self.original.network.signature
        names = list(first.carried_shapes)
        laid = laid_out(np.asarray(x), first, "x", self.original.given.name)[0].astype(np.float32, copy=False)
        with self.given.named():
            return Outputs(
                *(
                    one.network(rows_for(one.network.signature, laid, others, "others", names))
                    for one in (self.original, self.compressed)
                )
            )

    def compare(self, inputs: Given, labels: np.ndarray | None = None) -> Compared:
        """Agreement of the networks on inputs as given, size of their errors, causes, and layers; no search.

        Args:
            inputs: as the original takes them, (n, H, W, C), or as ``search`` takes them.
            labels: true ones, (n,); without them no accuracy is told.

        Raises:
            QuantriftError: the inputs do not fit the networks.
        """
        networks = self.original, self.compressed
        with self.given.named():
            data = inputs_of(inputs, labels, networks, self.form)
            both = compare(self.original.network, self.compressed.network, data)
            found = on_labels(both, labels is not None, networks, data.class_names)
            return beside(Subject("compressed", Paths(Path()), *networks), both, found, data)

    def layers(self, inputs: Given) -> list[Layer]:
        """Errors of layers on inputs as given, in the order of computation; raises as ``compare`` does."""
        networks = self.original, self.compressed
        with self.given.named():
            data, subject = (
                inputs_of(inputs, None, networks, self.form),
                Subject("compressed", Paths(Path()), *networks),
            )
            return with_exchanged(subject, data, layers_of(layers_on(subject, data, LAYER_INPUTS), {}))

    def disagree(self, x: np.ndarray, **others: np.ndarray) -> np.ndarray:
        """Whether each of the inputs, as for a call, gets different labels: bool (n,)."""
        said = self(x, **others)
        return said.original.argmax(axis=1) != said.compressed.argmax(axis=1)


def load_pair(
    original: Network,
    compressed: Network,
    form: InputForm = FROM_FILES,
    *,
    outputs: Meaning | None = None,
    input_shape: tuple[int, ...] | None = None,
) -> Pair:
    """Load a network and a compressed version of it.

    Args:
        original: path of ``.keras``, ``.h5``, a SavedModel's folder, or as for ``compressed``; a Keras model; or a
            function, as it is or as a :class:`Function`.
        compressed: path of ``.tflite``, ``.onnx``, ``.pt2``, OpenVINO's ``.xml`` or ``.pte``, with another way of
            running behind an ``@`` (``core.networks.ways``) if you like; bytes of one, but for ``.xml``; a loaded
            network or a function.
        form: layout and scale of inputs, where files do not tell (``quantrift.judge.intake.input_form``).
        outputs: ``logits`` or ``probabilities``: what functions give that are no :class:`Function`.
        input_shape: what these take: (H, W, C); (T, C) of signals and (F,) of tables, which ``form.space`` tells. It
            also fills sides that files leave open.

    Raises:
        QuantriftError: a file cannot be read, a function cannot be run, or the two are for other inputs or classes.
        TypeError: something else than a network was given.
    """
    given, form = GivenFiles(), replace(form, shape=input_shape)
    room, said = given.folder(), Said(outputs, input_shape)
    networks = of_object(original, "original", room, said), of_object(compressed, "compressed", room, said)
    with given.named(), ForeignFiles() as files:
        one, other = (network if isinstance(network, Function) else given.network(network) for network in networks)
        first: given_networks.Ready = (
            called(one, form=form) if isinstance(one, Function) else given_networks.original(one, room, files, form)
        )
        second: given_networks.Ready = (
            called(other, form=form, like=first.chosen.inputs)
            if isinstance(other, Function)
            else given_networks.compressed(other, files, form, first.chosen)
        )
        # ``source`` runs in the process of these files, which ends with this block.
        pair = Pair(replace(first, source=None), second, given, form)
        fitting_networks.check_fit(pair.original, pair.compressed)
    return pair
