"""Check that the workflow can run here: Python and its packages, the machine, disk, official files, locks.

One line a check: ok, warning (a run works, but slower, or with other packages than tested) or problem (a run fails),
each with a remedy. Without --configfile it checks for the demo. Run it in the folder where the results will be.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from quantrift.cli.health import environment
from quantrift.cli.health.environment import Finding
from quantrift.core.base.errors import ConfigError, QuantriftError
from quantrift.core.page.provenance import checkout

EXAMPLES = """examples:
  quantrift doctor
  quantrift doctor --configfile config/sample.yaml --deep
  quantrift doctor --configfile config/sample.yaml --results
  quantrift doctor --json | jq '.findings[] | select(.level != "ok")'
"""
ROOT = Path(__file__).resolve().parents[4]
"""The checkout, with the lock file and the configuration."""


OPTIONS = {
    "--configfile": {
        "type": Path,
        "default": ROOT / "config" / "config.yaml",
        "metavar": "FILE",
        "help": "configuration (default: demo)",
    },
    "--deep": {"action": "store_true", "help": "check the digests of large files too"},
    "--results": {
        "action": "store_true",
        "help": "check by digest that tables were made from the files that lie there now",
    },
    "--json": {"action": "store_true", "help": "the same as JSON"},
}


def run(given: argparse.Namespace) -> int:
    """0 when nothing stands against a run, else 1."""
    if not (ROOT / "envs" / "requirements.lock").is_file():
        raise QuantriftError(f"{ROOT} is no checkout of the project; run .venv/bin/quantrift of a checkout")
    found = list(findings(given.configfile, given.deep, given.results))
    problems = sum(one.level == "problem" for one in found)
    if given.json:
        print(json.dumps({"can_run": not problems, "findings": [asdict(one) for one in found]}, indent=1))
    else:
        for one in found:
            print(f"{one.level:<8} {one.check:<22} {one.says}" + (f" -> {one.todo}" if one.todo else ""))
        warnings = sum(one.level == "warning" for one in found)
        print(f"{'a run would fail' if problems else 'ready to run'}; problems: {problems}, warnings: {warnings}")
    return int(problems > 0)


def findings(configfile: Path, deep: bool, made: bool = False) -> Iterator[Finding]:
    """All checks, in the order they are printed; ``made`` asks for that of finished tables too."""
    yield from environment.check(ROOT)
    try:
        # Imported after the check of the environment, which has reported any package of theirs that is missing.
        from quantrift.cli.health import data, machine
        from quantrift.core.base.paths import Paths
        from quantrift.study.planning import configuration_files
    except ImportError as error:
        yield Finding("imports", "problem", str(error), environment.REBUILD)
        return
    yield from machine.check()
    try:
        config = configuration_files.load(ROOT / "config", [configfile])
    except ConfigError as error:
        yield Finding("configuration", "problem", str(error), "docs/configuration.md describes every section")
        yield from machine.storage(Path("results"))
    else:
        yield Finding("configuration", "ok", f"scale {config.scale}")
        yield from machine.storage(Path("results") / config.scale)
        yield from data.check(config, deep)
        if made:
            yield from data.digests(config, Paths(Path("results") / config.scale))
    yield commit(ROOT)


def commit(root: Path) -> Finding:
    """Whether the provenance of tables names a commit that others can get."""
    found = checkout(root)
    name, clone = found["commit"][:12], "clone the repository, so that tables name it"
    return environment.judged(
        "commit",
        name,
        (found["dirty"] is None, "warning", "not in a git checkout", clone),
        (bool(found["dirty"]), "warning", f"{name}, changed since", "commit before you publish tables"),
    )
