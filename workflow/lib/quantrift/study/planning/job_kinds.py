"""Kinds of jobs that cost alike on one dataset, so that one measured job serves all of its kind.

A search costs what its parts do: the networks, how candidates are made, decoded, checked and scored, and when it ends.
Probabilities of mutation, weights of swarms and the way the compressed network was rounded hardly matter. One that ends
with its first disagreement would have been the same with a larger budget, so budgets make no kinds of these
(``measured_rates.Rates.alike``). ``python -m tools.bench plan`` tests that on all measured rates.
"""

import hashlib
import json
from typing import Any

from quantrift.core.base import search_parts
from quantrift.core.settings.searches import Tool
from quantrift.study.planning import job_devices, jobs
from quantrift.study.planning.jobs import Job
from quantrift.study.planning.root import Config

SIZES = ("population", "swarm")
"""Settings of searchers for the candidates of a generation; one candidate where a searcher has none of them."""
ISOLATED = ", isolated"
HALF = "float16_truncation"
"""Method that rounds weights to 16 bits, or cuts them off."""
OF_DATA = ("inputs",)
"""Rules whose jobs cost alike whatever the network."""
OF_NETWORKS = ("layers", "layers_of_dii", "seeds", "profile", "verdicts")
"""Rules whose jobs cost alike for all compressions, tools and attacks of a network."""


def kind(config: Config, job: Job) -> str:
    """Digest of all that the cost of a unit of work depends on, beside rule and dataset: 8 hexadecimal digits."""
    of, rule = job.of, jobs.measured_as(job.rule)
    plain: dict[str, Any] = {"device": job_devices.of(config, rule, of)}
    if rule not in OF_DATA and "model" in of:
        network = config.network(of["model"], of["dataset"])
        plain |= {"model": of["model"], "width": getattr(network, "width", None)}
    if rule == "search":
        plain |= _parts(config.tools[of["tool"]])
        plain["runtime"] = config.original_runtime(of["compression"])
        plain["until"], evaluations = end(config, job)
        if not config.protocols[of["protocol"]].first_attack:
            plain["evaluations"] = evaluations
        elif _together(config.tools[of["tool"]]) is None:
            # How soon it finds a disagreement depends on both, but hardly on the share of weights that have 16 bits.
            plain["settings"] = config.tools[of["tool"]].searcher.model_dump(mode="json")
            settings = config.compressions.get(of["compression"])
            plain["compression"] = HALF if settings and settings.method == HALF else of["compression"]
    elif rule == "shrink":
        plain |= _parts(config.tools[of["tool"]])
    elif rule in ("compress", "repair_model") and of["compression"] in config.compressions:
        settings = config.compressions[of["compression"]]
        kept = {"method", "form", "training", "original_runtime", "student", "width"}
        plain["compression"] = settings.model_dump(mode="json", include=kept)
    elif rule in ("attack_compressed", "attack_original"):
        plain["robustness"] = config.robustness.model_dump(mode="json", include={"pgd", "threads"})
    elif rule not in (*OF_DATA, *OF_NETWORKS):
        others = {**of, "dataset": ""}
        plain |= {"names": jobs.Job(rule, others).names, "settings": jobs.settings(config, job)}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:8]


def end(config: Config, job: Job) -> tuple[str, float]:
    """When a search ends, and how many candidates it evaluates at most.

    The end is ``first attack`` or ``budget``; with ``, isolated`` where a job runs one search after the other.
    """
    protocol = config.protocols[job.of["protocol"]]
    until = "first attack" if protocol.first_attack else "budget"
    evaluations = float(protocol.evaluations or protocol.generations * (_together(config.tools[job.of["tool"]]) or 1))
    return until + (ISOLATED if protocol.isolated_of else ""), evaluations


def _together(tool: Tool) -> int | None:
    """Candidates of a generation; ``None`` where a searcher takes one at a time."""
    return next((tool.searcher.params[key] for key in SIZES if key in tool.searcher.params), None)


def _parts(tool: Tool) -> dict[str, str]:
    return {"engine": tool.engine} | {one: getattr(tool, one).name for one in search_parts.FOLDERS}
