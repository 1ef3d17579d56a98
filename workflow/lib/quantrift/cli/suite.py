"""Run a tool of your own on a suite: its row stands beside those of the built-in tools, with intervals.

A suite states pairs that anyone can rebuild, seed inputs and budgets. A tool for natural changes meets random sampling
and DiverGet's PSO and GA; one for noise meets TriggerFinder, two of its ablations and DiffChaser. All start from the
same seed inputs and may evaluate as many candidates. The workflow builds its pairs, as far as they are not up to date.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from quantrift.cli import suite_pairs as pair_files
from quantrift.cli.planning.options import tool_of
from quantrift.core.base.errors import refuse
from quantrift.core.base.files import check_writable
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.judge.python.searches import kind_of
from quantrift.judge.python.searches import tool_of as tool_from
from quantrift.judge.suite import definition
from quantrift.judge.suite.contest import Arena
from quantrift.judge.suite.standings import Standing, table, written
from quantrift.study.datasets.addresses import mirror
from quantrift.study.planning.configuration_files import ROOT, load

EXAMPLES = """examples:
  quantrift suite list
  quantrift suite run my_tool --configfile my.yaml --pairs example_int8
  quantrift suite run pso_div --seeds 20
"""
CONFIG = ROOT / "config"


OPTIONS = {
    "verb": {"choices": ("list", "run"), "help": "print the suites, or run a tool on one"},
    "tool": {"nargs": "?", "help": "id of a tool of the configuration, or of --configfile"},
    "--configfile": {"type": Path, "metavar": "FILE", "help": "file with the tool, laid over the demo's"},
    "--suite": {"default": "open", "metavar": "NAME", "help": "suite (default: %(default)s)"},
    "--pairs": {"nargs": "+", "metavar": "NAME", "help": "pairs (default: all that can be built here)"},
    "--seeds": {"type": int, "metavar": "N", "help": "seed inputs at most, below the suite's number"},
    "--alone": {"action": "store_true", "help": "without the built-in tools"},
    "--out": {"type": Path, "metavar": "FILE", "help": ".json file for the rows"},
}


def run(given: argparse.Namespace) -> int:
    """0."""
    if given.verb == "list":
        print("\n\n".join(map(_described, definition.names())))
        return 0
    refuse((given.tool is None, "suite run: no tool is named; give the id of a tool of the configuration"))
    if given.out:
        _check_out(given.out, given)
    rows = list(_rows(given))
    refuse((not rows, f"{given.tool}: no pair of the suite could be run; see the lines above"))
    if given.out:
        written(rows, given.out)
    return 0


def _rows(given: argparse.Namespace) -> Iterator[Standing]:
    """Rows of all pairs; each pair's table is printed when it is complete."""
    suite, tool = definition.load(given.suite), tool_of(given.tool, given.configfile)
    kind = kind_of(tool)
    comparison = suite.comparisons[kind]
    if given.seeds is not None:
        refuse((given.seeds < 1, f"--seeds is {given.seeds}; give at least 1"))
        comparison = comparison.model_copy(update={"seeds": min(given.seeds, comparison.seeds)})
    for name, pair in suite.chosen(given.pairs).items():
        print(f"\n{name}: {pair.title}; {comparison.title}, budget of {comparison.source}", flush=True)
        if pair.mirror and mirror(load(CONFIG, [CONFIG / "config.yaml"]).data.mirror) is None:
            print("left out: it needs official files; set QUANTRIFT_MIRROR to the folder that holds them")
            continue
        files = pair_files.of(pair, CONFIG)
        if files.overlay is not None:
            # Snakemake alone knows whether they are up to date.
            pair_files.build(files.overlay, list(files.paths.values()))
        with GivenFiles() as copied:
            copies = files.copied(copied)
            sha256 = files.check(copies)
            arena = Arena(copies.original, copies.compressed, *copies.arrays())
            if reason := arena.refuses(tool):
                print(f"left out: {reason}")
                continue
            entered = [
                (one, arena.natural(parts) if kind == "natural" else tool_from(parts), False)
                for one, parts in ({} if given.alone else comparison.tools).items()
            ]
            rows = [
                Standing(name, kind, one, own, arena.run(one, other, comparison), sha256)
                for one, other, own in (*entered, (given.tool, tool, True))
            ]
        print(f"{rows[-1].result.searches} seed inputs, at most {comparison.evaluations} evaluations each")
        print(table(rows), flush=True)
        yield from rows


def _check_out(out: Path, given: argparse.Namespace) -> None:
    """Make sure, before anything is computed, that rows can be written to a file, and that it is none that is read."""
    pairs = definition.load(given.suite).chosen(given.pairs).values()
    read = [*filter(None, [given.configfile]), *CONFIG.iterdir()]
    read += [path for pair in pairs for path in pair_files.of(pair, CONFIG).paths.values()]
    refuse(
        (
            out.is_dir() or out.resolve() in {path.resolve() for path in read},
            f"--out {out}: is a folder, or a file that this command reads; name another file",
        )
    )
    check_writable(out.absolute().parent)


def _described(name: str) -> str:
    suite = definition.load(name)
    pairs = [
        f"  pair {one}: {own.title}{' (needs a mirror)' if own.mirror else ''}" for one, own in suite.pairs.items()
    ]
    comparisons = [
        f"  {one.title}: {one.seeds} seed inputs, {one.evaluations} evaluations each"
        f"{', to the first disagreement' if one.first else ''} ({one.source}); beside {', '.join(one.tools)}"
        for one in suite.comparisons.values()
    ]
    return "\n".join([f"{name}: {suite.title}", *pairs, *comparisons])
