"""The whole configuration, with every reference in it checked."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import product
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from quantrift.core.base.errors import nearest
from quantrift.core.networks import runtime
from quantrift.core.settings import bit_studies
from quantrift.core.settings.attacks import AnyAttack, Robustness
from quantrift.core.settings.bit_studies import BitStudy
from quantrift.core.settings.calibrations import KINDS, Calibration
from quantrift.core.settings.compressions import Compression
from quantrift.core.settings.datasets import Dataset, DataSettings
from quantrift.core.settings.fields import Id, Strict
from quantrift.core.settings.model_files import ModelFile
from quantrift.core.settings.networks import Network, Networks
from quantrift.core.settings.references import Ref, references
from quantrift.core.settings.searches import Experiment, Protocol, Subjects, Tool
from quantrift.core.settings.sections import (
    CheckerSettings,
    EngineSettings,
    LayerSettings,
    MendingSettings,
    RecordSettings,
    RepairSettings,
    ShrinkSettings,
)
from quantrift.core.settings.training import AllTrainings
from quantrift.study.compression import method
from quantrift.study.datasets import dataset_kind
from quantrift.study.planning import abbreviations, checks
from quantrift.study.planning.collection import Collection, members
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
    def _in_full(cls, whole: Any) -> Any:
        return abbreviations.in_full(whole) if isinstance(whole, dict) else whole

    @model_validator(mode="after")
    def _fits_together(self) -> "Config":
        for mistake in self._misfits():
            raise ValueError(mistake)
        return self

    def _misfits(self) -> Iterator[str]:
        """A line for each name of nothing, and for each entry that does not go with another one."""
        known = self._names()
        yield from (
            f"{where}: unknown {kind} '{name}'; {nearest(name, known[kind])}"
            for where, kind, name in references(self)
            if name not in known[kind]
        )
        yield from bit_studies.mistakes(self.bit_studies, self.models, self.compressions)
        yield from (
            f"tools.{name}.{kind}: calibration '{tool.calibration}' is of another {kind} or of other settings; state "
            "the same in both"
            for (name, tool), kind in product(self.tools.items(), KINDS)
            if tool.calibration and getattr(tool, kind) != getattr(self.calibrations[tool.calibration], kind)
        )
        yield from (
            f"models.{name}.compressed: '{own}' is a compression made here; give the file a name of its own"
            for name, file in self.models.files.items()
            for own in file.compressed
            if own in self.compressions
        )
        for group, subjects in self.subjects.items():
            yield from self._of_compressions(f"subjects.{group}.compression", subjects.model, subjects.compression)
        for experiment in self.experiments.values():
            models, agree = self.subjects[experiment.subjects].model, self.protocols[experiment.protocol].agree
            yield from self._of_compressions(f"protocols.{experiment.protocol}.agree", models, agree)

    @property
    def shown(self) -> list[str]:
        """The tables and figures that ``all`` names, itself or through collections, each once."""
        named = (members(label, self.targets) for label in self.all if label != REPORT)
        return list(dict.fromkeys(name for names in named for name in names))

    def mistakes(self, targets: Sequence[str], experiments: Iterable[str] = ()) -> Iterator[str]:
        """A line for each mistake in some targets and experiments, and in what they are made from, together."""
        own = [self.targets[name] for name in targets]
        names = {*experiments, *(name for one in own if isinstance(one, Searching) for name in one.experiments)}
        used = {name: one for name, one in self.experiments.items() if name in names}
        yield from checks.overlaps(self.protocols, used, self.subjects)
        yield from checks.runtimes(used, self.subjects, self.compressions, self.tools)
        yield from checks.searches(used, self.subjects, self.datasets, self.tools, self.protocols)
        yield from (
            f"targets.{label}.{mistake}"
            for label, target in zip(targets, own, strict=True)
            if target.kind != "collection"
            for mistake in kinds.mistakes(target, self)
        )

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

    def _of_compressions(self, where: str, models: Iterable[str], compressions: Sequence[str]) -> Iterator[str]:
        """Methods of compression need a Keras network; a compressed file belongs to the network that names it."""
        for model, compression in product(models, compressions):
            file = self.models.files.get(model)
            if compression in self.compressions:
                if file and file.original.path.endswith(runtime.module("litert").SUFFIXES):
                    yield f"{where}: {compression} needs a .keras or .h5 file, models.{model} has a .tflite"
            elif file is None or compression not in file.compressed:
                yield f"{where}: models.{model} has no compressed file '{compression}'; add it, or take one made here"

    def _of_kind(self, *kinds: str) -> list[str]:
        """Names of the targets of some kinds."""
        return [name for name, target in self.targets.items() if target.kind in kinds]

    def _names(self) -> dict[str, Iterable[str]]:
        """Kind of entry -> its valid names."""
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
            "table": self._of_kind(*kinds.names("tables")),
            "table of distances": self._of_kind("vector_distances"),
            "table of findings": self._of_kind("findings"),
            "table of claims": self._of_kind("claims"),
            "table of checkers": self._of_kind("checkers"),
            "table or figure": [name for name, target in self.targets.items() if target.kind != "collection"],
            "target": [*self.targets, REPORT],
        }
