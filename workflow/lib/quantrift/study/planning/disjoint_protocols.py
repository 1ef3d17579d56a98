"""Check that a protocol with ``skip`` shares no inputs with the protocols that draw first."""

from collections.abc import Iterator, Mapping

from quantrift.core.settings.searches import Experiment, Protocol, Subjects


def overlaps(
    protocols: Mapping[str, Protocol], experiments: Mapping[str, Experiment], subjects: Mapping[str, Subjects]
) -> Iterator[str]:
    """One line for each protocol with ``skip`` that skips too little to share no input with one that skips nothing.

    Inputs are drawn by dataset and network, so only protocols that experiments use on the same dataset and network
    are compared.
    """
    pools: dict[str, set[tuple[str, str]]] = {name: set() for name in protocols}
    for experiment in experiments.values():
        group = subjects[experiment.subjects]
        pools[experiment.protocol] |= {(dataset, model) for dataset in group.dataset for model in group.model}
    for name, later in protocols.items():
        for other, first in protocols.items():
            if not later.skip or first.skip or not pools[name] & pools[other]:
                continue
            if first.inputs == "all":
                yield f"protocols.{name}.skip: '{other}' draws all inputs, so none is left; search it on other networks"
                continue
            drawn = first.run_seeds * first.inputs
            if first.correct != later.correct:
                yield f"protocols.{name}.skip: '{other}' draws from another pool; state the same correct in both"
            elif first.overlap:
                yield f"protocols.{name}.skip: '{other}' has overlap: true and draws from all inputs; remove it"
            elif first.agree or first.per_class:
                yield (
                    f"protocols.{name}.skip: how many inputs '{other}' goes through depends on the labels of "
                    "its networks; remove agree and per_class there"
                )
            elif drawn > later.skip:
                yield f"protocols.{name}.skip: '{other}' draws the first {drawn} inputs; skip at least as many"
