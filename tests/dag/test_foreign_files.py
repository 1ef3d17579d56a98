"""Files that read what users give, name runtimes or tell how to install a package stand behind no result of a paper."""

import re
from pathlib import Path

import pytest
from tests.factories.places import ROOT

from quantrift.core.base import code_digests
from quantrift.core.pairs import given_pair, own_pair

LISTED = Path(__file__).with_name("foreign.txt")
NETWORKS = "quantrift.core.networks"
FOLDERS = tuple(f"{NETWORKS}.{name}." for name in ("foreign", "graphs", "runtimes"))
REGISTRY_AND_HINTS = {f"{NETWORKS}.runtime", f"{NETWORKS}.libraries", "quantrift.core.base.extras"}
SCRIPTS = ROOT / "workflow" / "scripts"
OTHERS = {"adopt", "adopt_compressed", "board", "board_row", "check_network", "layers", "layers_of_dii", "mend_model"}
"""Scripts that take networks from files, call the judge, or compare layers of files of any format."""


def imports() -> dict[str, set[str]]:
    """Module of the package -> names that it imports."""
    found = {}
    for file in code_digests.PACKAGE.rglob("*.py"):
        name = ".".join(["quantrift", *file.relative_to(code_digests.PACKAGE).with_suffix("").parts])
        if file.name != "__init__.py":
            found[name] = set(re.findall(r"^ *from ([\w.]+) import", file.read_text(), re.MULTILINE)) | {
                f"{module}.{one.strip()}"
                for module, names in re.findall(
                    r"^ *from ([\w.]+) import (\([^)]*\)|.*)$", file.read_text(), re.MULTILINE
                )
                for one in names.strip("()").split(",")
            }
    return found


def foreign() -> set[str]:
    """All modules of the core that the list has to name."""
    modules = imports()
    found = {name for name in modules if name.startswith(FOLDERS)} | REGISTRY_AND_HINTS
    while more := {
        name
        for name, used in modules.items()
        if name.startswith("quantrift.core.") and name not in found and used & found
    }:
        found |= more
    return found


def test_the_list_names_each_reader_registry_and_hint_and_what_stands_on_them() -> None:
    lines = [line for line in LISTED.read_text().splitlines() if not line.startswith("#")]
    assert lines == sorted(f"{name.removeprefix('quantrift.').replace('.', '/')}.py" for name in foreign())


def test_a_search_of_given_networks_depends_on_the_runtime_of_their_files() -> None:
    reached, _ = code_digests.reached(SCRIPTS / "search.py", [given_pair.__name__])
    assert f"{NETWORKS}.runtimes.litert" in reached


@pytest.mark.parametrize("script", sorted({path.stem for path in SCRIPTS.glob("*.py")} - OTHERS))
def test_no_script_of_a_paper_leads_to_one(script: str) -> None:
    ours = [own_pair.__name__, own_pair.NEURONS, f"{own_pair.RUNTIMES}.litert", f"{own_pair.RUNTIMES}.tensorflow"]
    reached, _ = code_digests.reached(SCRIPTS / f"{script}.py", ours)
    assert not foreign() & set(reached)
