"""Settings of targets over networks whose weights have a given number of bits, as in the thesis on that."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from quantrift.config.base import Id, Strict
from quantrift.config.target import Target

Attack = Literal["fgsm", "fgsm_margin", "pgd"]
"""See ``quantrift.models.robustness``."""


class StudyTarget(Target):
    """What targets over the settings of bit studies state."""

    PAIRS: ClassVar[str] = ""
    """Of kinds with one: the setting that puts another study beside some of the studies."""
    studies: Annotated[list[Id], Field(min_length=1)]

    @property
    def needed(self) -> list[str]:
        """The studies it is made from, each once."""
        return list(dict.fromkeys([*self.studies, *self._paired()]))

    def references(self) -> Iterator[tuple[str, str, str]]:
        """(where it stands, what it names, the name) of each reference to another section."""
        for name in self.studies:
            yield "studies", "bit study", name
        for name in self._paired():
            yield self.PAIRS, "bit study", name

    def _paired(self) -> list[str]:
        return [name for pair in getattr(self, self.PAIRS, {}).items() for name in pair]


class ShareFigure(StudyTarget):
    """Shares of each number of bits, a bar a distribution, a panel a study."""

    kind: Literal["bit_shares"]


class BitTarget(StudyTarget):
    """What targets over the networks of bit studies state."""

    dataset: list[Id] | None = None
    """Of these datasets alone, where the studies have them; all that they have where it is not given."""
    model: list[Id] | None = None
    """Of these networks alone; all that the studies have where it is not given."""
    published: str | None = None
    """File of the thesis's numbers in workflow/published, shown beside ours in columns or marks that say so."""

    def references(self) -> Iterator[tuple[str, str, str]]:
        """See ``StudyTarget``."""
        yield from super().references()
        for kind in ("dataset", "model"):
            for name in getattr(self, kind) or ():
                yield kind, kind, name


class DistributionTable(BitTarget):
    """Shares, mean and variance of the bits of each distribution, and what was drawn, against the budget."""

    kind: Literal["bit_distributions"]


class AccuracyTable(BitTarget):
    """Accuracy of each setting over repetitions."""

    kind: Literal["bit_accuracies"]


class AccuracyFigure(BitTarget):
    """Accuracy by number of bits or distribution, a panel a network and study."""

    kind: Literal["accuracy_by_bits"]
    controls: dict[Id, Id] = Field(default_factory=dict)
    """Study -> the study that has, for each distribution, two adjacent numbers of bits of the same mean."""
    PAIRS: ClassVar[str] = "controls"


class SignificanceTable(BitTarget):
    """Whether accuracies differ within a study, and between the counterparts of two."""

    kind: Literal["bit_significance"]
    within: bool = True
    """Whether the settings of each study are compared with each other."""
    against: dict[Id, Id] = Field(default_factory=dict)
    """Study -> study whose settings are the counterparts of its own: the same shares of other numbers of bits, or two
    adjacent numbers of bits of the same mean."""

    @model_validator(mode="after")
    def _compares_something(self) -> "SignificanceTable":
        if not self.within and not self.against:
            raise ValueError("neither within nor against: nothing is compared; give one of them")
        return self

    PAIRS: ClassVar[str] = "against"


class Claim(Strict):
    """That some settings of a study are more robust than all others of it, at each strength."""

    sentence: str
    """Of the thesis, and where it stands."""
    study: Id
    dataset: list[Id]
    """Datasets on which it is tested, where the study has them."""
    model: Id
    best: Annotated[list[Id], Field(min_length=1)]


class RobustnessTable(BitTarget):
    """Accuracy under attack, by strength, and which settings are the most robust."""

    kind: Literal["bit_robustness"]
    claims: dict[Id, Claim] = Field(default_factory=dict)

    def references(self) -> Iterator[tuple[str, str, str]]:
        """See ``StudyTarget``."""
        yield from super().references()
        for label, claim in self.claims.items():
            yield f"claims.{label}.study", "study of the target", claim.study
            for kind, names in (("dataset", claim.dataset), ("model", [claim.model]), ("compression", claim.best)):
                for name in names:
                    yield f"claims.{label}.{kind if kind != 'compression' else 'best'}", kind, name


class RobustnessFigure(BitTarget):
    """Accuracy under an attack by strength, a panel a network and study, a line a setting."""

    kind: Literal["robustness_by_strength"]
    attack: Annotated[tuple[Attack, ...], Field(min_length=1)] = ("fgsm",)
    """A panel each."""
