"""Pages of documents from templates of jinja2."""

from collections.abc import Mapping
from functools import partial
from textwrap import fill

import jinja2

from quantrift.study.planning.configuration_files import ROOT

SOURCES = ROOT / "docs" / "_sources"


def render(name: str, values: Mapping[str, object]) -> str:
    """The page of a source, by its name in ``SOURCES``, with values that it names; ``fill`` wraps a paragraph."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(SOURCES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["fill"] = partial(fill, width=120)
    return environment.get_template(name).render(values)
