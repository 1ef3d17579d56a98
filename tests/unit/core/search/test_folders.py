"""Distortions of each folder: those by default, groups, and refusals."""

import pytest

from quantrift.core.search.distortions import compound
from quantrift.core.search.spaces import image_distortions, signal_distortions, table_distortions

SPACES = {"images": image_distortions, "signals": signal_distortions, "tables": table_distortions}


@pytest.mark.parametrize("folder", SPACES)
def test_a_space_has_the_distortions_by_default_or_those_that_are_named_in_order(folder: compound.Folder) -> None:
    space = SPACES[folder]
    by_default = tuple(name for name in compound.in_order(folder) if "default" in compound.load(folder, name).GROUPS)
    assert by_default
    assert space.Params().distortions == by_default
    assert space.Params(distortions=("default",)).distortions == by_default
    every = compound.in_order(folder)
    assert space.Params(distortions=every[::-1]).distortions == every
    assert space.modules(space.Params(distortions=(every[-1],))) == [compound.module_name(folder, every[-1])]


@pytest.mark.parametrize("folder", SPACES)
def test_unknown_names_and_no_names_are_refused(folder: compound.Folder) -> None:
    known = ", ".join(compound.in_order(folder))
    for stated, got in (({"distortions": ("blurr",)}, "blurr"), ({"distortions": ()}, "none")):
        with pytest.raises(ValueError, match=f"^distortions must be some of {known}, got {got}$"):
            SPACES[folder].Params(**stated)
    with pytest.raises(ValueError, match="got blurr$"):
        SPACES[folder].Params(strengths={"blurr": 0.5})
