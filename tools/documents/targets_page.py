"""Questions and targets of all scales, for docs/targets.md."""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby

from quantrift.core.base.grouped import grouped
from quantrift.core.page.markdown import inline, table
from quantrift.study.planning.collection import members, work_of
from quantrift.study.planning.root import Config
from quantrift.study.results.targets import kinds
from quantrift.study.results.targets.target import Target

LAST_NUMBER = re.compile(r"\d+$")


def text(configs: Mapping[str, Config]) -> str:
    """Tables of the targets of some scales; a target of several scales is listed as in the first one."""
    targets = {name: one for config in reversed([*configs.values()]) for name, one in config.targets.items()}
    order = dict.fromkeys(name for config in configs.values() for name in config.targets)
    works = grouped((work_of(name, targets), name) for name in order)
    made = {scale: {*config.shown} for scale, config in configs.items()}
    parts = []
    for title, names in works.items():
        collections = [_collection(name, targets) for name in names if targets[name].kind == "collection"]
        groups = folded((name for name in names if targets[name].kind != "collection"), targets)
        own = [_group(group, targets, made, title) for group in groups]
        parts.append(f"## {title}")
        parts += [table(["collection", "question", "targets"], collections)] if collections else []
        parts += [table(["target", "question", "in the paper", "kind", "plain run"], own)] if own else []
    return "\n\n".join(parts)


def folded(names: Iterable[str], targets: Mapping[str, Target]) -> list[list[str]]:
    """Names in order, in groups: neighbours that differ in a last number alone and answer one question are one
    group.
    """

    def what(name: str) -> tuple[str, str, str]:
        return LAST_NUMBER.sub("", name), targets[name].kind, targets[name].question

    return [list(group) for _, group in groupby(names, what)]


def _collection(name: str, targets: Mapping[str, Target]) -> list[str]:
    shown = ", ".join(_span([f"`{one}`" for one in group]) for group in folded(members(name, targets), targets))
    return [f"`{name}`", inline(targets[name].question or targets[name].title), shown]


def _group(group: list[str], targets: Mapping[str, Target], made: Mapping[str, set[str]], work: str) -> list[str]:
    first = targets[group[0]]
    sources = [inline(targets[name].source) for name in group if targets[name].source]
    scales = [_scale(scale, group, of_scale) for scale, of_scale in made.items() if of_scale & {*group}]
    return [
        _span([f"`{name}`" for name in group]),
        inline(first.question),
        _span([one.removeprefix(f"{work.split()[0]}, ") for one in sources]),
        f"{'table' if kinds.is_table(first.kind) else 'figure'} `{first.kind}`",
        "all" if scales == [*made] else ", ".join(scales),
    ]


def _span(words: list[str]) -> str:
    """The first and the last of some words, if they are several; nothing if there is none."""
    return " … ".join(dict.fromkeys([*words[:1], *words[-1:]]))


def _scale(scale: str, group: list[str], made: set[str]) -> str:
    """A scale, and the numbers of the targets that a plain run makes there where these are not all of the group."""
    some = [found[0] for name in group if name in made and (found := LAST_NUMBER.search(name))]
    return scale if made >= {*group} else f"{scale} ({', '.join(some)})"
