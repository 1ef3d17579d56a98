"""Jobs of the workflow: their files, amount of work, and the settings that the work depends on.

Rules take the names of their benchmark files and logs from here; rates are measured and plans made in the same terms.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantrift.core.base import seed_blocks
from quantrift.core.base.paths import COMPRESSED, ORIGINAL, TRAINABLE, Paths
from quantrift.core.settings.robustness import Robustness
from quantrift.core.settings.searches import DRAW
from quantrift.core.statistics import mended_networks
from quantrift.study.planning import bit_blocks, dataset_sizes, job_devices
from quantrift.study.planning.root import Config

RULES = (
    "source", "inputs", "train", "adopt", "export_original", "train_blocks", "profile", "compress", "adopt_compressed",
    "layers", "calibrate", "seeds", "search", "metrics", "shrink", "layers_of_dii", "repair_model", "mend_model",
    "attack", "verdicts", "attack_compressed", "attack_original", "train_bits", "attack_bits", "check_network",
    "table", "figure", "page",
)  # fmt: skip
"""Rules whose jobs are measured."""
SAME = {
    "compress_to_coreml": "compress",
    "compress_by_training": "compress",
    "adopt_tflite": "adopt",
}
"""Rules that do the work of another rule, and are measured as that one (``measured_as``)."""
UNKEYED = {
    "metrics": ("dataset", "model", "compression", "tool", "protocol"),
    "search": ("protocol",),
    "seeds": ("protocol",),
    "train_bits": ("name",),
    "attack_bits": ("name",),
}
"""Names that do not change the cost of a unit of work; the settings of a protocol or study that do are in a job's
settings."""
NAMES = ("dataset", "model", "compression", "tool", "protocol", "name")
"""Names that identify a rate, beside the rule and its settings; ``name`` is a study, an attack, a calibration, a
network with planted faults, or the kind of a table or figure."""


def measured_as(rule: str) -> str:
    """The rule whose rates count for a rule's jobs; each kind of table and figure has a rule of its own."""
    shape, of_kind, _ = rule.partition("_")
    return shape if of_kind and shape in ("table", "figure") else SAME.get(rule, rule)


@dataclass(frozen=True)
class Job:
    """A job: its rule, and its wildcards by name."""

    rule: str
    of: Mapping[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """Values of ``NAMES``; empty ones where a job has none."""
        other = next((self.of[key] for key in ("study", "attack", "calibration", "network") if key in self.of), "")
        known = {"name": other} | {key: value for key, value in self.of.items() if key in NAMES}
        return tuple("" if name in UNKEYED.get(self.rule, ()) else known.get(name, "") for name in NAMES)


def outputs(paths: Paths, rule: str) -> tuple[Path, ...]:
    """Result files of a job, with its wildcards in braces; the first has all wildcards."""
    pair = ("{dataset}", "{model}")
    subject = (*pair, "{compression}")
    searches = (*subject, "{tool}", "{protocol}")
    model, compressed, bits = paths.model(*pair), paths.compressed(*subject), paths.bits(*pair, "{study}", "{networks}")
    block = paths.searches(*searches) / "{block}"
    return {
        "source": (paths.source("{dataset}"),),
        "inputs": (paths.inputs(*pair),),
        "train": (model / "model.keras", model / "twin.keras", model / ORIGINAL),
        "adopt": (model / ORIGINAL, model / "model.keras", model / "twin.keras"),
        "export_original": (model / "{exported}",),
        "train_blocks": (paths.blocks(*pair) / "blocks.json",),
        "profile": (paths.profile(*pair),),
        "compress": (compressed / COMPRESSED, compressed / TRAINABLE, compressed / "model.mlpackage.zip"),
        "adopt_compressed": (compressed / COMPRESSED,),
        "layers": (compressed / "layers.json",),
        "calibrate": (paths.calibration(*pair, "{calibration}"),),
        "seeds": (paths.seeds(*pair, "{protocol}"),),
        "search": (block.with_suffix(".parquet"), block.with_suffix(".searches.parquet")),
        "metrics": (paths.metrics(*searches),),
        "shrink": (paths.shrunk(*searches),),
        "layers_of_dii": (paths.dii_layers(*searches),),
        "repair_model": (paths.repaired(*searches),),
        "mend_model": (compressed / mended_networks.FILE,),
        "check_network": (paths.checked("{network}", "{files}"),),
        "attack": (paths.adversarial(*pair, "{attack}"),),
        "verdicts": (paths.verdicts(*subject, "{attack}"),),
        "attack_compressed": (paths.robustness(*subject),),
        "attack_original": (paths.robustness(*pair),),
        "train_bits": (bits / "networks.npz", bits / "history.parquet"),
        "attack_bits": (bits / "robustness.parquet",),
        "table": (paths.table("{table}").with_suffix(".csv"),),
        "figure": (paths.figure("{figure}").with_suffix(".png"), paths.figure("{figure}").with_suffix(".svg")),
        "page": (paths.report,),
    }[measured_as(rule)]


def benchmark(paths: Paths, rule: str) -> Path:
    """The benchmark file of a rule's jobs, with wildcards in braces."""
    return paths.benchmark(rule, *_wildcards(paths, rule))


def log(paths: Paths, rule: str) -> Path:
    """The log file of a rule's jobs, with wildcards in braces."""
    return paths.log(rule, *_wildcards(paths, rule))


def _wildcards(paths: Paths, rule: str) -> list[str]:
    """The wildcards of a rule, in braces; ``job`` for the only job of a rule without any."""
    return re.findall(r"{\w+}", str(outputs(paths, rule)[0])) or ["job"]


def units(config: Config, job: Job) -> float | None:
    """Units of work of a job, to which its seconds are proportional; None where they depend on the data."""
    of = job.of
    rule = measured_as(job.rule)
    if rule == "search":
        return _seed_inputs(config, job, seed_blocks.named(of["block"]))
    if rule == "metrics":
        return _seed_inputs(config, job, seed_blocks.Block(range(config.protocols[of["protocol"]].run_seeds)))
    shown = ("table", "figure", "page")
    if rule in (
        *shown,
        "export_original",
        "calibrate",
        "layers",
        "layers_of_dii",
        "shrink",
        "repair_model",
        "mend_model",
        "check_network",
    ):
        return 1
    if rule == "source" or (known := dataset_sizes.inputs(config, of["dataset"], of["model"])) is None:
        return 1 if rule == "source" else None
    train, test = known
    if rule in ("train", "train_blocks"):
        return train * config.models.trained[of["model"]].for_dataset(of["dataset"]).training.epochs
    if rule in ("attack_compressed", "attack_original"):
        return _passes(config.robustness, test, config.robustness.strengths_for(of["dataset"]))
    if rule in ("train_bits", "attack_bits"):
        study = config.bit_studies[of["study"]]
        if rule == "attack_bits":
            attacked = len(bit_blocks.attacked(study, of["networks"]))
            return attacked * _passes(config.robustness, test, study.strengths[of["dataset"]])
        how = study.trained(of["dataset"], of["model"])
        networks = len(bit_blocks.networks(study, of["networks"]))
        # Those that are trained side by side take the time of one.
        in_turn = -(-networks // config.engine.trainings_at_once)
        return min(train, how.inputs or train) * how.training.epochs * in_turn
    if rule in ("attack", "verdicts"):
        return min(test, config.attacks[of["attack"]].inputs)
    if rule == "seeds":
        return test
    return train + test


def _passes(robustness: Robustness, test: int, strengths: Sequence[float]) -> int:
    """Passes of one input through a network under attack (``training.accuracy_under_attack``); a gradient takes two.

    PGD takes many more of each input than FGSM, but has a limit of inputs of its own. So a small test set has more
    passes for each input than a large one.
    """
    fgsm = min(test, robustness.inputs)
    pgd = min(fgsm, robustness.pgd.inputs)
    moved = sum(strength > 0 for strength in strengths)
    return fgsm * 2 * (2 + len(strengths)) + pgd * (2 * robustness.pgd.steps * moved + len(strengths))


def settings(config: Config, job: Job) -> str:
    """Digest of the settings that the cost of a unit of work depends on, beside its names: 8 hexadecimal digits."""
    of = job.of
    rule = measured_as(job.rule)
    plain: dict[str, Any] = {}
    if rule != "metrics" and "model" in of and of["model"] in config.models.trained:
        network = config.models.trained[of["model"]].for_dataset(of["dataset"])
        plain["width"] = network.width
        if rule in ("train", "train_blocks"):
            plain["training"] = network.training.model_dump(include={"batch", "augment", "threads", "optimizer"})
    if rule != "metrics" and "compression" in of and of["compression"] in config.compressions:
        about = {"title", "max_accuracy_loss", "allow_degraded", "seed"}
        plain["compression"] = config.compressions[of["compression"]].model_dump(exclude=about)
    if rule == "search":
        plain["tool"] = config.tools[of["tool"]].model_dump(exclude={"title"})
        plain["budget"] = config.protocols[of["protocol"]].model_dump(exclude={"run_seeds", *DRAW})
    if "study" in of:
        how = config.bit_studies[of["study"]].trained(of["dataset"], of["model"])
        own = how.shaped(network)
        if dense := getattr(own, "dense", ()):
            plain["dense"] = dense
        plain |= {"width": own.width, "batch": how.training.batch, "threads": how.training.threads}
    if rule == "mend_model":
        plain["mend"] = config.mend.model_dump()
    if rule == "check_network":
        plain["checkers"] = {"files": of["files"], "draws": config.checkers.draws}
    if "attack" in of:
        plain["attack"] = config.attacks[of["attack"]].model_dump()
    if rule in ("attack_compressed", "attack_original", "attack_bits"):
        plain["robustness"] = config.robustness.model_dump(exclude={"strengths", "per_dataset"})
    if (device := job_devices.of(config, rule, of)) != "cpu":
        plain["device"] = device
    text = json.dumps(plain, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _seed_inputs(config: Config, job: Job, block: seed_blocks.Block) -> int | None:
    """Seed inputs of a block."""
    each: int | str | None = config.protocols[job.of["protocol"]].inputs
    if each == "all":
        known = dataset_sizes.inputs(config, job.of["dataset"], job.of["model"])
        each = known[1] if known else None
    if not isinstance(each, int):
        return None
    return len(block.run_seeds) * each if block.inputs is None else len(block.inputs)
