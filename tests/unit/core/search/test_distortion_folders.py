"""Every file in a folder of distortions is one, at a place of its own, and a change of it reruns who uses it."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.factories.places import ROOT

from quantrift.core.base import code_digests, search_parts
from quantrift.core.search import distortions
from quantrift.core.search.distortions import image_distortion, patch_distortion
from quantrift.core.search.distortions.compound import Folder, groups, in_order, load, module_name
from quantrift.core.search.distortions.genes import Setting
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces import hsi_distortions, image_distortions

FROZEN: dict[Folder, str] = {
    "hsi": "continuous_dropout discontinuous_dropout stripping region_dropout discontinuous_region_dropout "
    "spectral_band_loss salt_and_pepper spatial_gaussian spectral_gaussian rotation zoom",
    "images": "shift rotation zoom blur contrast brightness noise",
}
"""Orders that vectors in records have."""
KINDS: dict[Folder, ModuleType] = {"hsi": patch_distortion, "images": image_distortion}
SPACES: dict[Folder, ModuleType] = {"hsi": hsi_distortions, "images": image_distortions}
FOLDERS: tuple[Folder, ...] = ("hsi", "images")
ALL = [(folder, name) for folder in FOLDERS for name in in_order(folder)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_distortions_are_the_files_of_the_folder_in_the_order_of_their_places(folder: Folder) -> None:
    files = {path.stem for path in Path(distortions.__path__[0], folder).glob("*.py")}
    places = [load(folder, name).PLACE for name in in_order(folder)]
    assert set(in_order(folder)) == files - {"__init__"}
    assert places == sorted(set(places)), "a place is of one distortion"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_order_of_the_distortions_in_records_never_changes(folder: Folder) -> None:
    frozen = FROZEN[folder].split()
    assert [name for name in in_order(folder) if name in frozen] == frozen


@pytest.mark.parametrize(("folder", "name"), ALL)
def test_every_file_is_a_distortion_that_offers_what_is_promised(folder: Folder, name: str) -> None:
    module = load(folder, name)
    assert isinstance(module.PLACE, int)
    if folder == "hsi":
        assert set(getattr(module, "VARIANTS", hsi_distortions.VARIANTS)) <= {"paper", "code"}
    else:
        assert isinstance(module.GROUPS, tuple)
    for strength in (1, 0.5, 1e-9):
        block = module.bind(Setting((9, 8, 12), strength))
        kinds = KINDS[folder].Radiometric | KINDS[folder].Geometric
        assert isinstance(block, kinds | image_distortion.Fault)
        assert block.genes
        assert all(gene.lower <= gene.upper for gene in block.genes)


@pytest.mark.parametrize(("folder", "name"), ALL)
def test_every_distortion_alone_distorts(folder: Folder, name: str) -> None:
    module = SPACES[folder]
    channels = 12 if folder == "hsi" else 3
    space = module.bind(module.Params(distortions=(name,)), Domain((9, 8, channels), -1, 1))
    rng = np.random.default_rng(0)
    originals = Originals(rng.uniform(-1, 1, (2, 9, 8, channels)).astype(np.float32))
    vectors, rows = space.sample(50, rng), np.arange(50) % 2
    vectors[:, space.blocks[0].activation] = 1
    found = space.decode(vectors, originals, rows)
    assert (found.shape, found.dtype, found.flags.c_contiguous) == ((50, 9, 8, channels), np.float32, True)
    assert np.isfinite(found).all()
    assert (found != originals.inputs[rows]).any()


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_search_depends_on_the_code_of_the_distortions_that_it_may_switch_on_and_no_others(folder: Folder) -> None:
    for names in (("zoom",), in_order(folder)):
        named = search_parts.modules("space", SPACES[folder].__name__.rpartition(".")[2], {"distortions": names})
        reached, _ = code_digests.reached(ROOT / "workflow" / "scripts" / "search.py", named)
        used = {module_name(folder, name) for name in names}
        assert {module_name(one, name) for one, name in ALL} & set(reached) == used


def test_tools_that_name_no_distortions_of_patches_have_those_of_the_paper_or_of_its_code() -> None:
    paper = tuple(FROZEN["hsi"].split())
    assert hsi_distortions.Params().distortions == paper
    code = tuple(name for name in paper if name != "discontinuous_region_dropout")
    assert hsi_distortions.Params(variant="code").distortions == code


def test_groups_are_no_distortions_and_the_default_is_the_one_that_published_recipes_have() -> None:
    assert groups("images")["default"] == tuple(FROZEN["images"].split())
    assert set(groups("images")) == {"default", "corruptions", "pipeline_faults"}
    others: tuple[Folder, ...] = ("images", "signals", "tables")
    for folder in others:
        assert not set(groups(folder)) & set(in_order(folder))
        places = [load(folder, name).PLACE for name in in_order(folder)]
        assert places == sorted(set(places))
    named = image_distortions.Params(distortions=("pipeline_faults", "blur")).distortions
    assert named == ("blur", "channel_order", "scale_slip")
    assert image_distortions.Params().distortions == groups("images")["default"]
