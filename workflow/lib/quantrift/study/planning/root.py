"""The whole configuration, with every reference in it checked."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import product
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from quantrift.core.base.errors import nearest
from quantrift.core.networks import runtime
from quantrift.core.settings import bit_studies, name_lists
from quantrift.core.settings.attacks import AnyAttack
from quantrift.core.settings.bit_studies import BitStudy
from quantrift.core.settings.calibrations import KINDS, Calibration
from quantrift.core.settings.checked_networks import CheckerSettings
from quantrift.core.settings.compressions import Compression, LayerSettings
from quantrift.core.settings.datasets import Dataset, DataSettings
from quantrift.core.settings.fields import Id, Strict
from quantrift.core.settings.mendings import MendingSettings
from quantrift.core.settings.model_files import ModelFile
from quantrift.core.settings.networks import Network, Networks
from quantrift.core.settings.references import Ref, references
from quantrift.core.settings.repairs import RepairSettings
from quantrift.core.settings.robustness import Robustness
from quantrift.core.settings.searches import (
    EngineSettings,
    Experiment,
    Protocol,
    RecordSettings,
    ShrinkSettings,
    Subjects,
    Tool,
)
from quantrift.core.settings.training import AllTrainings
from quantrift.study.compression import method
from quantrift.study.datasets import dataset_kind
from quantrift.study.planning import (
    all_trainings,
    collection,
    disjoint_protocols,
    isolated_protocols,
    original_runtimes,
    searchable_tools,
    tool_variants,
)
from quantrift.study.planning.collection import Collection
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.target import Searching

REPORT = "report"
"""The one target that is not configured: the page of all others."""

if TYPE_CHECKING:
    AnyDataset = Dataset
    AnyCompression = Compression
    AnyTarget = Any
else:
    AnyDataset = Annotated[reduce(or_, dataset_kind.all_settings()), Field(discriminator="kind")]
    AnyCompression = Annotated[reduce(or_, method.all_settings()), Field(discriminator="method")]
    AnyTarget = Annotated[reduce(or_, kinds.settings(), Collection), Field(discriminator="kind")]


class Config(Strict):
    """Everything an experiment depends on."""

    scale: Id
    """Name of the results folder; required, so that no result lands in the wrong folder."""
    data: DataSettings = DataSettings()
    datasets: dict[Id, AnyDataset]
    models: Networks = Networks()
    # Left out where nothing is stated: each training states what became of it.
    training: Annotated[AllTrainings, Field(exclude_if=lambda stated: stated == AllTrainings())] = AllTrainings()
    compressions: dict[Id, AnyCompression]
    layers: LayerSettings = LayerSettings()
    calibrations: dict[Id, Calibration] = Field(default_factory=dict)
    tools: dict[Id, Tool]
    subjects: dict[Id, Subjects]
    protocols: dict[Id, Protocol]
    experiments: dict[Id, Experiment]
    targets: dict[Id, AnyTarget]
    all: list[Annotated[Id, Ref("target")]]
    """Targets that plain ``snakemake`` makes."""
    records: RecordSettings = RecordSettings()
    shrink: ShrinkSettings = ShrinkSettings()
    attacks: dict[Id, AnyAttack] = Field(default_factory=dict)
    robustness: Robustness = Robustness()
    bit_studies: dict[Id, BitStudy] = Field(default_factory=dict)
    repair: RepairSettings = RepairSettings()
    mend: MendingSettings = MendingSettings()
    checkers: CheckerSettings = CheckerSettings()
    engine: EngineSettings = EngineSettings()
    titles: dict[Id, str] = Field(default_factory=dict)
    """Id -> name for people, of ids without a ``title`` of their own: networks, compressions, metrics, and names that
    only published rows have."""

    @model_validator(mode="before")
    @classmethod
    def _tools_like_others(cls, whole: Any) -> Any:
        if isinstance(whole, dict) and isinstance(whole.get("tools"), dict):
            return {**whole, "tools": tool_variants.resolved(whole["tools"])}
        return whole

    # Runs after the next one, so that `agree` of the other protocol is in full.
    @model_validator(mode="before")
    @classmethod
    def _protocols_of_others(cls, whole: Any) -> Any:
        if isinstance(whole, dict) and isinstance(whole.get("protocols"), dict):
            return {**whole, "protocols": isolated_protocols.resolved(whole["protocols"])}
        return whole

    @model_validator(mode="before")
    @classmethod
    def _trainings_as_all(cls, whole: Any) -> Any:
        return all_trainings.resolved(whole) if isinstance(whole, dict) else whole

    @model_validator(mode="before")
    @classmethod
    def _lists_of_names_in_full(cls, whole: Any) -> Any:
        return name_lists.written_out(whole) if isinstance(whole, dict) else whole

    @model_validator(mode="after")
    def _names_exist(self) -> "Config":
        known = self._names()
        for where, kind, name in references(self):
            if name not in known[kind]:
                raise ValueError(f"{where}: unknown {kind} '{name}'; {nearest(name, known[kind])}")
        for mistake in bit_studies.mistakes(self.bit_studies, self.models, self.compressions):
            raise ValueError(mistake)
        for name, tool in self.tools.items():
            if tool.calibration:
                self._check_calibration(name, tool.calibration)
        for name, file in self.models.files.items():
            for own in file.compressed:
                if own in self.compressions:
                    raise ValueError(
                        f"models.{name}.compressed: '{own}' is a compression made here; give the file a name of its own"
                    )
        for group, subjects in self.subjects.items():
            for model, compression in product(subjects.model, subjects.compression):
                self._check_compression(f"subjects.{group}.compression", model, compression)
        for experiment in self.experiments.values():
            agree = self.protocols[experiment.protocol].agree
            for model, compression in product(self.subjects[experiment.subjects].model, agree):
                self._check_compression(f"protocols.{experiment.protocol}.agree", model, compression)
        return self

    @property
    def shown(self) -> list[str]:
        """The tables and figures that ``all`` names, itself or through collections, each once."""
        return list(
            dict.fromkeys(
                name
                for label in self.all
                if label != REPORT
                for name in collection.members(self.targets[label]) or [label]
            )
        )

    def mistakes(self, targets: Sequence[str], experiments: Iterable[str] = ()) -> Iterator[str]:
        """A line for each mistake in some targets and experiments, and in what they are made from, together."""
        own = [self.targets[name] for name in targets]
        names = {*experiments, *(name for one in own if isinstance(one, Searching) for name in one.experiments)}
        used = {name: one for name, one in self.experiments.items() if name in names}
        yield from disjoint_protocols.overlaps(self.protocols, used, self.subjects)
        yield from original_runtimes.mistakes(used, self.subjects, self.compressions, self.tools)
        yield from searchable_tools.mistakes(used, self.subjects, self.datasets, self.tools, self.protocols)
        for label, target in zip(targets, own, strict=True):
            if target.kind != "collection":
                yield from (f"targets.{label}.{mistake}" for mistake in kinds.mistakes(target, self))

    @property
    def compressed_files(self) -> list[str]:
        """Ids of compressed networks that exist already, as files."""
        return sorted({name for file in self.models.files.values() for name in file.compressed})

    def original_runtime(self, compression: str) -> str:
        """Runtime of the original beside a compression; LiteRT beside compressed networks from files."""
        made_here = self.compressions.get(compression)
        return made_here.original_runtime if made_here else "litert"

    def network(self, model: str, dataset: str) -> Network | ModelFile:
        """The settings of a network on one dataset."""
        files = self.models.files
        return files[model] if model in files else self.models.trained[model].for_dataset(dataset)

    def _check_compression(self, where: str, model: str, compression: str) -> None:
        """Methods of compression need a Keras network; a compressed file belongs to the network that names it."""
        file = self.models.files.get(model)
        if compression in self.compressions:
            if file and file.original.path.endswith(runtime.module("litert").SUFFIXES):
                raise ValueError(f"{where}: {compression} needs a .keras or .h5 file, models.{model} has a .tflite")
        elif file is None or compression not in file.compressed:
            raise ValueError(
                f"{where}: models.{model} has no compressed file '{compression}'; add it, or take one made here"
            )

    def _check_calibration(self, tool: str, calibration: str) -> None:
        """Refuse a calibration for another space or constraint than the tool's."""
        for kind in KINDS:
            if getattr(self.tools[tool], kind) != getattr(self.calibrations[calibration], kind):
                raise ValueError(
                    f"tools.{tool}.{kind}: calibration '{calibration}' is of another {kind} or of other settings; "
                    "state the same in both"
                )

    def _names(self) -> dict[str, Iterable[str]]:
        """Kind of entry -> its valid names."""
        shown = [name for name, target in self.targets.items() if target.kind != "collection"]
        distances = [name for name, target in self.targets.items() if target.kind == "vector_distances"]
        tables = [name for name, target in self.targets.items() if kinds.is_table(target.kind)]
        findings = [name for name, target in self.targets.items() if target.kind == "findings"]
        claims = [name for name, target in self.targets.items() if target.kind == "claims"]
        checkers = [name for name, target in self.targets.items() if target.kind == "checkers"]
        return {
            "dataset": self.datasets,
            "model": [*self.models.trained, *self.models.files],
            "compression": [*self.compressions, *self.compressed_files],
            "calibration": self.calibrations,
            "runtime": runtime.names_for_trained(),
            "tool": self.tools,
            "group of subjects": self.subjects,
            "protocol": self.protocols,
            "experiment": self.experiments,
            "attack": self.attacks,
            "bit study": self.bit_studies,
            # Ids under which published numbers of the datasets are filed.
            "published dataset": [settings.published_as or name for name, settings in self.datasets.items()],
            "table": tables,
            "table of distances": distances,
            "table of findings": findings,
            "table of claims": claims,
            "table of checkers": checkers,
            "table or figure": shown,
            "target": [*self.targets, REPORT],
        }
