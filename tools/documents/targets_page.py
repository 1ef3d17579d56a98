"""The page docs/targets.md: ``python -m tools.documents.targets_page > docs/targets.md``."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from quantrift.core.page.markdown import inline
from quantrift.study.planning.collection import members, work_of
from quantrift.study.planning.configuration_files import ROOT, load
from quantrift.study.planning.root import Config
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.target import Target

SCALES = ("config", "sample", "paper")
"""Overlays whose targets are listed, in the order of their columns."""
LAST_NUMBER = re.compile(r"\d+$")
HEAD = """# Questions and targets

A target is one table or figure. `.venv/bin/snakemake --cores 2 TARGET` makes it and only what it needs; with
`--configfile config/sample.yaml` or `config/paper.yaml` at another scale. Targets share what they have in common, and
`quantrift plan TARGET` says what one would cost.

"Plain run" names the scales at which `snakemake` without a target makes it, and numbers where it makes some of a row
alone. `report` is the page that shows all targets of such a run.

This page is generated from the configuration by `make targets`.
"""


def configurations(folder: Path) -> dict[str, Config]:
    """Scale -> the resolved configuration of its overlay in ``folder``.

    Raises:
        ConfigError: if one of them is wrong.
    """
    found = (load(folder, [folder / f"{name}.yaml"]) for name in SCALES)
    return {config.scale: config for config in found}


def text(configs: Mapping[str, Config]) -> str:
    """The page on the targets of some scales; a target of several scales is listed as in the first one."""
    targets = {name: one for config in reversed([*configs.values()]) for name, one in config.targets.items()}
    order = dict.fromkeys(name for config in configs.values() for name in config.targets)
    works: dict[str, list[str]] = {work_of(name, targets): [] for name in order}
    for name in order:
        works[work_of(name, targets)].append(name)
    parts = [HEAD]
    for title, names in works.items():
        parts.append(f"## {title}\n")
        parts += _collections([name for name in names if members(targets[name])], targets)
        parts += _targets([name for name in names if not members(targets[name])], targets, configs)
    return "\n".join(parts)


def folded(names: Iterable[str], targets: Mapping[str, Target]) -> list[list[str]]:
    """Names in order, in groups: neighbours that differ in a last number alone and answer one question are one
    group.
    """

    def what(name: str) -> tuple[str, str, str]:
        return LAST_NUMBER.sub("", name), targets[name].kind, targets[name].question

    return [list(group) for _, group in groupby(names, what)]


def _collections(names: list[str], targets: Mapping[str, Target]) -> Iterator[str]:
    if not names:
        return
    yield "| collection | question | targets |\n|---|---|---|"
    for name in names:
        shown = ", ".join(_span([f"`{one}`" for one in group]) for group in folded(members(targets[name]), targets))
        question = targets[name].question or targets[name].title
        yield f"| `{name}` | {inline(question)} | {shown} |"
    yield ""


def _targets(names: list[str], targets: Mapping[str, Target], configs: Mapping[str, Config]) -> Iterator[str]:
    if not names:
        return
    made = {scale: set(config.shown) for scale, config in configs.items()}
    yield "| target | question | shows | kind | plain run |\n|---|---|---|---|---|"
    for group in folded(names, targets):
        first = targets[group[0]]
        titles = _span([inline(targets[name].title) for name in group])
        sources = _span([inline(targets[name].source) for name in group if targets[name].source])
        shape = "table" if kinds.is_table(first.kind) else "figure"
        runs = [_scale(scale, group, made[scale]) for scale in configs if made[scale] & {*group}]
        cells = [
            _span([f"`{name}`" for name in group]),
            inline(first.question),
            f"{titles} ({sources})" if sources else titles,
            f"{shape} `{first.kind}`",
            ", ".join(runs),
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _span(words: list[str]) -> str:
    """The first and the last of some words, if they are several; nothing if there is none."""
    return " … ".join(dict.fromkeys([*words[:1], *words[-1:]]))


def _scale(scale: str, group: list[str], made: set[str]) -> str:
    """A scale, and the numbers of the targets that a plain run makes there where these are not all of the group."""
    some = [found[0] for name in group if name in made and (found := LAST_NUMBER.search(name))]
    return scale if made >= {*group} else f"{scale} ({', '.join(some)})"


if __name__ == "__main__":
    print(text(configurations(ROOT / "config")), end="")
