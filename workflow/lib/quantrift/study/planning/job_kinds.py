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
from quantrift.study.planning import jobs
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
    plain: dict[str, Any] = {"device": jobs.device(config, rule, of)}
    if rule not in OF_DATA and "model" in of:
        plain |= {"model": of["model"], "width": getattr(config.network(of["model"], of["dataset"]), "width", None)}
    match rule:
        case "search":
            plain |= _of_search(config, job)
        case "shrink":
            plain |= _parts(config.tools[of["tool"]])
        case "compress" | "repair_model" if of["compression"] in config.compressions:
            kept = {"method", "form", "training", "original_runtime", "student", "width"}
            plain["compression"] = config.compressions[of["compression"]].model_dump(mode="json", include=kept)
        case "attack_compressed" | "attack_original":
            plain["robustness"] = config.robustness.model_dump(mode="json", include={"pgd", "threads"})
        case _ if rule not in (*OF_DATA, *OF_NETWORKS):
            plain |= {"names": jobs.Job(rule, {**of, "dataset": ""}).names, "settings": jobs.settings(config, job)}
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:8]


def _of_search(config: Config, job: Job) -> dict[str, Any]:
    """Runtime, parts and end of a search; how soon one finds a disagreement where it ends with that."""
    of, tool = job.of, config.tools[job.of["tool"]]
    until, evaluations = end(config, job)
    found = {**_parts(tool), "runtime": config.original_runtime(of["compression"]), "until": until}
    if not config.protocols[of["protocol"]].first_attack:
        return {**found, "evaluations": evaluations}
    if _together(tool) is not None:
        return found
    # It depends on settings and compression, but hardly on the share of weights that have 16 bits.
    settings = config.compressions.get(of["compression"])
    compression = HALF if settings and settings.method == HALF else of["compression"]
    return {**found, "settings": tool.searcher.model_dump(mode="json"), "compression": compression}


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
