"""Settings of the site that `make docs` builds: Sphinx with MyST, which reads the Markdown pages as they are.

The pages lie where a code host shows them, so the source folder is the checkout. Pages of reference have a comment
``<!-- made from NAME -->`` in place of what is read from the code when the site is built.
"""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from tools.documents import commands_page, settings_page

ROOT = Path(__file__).resolve().parents[1]
API = """```{eval-rst}
.. automodule:: quantrift.api
   :members:
   :imported-members:
```"""
KEPT = "results/kept/tables/"
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#:]+)\)")
MADE: dict[str, Callable[[], str]] = {
    "the command line": commands_page.text,
    "the configuration": settings_page.text,
    "quantrift.api": lambda: API,
}

project = "Quantrift"
author = copyright = "The Quantrift authors"
release = version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = [
    *("*.md", "docs/**.md", "config/*.md", "workflow/published/*.md"),
    *("results/README.md", "results/kept/**.md"),
]
exclude_patterns = [".*", "resources", "tests", "docs/_sources"]
myst_heading_anchors = 4
highlight_language = "text"
autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_title = f"Quantrift {release}"
html_additional_pages = {"index": "to_docs.html"}
templates_path = ["site"]
html_use_index = False
html_domain_indices = False
html_copy_source = False
html_show_sphinx = False
# Summaries of what a search finds are fetched, which a browser refuses for files.
html_show_search_summary = False


def filled(app: Sphinx, page: str, content: list[str]) -> None:
    """Put what is made from code into a page, and behind the overview the navigation that it states."""
    for name, make in MADE.items():
        if (comment := f"<!-- made from {name} -->") in content[0]:
            content[0] = content[0].replace(comment, make())
    # A link to a folder of the checkout is its words alone, as a site has no page of it.
    here = (ROOT / page).parent
    content[0] = LINK.sub(lambda link: link[1] if (here / link[2]).is_dir() else link[0], content[0])
    if page.startswith(KEPT):
        # Tables of a kept run are reached from their page alone.
        content[0] = f"---\norphan: true\n---\n\n{content[0]}"
    if page == root_doc:
        content[0] += "".join(map(_tree, re.split(r"^## ", content[0], flags=re.MULTILINE)[1:]))


def with_levels(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Give headings of the navigation the level that ARIA asks for, which Sphinx leaves out."""
    name = "furo_navigation_tree"
    context[name] = context[name].replace('role="heading"', 'role="heading" aria-level="2"')


def _tree(group: str) -> str:
    """A group of the overview, heading and list of links, as a hidden entry of the navigation."""
    links = re.findall(r"^\* .*?\]\((\S+)\.md\)", group, re.MULTILINE)
    return "\n\n```{{toctree}}\n:hidden:\n:caption: {}\n\n{}\n```\n".format(group.partition("\n")[0], "\n".join(links))


def setup(app: Sphinx) -> None:
    """Connect what this file adds."""
    app.connect("source-read", filled)
    # The theme makes its navigation in the same event, at the usual priority.
    app.connect("html-page-context", with_levels, priority=600)
