"""Jobs of the workflow: their files, amount of work, and the settings that the work depends on.

Rules take the names of their benchmark files and logs from here; rates are measured and plans made in the same terms.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from quantrift.core.base import seed_blocks
from quantrift.core.base.paths import COMPRESSED, ORIGINAL, TRAINABLE, Paths
from quantrift.core.settings.attacks import Robustness
from quantrift.core.settings.compressions import trains
from quantrift.core.settings.model_files import ModelFile
from quantrift.core.settings.scene_networks import SceneSplit
from quantrift.core.settings.searches import DRAW
from quantrift.core.settings.training import Device
from quantrift.core.statistics import mended_networks
from quantrift.study.planning import bit_blocks
from quantrift.study.planning.root import Config

RULES = (
    "source", "inputs", "train", "adopt", "export_original", "train_blocks", "profile", "compress", "adopt_compressed",
    "layers", "calibrate", "seeds", "search", "metrics", "shrink", "layers_of_dii", "repair_model",
    "mend_model", "attack", "verdicts", "attack_compressed", "attack_original", "train_bits", "attack_bits",
    "check_network", "board_row", "table", "figure", "page",
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
OF_ONE_UNIT = (
    "source", "export_original", "calibrate", "layers", "layers_of_dii", "metrics", "shrink", "repair_model",
    "mend_model", "check_network", "board_row", "table", "figure", "page",
)  # fmt: skip
"""Rules whose jobs are one unit of work each. Metrics of 8,000 searches take half a second more than those of 80."""
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
        other = next(
            (self.of[key] for key in ("study", "attack", "calibration", "network", "pair") if key in self.of), ""
        )
        known = {"name": other, **self.of}
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
        "board_row": (paths.board / "{pair}" / "row.json",),
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
    of, rule = job.of, measured_as(job.rule)
    if rule in OF_ONE_UNIT:
        return 1
    if rule == "search":
        return _seed_inputs(config, job, seed_blocks.named(of["block"]))
    known = inputs(config, of["dataset"], of["model"])
    return None if known is None else _units_of_inputs(config, rule, of, *known)


def _units_of_inputs(config: Config, rule: str, of: Mapping[str, str], train: int, test: int) -> float:
    """Units of work of a job whose work grows with the training or test inputs."""
    match rule:
        case "train" | "train_blocks":
            return train * config.models.trained[of["model"]].for_dataset(of["dataset"]).training.epochs
        case "train_bits":
            how = config.bit_studies[of["study"]].trained(of["dataset"], of["model"])
            networks = len(bit_blocks.networks(config.bit_studies[of["study"]], of["networks"]))
            # Those that are trained side by side take the time of one.
            in_turn = -(-networks // config.engine.trainings_at_once)
            return min(train, how.inputs or train) * how.training.epochs * in_turn
        case "attack_bits":
            study = config.bit_studies[of["study"]]
            attacked = len(bit_blocks.attacked(study, of["networks"]))
            return attacked * _passes(config.robustness, test, study.strengths[of["dataset"]])
        case "attack_compressed" | "attack_original":
            return _passes(config.robustness, test, config.robustness.strengths_for(of["dataset"]))
        case "attack" | "verdicts":
            return min(test, config.attacks[of["attack"]].inputs)
    return test if rule == "seeds" else train + test


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
    of, rule = job.of, measured_as(job.rule)
    plain: dict[str, Any] = {}
    if rule != "metrics" and of.get("model") in config.models.trained:
        network = config.models.trained[of["model"]].for_dataset(of["dataset"])
        plain["width"] = network.width
        if rule in ("train", "train_blocks"):
            plain["training"] = network.training.model_dump(include={"batch", "augment", "threads", "optimizer"})
    if rule != "metrics" and of.get("compression") in config.compressions:
        about = {"title", "max_accuracy_loss", "allow_degraded", "seed"}
        plain["compression"] = config.compressions[of["compression"]].model_dump(exclude=about)
    if "study" in of:
        how = config.bit_studies[of["study"]].trained(of["dataset"], of["model"])
        own = how.shaped(network)
        if dense := getattr(own, "dense", ()):
            plain["dense"] = dense
        plain |= {"width": own.width, "batch": how.training.batch, "threads": how.training.threads}
    if "attack" in of:
        plain["attack"] = config.attacks[of["attack"]].model_dump()
    match rule:
        case "search":
            plain["tool"] = config.tools[of["tool"]].model_dump(exclude={"title"})
            plain["budget"] = config.protocols[of["protocol"]].model_dump(exclude={"run_seeds", *DRAW})
        case "mend_model":
            plain["mend"] = config.mend.model_dump()
        case "check_network":
            plain["checkers"] = {"files": of["files"], "draws": config.checkers.draws}
        case "attack_compressed" | "attack_original" | "attack_bits":
            plain["robustness"] = config.robustness.model_dump(exclude={"strengths", "per_dataset"})
    if device(config, rule, of) != "cpu":
        plain["device"] = device(config, rule, of)
    return hashlib.sha256(json.dumps(plain, sort_keys=True, default=str).encode()).hexdigest()[:8]


def device(config: Config, rule: str, of: Mapping[str, str]) -> Device:
    """Device of a job: that of its training; processors where it trains nothing."""
    found: Any = None
    match rule:
        case "train" | "train_blocks":
            found = config.network(of["model"], of["dataset"])
        case "train_bits":
            found = config.bit_studies[of["study"]].trained(of["dataset"], of["model"])
        case "repair_model":
            found = config.repair
        case "compress" | "compress_by_training":
            settings = config.compressions.get(of["compression"])
            found = settings if settings and trains(settings) else None
    return getattr(getattr(found, "training", None), "device", "cpu")


def ask_for_devices(config: Config) -> bool:
    """Whether any training asks for a device."""
    return '"device":"gpu"' in config.model_dump_json(exclude={"training"})


def inputs(config: Config, dataset: str, model: str) -> tuple[int, int] | None:
    """Training and test inputs of a network on a dataset, to within the rounding of splits.

    None where the configuration alone does not tell, and of a network on a scene whose inputs are no scenes.
    """
    labelled = config.datasets[dataset].labelled_pixels
    if labelled is None:
        return config.datasets[dataset].split_sizes
    network = config.network(model, dataset)
    split = getattr(network.inputs if isinstance(network, ModelFile) else network, "split", None)
    if not isinstance(split, SceneSplit):
        return None
    if split.kind == "per_class":
        train = ceil(labelled * (split.train or 0))
        return train, labelled - train - ceil(labelled * (split.validation or 0))
    test = ceil(labelled * (split.test or 0))
    return labelled - test, test


def seed_inputs(config: Config, of: Mapping[str, str]) -> int | None:
    """Seed inputs of each run seed of the protocol, dataset and model of a job; None where the data alone tells."""
    stated = config.protocols[of["protocol"]].inputs
    known = inputs(config, of["dataset"], of["model"]) if stated == "all" else None
    return stated if isinstance(stated, int) else known and known[1]


def _seed_inputs(config: Config, job: Job, block: seed_blocks.Block) -> int | None:
    """Seed inputs of a block."""
    each = seed_inputs(config, job.of)
    return each and (len(block.run_seeds) * each if block.inputs is None else len(block.inputs))
