"""The whole configuration, with every name in it checked against what it names."""

from collections.abc import Iterable, Iterator, Mapping

from pydantic import model_validator

from quantrift.config.base import Id, Strict
from quantrift.config.datasets import AnyDataset, DataSettings
from quantrift.config.errors import nearest
from quantrift.config.networks import Compressions, Networks
from quantrift.config.searches import EngineSettings, Experiment, Protocol, RecordSettings, Subjects, Tool
from quantrift.config.targets import AnyTarget

REPORT = "report"
"""The one target that is not configured: the page that shows all others."""


class Config(Strict):
    """Everything an experiment depends on."""

    scale: Id
    """Name of the results folder; required, so that no result lands under a name it was not meant for."""
    data: DataSettings = DataSettings()
    datasets: dict[Id, AnyDataset]
    models: Networks = Networks()
    compressions: Compressions = Compressions()
    tools: dict[Id, Tool]
    subjects: dict[Id, Subjects]
    protocols: dict[Id, Protocol]
    experiments: dict[Id, Experiment]
    targets: dict[Id, AnyTarget]
    all: list[Id]
    """Targets that plain ``snakemake`` makes."""
    records: RecordSettings = RecordSettings()
    engine: EngineSettings = EngineSettings()

    @model_validator(mode="after")
    def _names_exist(self) -> "Config":
        for where, kind, name, valid in self._references():
            if name not in valid:
                raise ValueError(f"{where}: unknown {kind} '{name}'; {nearest(name, valid)}")
        for label, target in self.targets.items():
            for name in getattr(target, "groups", {}):
                if name in self.tools:
                    raise ValueError(f"targets.{label}.groups: '{name}' is a tool; give the group a name of its own")
        return self

    def _references(self) -> Iterator[tuple[str, str, str, Iterable[str]]]:
        """(where it stands, what it names, the name, the names there are) of each reference."""
        known: Mapping[str, Iterable[str]] = {
            "dataset": self.datasets,
            "model": type(self.models).model_fields,
            "compression": type(self.compressions).model_fields,
        }
        for group, subjects in self.subjects.items():
            for kind, valid in known.items():
                for name in getattr(subjects, kind):
                    yield f"subjects.{group}.{kind}", kind, name, valid
        for label, experiment in self.experiments.items():
            yield f"experiments.{label}.subjects", "group of subjects", experiment.subjects, self.subjects
            yield f"experiments.{label}.protocol", "protocol", experiment.protocol, self.protocols
            for tool in experiment.tools:
                yield f"experiments.{label}.tools", "tool", tool, self.tools
        for label, target in self.targets.items():
            for name in getattr(target, "from_", ()):
                yield f"targets.{label}.from", "experiment", name, self.experiments
            for name in getattr(target, "subjects", None) or ():
                yield f"targets.{label}.subjects", "group of subjects", name, self.subjects
            for tools in getattr(target, "groups", {}).values():
                for tool in tools:
                    yield f"targets.{label}.groups", "tool", tool, self.tools
            if hasattr(target, "baseline"):
                yield f"targets.{label}.baseline", "tool", target.baseline, self.tools
        for name in self.all:
            yield "all", "target", name, [*self.targets, REPORT]
