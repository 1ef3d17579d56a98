"""Blocks of the distortion space: their layout, their ranges, and cases with a known outcome."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from quantrift.core.search.distortions.compound import in_order
from quantrift.core.search.space import Domain, Originals
from quantrift.core.search.spaces.hsi_distortions import HsiDistortions, Params, bind

SHAPES = [(7, 7, 103), (7, 7, 204), (25, 25, 15)]
# Activation gene and parameters, counted from the figures of DiverGet's Table 1.
LENGTHS = {
    "continuous_dropout": (48, 88, 18),
    "discontinuous_dropout": (62, 102, 68),
    "stripping": (7, 7, 13),
    "region_dropout": (48, 88, 12),
    "spectral_band_loss": (105, 205, 17),
    "salt_and_pepper": (13, 13, 133),
    "spatial_gaussian": (13, 13, 133),
    "spectral_gaussian": (17, 31, 5),
    "rotation": (4, 4, 4),
    "zoom": (4, 4, 4),
}
TOTALS = (322, 556, 408)
OF_THE_CODE = tuple(LENGTHS)
TABLE_1 = (*OF_THE_CODE[:4], "discontinuous_region_dropout", *OF_THE_CODE[4:])


def space_of(shape: tuple[int, int, int], params: Params) -> HsiDistortions:
    return bind(params, Domain(shape, -1, 1))


def block_bounds(space: HsiDistortions, name: str) -> tuple[np.ndarray, np.ndarray]:
    [block] = [block for block in space.blocks if block.name == name]
    return space.lower[block.genes], space.upper[block.genes]


def decoded(name: str, genes: list[float], image: np.ndarray, lines: bool = True) -> np.ndarray:
    """An image under one distortion."""
    space = space_of(image.shape, Params(distortions=(name,)))
    return space.decode(np.array([[lines, 1, *genes]], np.float32), Originals(image[None]), np.array([0]))[0]


@pytest.mark.parametrize("which", range(3))
def test_blocks_of_the_code_have_the_published_lengths(which: int) -> None:
    space = space_of(SHAPES[which], Params(variant="code"))
    assert [(block.name, block.genes.stop - block.activation) for block in space.blocks] == [
        (name, n[which]) for name, n in LENGTHS.items()
    ]
    assert space.shape == (TOTALS[which],)


@pytest.mark.parametrize("which", range(3))
def test_the_paper_has_a_block_more_for_discontinuous_regions(which: int) -> None:
    space = space_of(SHAPES[which], Params(distortions=TABLE_1))
    lengths = {block.name: block.genes.stop - block.activation for block in space.blocks}
    side = SHAPES[which][0]
    assert lengths.pop("discontinuous_region_dropout") == lengths["region_dropout"] + 4 * side
    assert lengths == {name: n[which] for name, n in LENGTHS.items()}
    assert [block.name for block in space.blocks] == list(TABLE_1)


def test_the_centre_is_fixed_in_the_middle() -> None:
    space = space_of((6, 9, 4), Params(distortions=TABLE_1))
    for name in ("rotation", "zoom"):
        lower, upper = block_bounds(space, name)
        np.testing.assert_array_equal(lower[:2], [4, 2.5])
        np.testing.assert_array_equal(upper[:2], [4, 2.5])
    assert (space.lower == space.upper).sum() == 4


def test_noise_of_the_code_is_never_negative() -> None:
    for name in ("spatial_gaussian", "spectral_gaussian"):
        for params, lowest in ((Params(), -1), (Params(variant="code"), 0)):
            lower, upper = block_bounds(space_of((7, 7, 20), params), name)
            assert (lower[-1], upper[-1]) == (lowest, 1)


def test_settings_show_the_distortions_really_used_and_survive_json() -> None:
    assert Params().distortions == in_order("hsi")
    assert Params(variant="code").distortions == OF_THE_CODE
    given = Params(distortions=("zoom", "stripping"), strengths={"zoom": 0.5})
    assert given.distortions == ("stripping", "zoom")
    assert Params(**json.loads(json.dumps(asdict(given)))) == given


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"distortions": ["salt"]}, "distortions must be some of .* got salt"),
        ({"distortions": []}, "distortions must be some of .* got none"),
        ({"variant": "code", "distortions": ["discontinuous_region_dropout"]}, "distortions must be some of"),
        ({"strengths": {"salt": 0.5}}, "strengths must be of .* got salt"),
        ({"strengths": {"zoom": 0}}, "greater than 0"),
        ({"strengths": {"zoom": 1.5}}, "less than or equal to 1"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        TypeAdapter(Params).validate_python(settings)


def test_a_distortion_without_room_is_left_out() -> None:
    names = [block.name for block in space_of((28, 28, 1), Params(distortions=TABLE_1)).blocks]
    assert names == [name for name in TABLE_1 if name != "spectral_band_loss"]


def test_strengths_narrow_every_range() -> None:
    shape = (7, 7, 100)
    half = space_of(shape, Params(distortions=TABLE_1, strengths=dict.fromkeys(TABLE_1, 0.5)))
    lengths = {block.name: block.genes.stop - block.activation for block in half.blocks}
    assert lengths == {
        "continuous_dropout": 1 + 2 * (1 + 10) + 1,
        "discontinuous_dropout": 1 + 2 * (1 + 10 + 4) + 1,
        "stripping": 1 + 2 * 1 + 2,
        "region_dropout": 1 + 2 * 10 + 4 + 1,
        "discontinuous_region_dropout": 1 + 2 * 10 + 4 + 1 + 2 * (7 + 7),
        "spectral_band_loss": 1 + 2 * 25,
        "salt_and_pepper": 1 + 3 * 2,
        "spatial_gaussian": 1 + 3 * 4,
        "spectral_gaussian": 1 + 2 * 7,
        "rotation": 4,
        "zoom": 4,
    }
    np.testing.assert_array_equal(block_bounds(half, "region_dropout")[1][-5:], [6, 6, 3, 3, 1])
    np.testing.assert_array_equal(block_bounds(half, "discontinuous_region_dropout")[1][20:25], [6, 6, 3, 3, 1])
    for name in ("spatial_gaussian", "spectral_gaussian"):
        lower, upper = block_bounds(half, name)
        assert (lower[-1], upper[-1]) == (-0.5, 0.5)
    assert block_bounds(half, "rotation")[1][-1] == 180
    np.testing.assert_allclose([bound[-1] for bound in block_bounds(half, "zoom")], [0.65, 3])


def test_at_the_least_strength_one_item_remains() -> None:
    space = space_of((7, 7, 100), Params(strengths=dict.fromkeys(TABLE_1, 1e-12)))
    lengths = {block.name: block.genes.stop - block.activation for block in space.blocks}
    assert lengths["continuous_dropout"] == 1 + 2 * 2 + 1
    assert lengths["stripping"] == 1 + 2 + 2
    assert lengths["spectral_band_loss"] == 1 + 2
    assert lengths["salt_and_pepper"] == 1 + 3
    np.testing.assert_array_equal(block_bounds(space, "region_dropout")[1][-3:-1], [1, 1])


def test_weaker_noise_is_drawn_smaller() -> None:
    def largest(strength: float) -> float:
        strengths = {"spectral_gaussian": strength}
        space = space_of((7, 7, 100), Params(distortions=("spectral_gaussian",), strengths=strengths))
        return float(np.abs(space.sample(200, np.random.default_rng(0))[:, 3::2]).max())

    assert largest(0.1) == pytest.approx(0.1 * largest(1), rel=1e-5)
    assert largest(1) < 0.3


def test_samples_switch_half_of_the_blocks_on() -> None:
    space = space_of((7, 7, 20), Params())
    vectors = space.sample(4000, np.random.default_rng(0))
    switches = vectors[:, [0, *(block.activation for block in space.blocks)]]
    assert np.all(np.abs(switches.mean(axis=0) - 0.5) < 0.04)


@pytest.mark.parametrize("lines", [True, False])
def test_stripping_gives_a_line_the_target_mean_and_deviation(lines: bool) -> None:
    image = np.random.default_rng(0).normal(3, 2, (1, 40, 50) if lines else (40, 1, 50)).astype(np.float32)
    # Eight genes may choose a line; of the forty, only the first exists across.
    out = decoded("stripping", [0, 1] + [0, 0] * 7 + [0.03, 0.02], image, lines)
    assert out.mean() == pytest.approx(0.03, abs=1e-6)
    assert out.std() == pytest.approx(0.02, abs=1e-6)


def test_stripping_makes_a_constant_patch_the_target_mean() -> None:
    out = decoded("stripping", [2, 1, 2, 1, 0.04, 0.02], np.full((7, 7, 3), 0.1, np.float32))
    assert np.all(out[2] == np.float32(0.04))
    assert np.all(np.delete(out, 2, axis=0) == np.float32(0.1))


def test_a_region_is_clipped_to_the_patch() -> None:
    image = np.random.default_rng(0).normal(size=(6, 8, 1)).astype(np.float32)
    out = decoded("region_dropout", [0, 1, 5, 4, 7, 5, 0], image)
    expected = image.copy()
    expected[4:, 5:] = image.min()
    np.testing.assert_array_equal(out, expected)


def test_a_region_without_width_changes_nothing() -> None:
    image = np.random.default_rng(0).normal(size=(6, 8, 1)).astype(np.float32)
    np.testing.assert_array_equal(decoded("region_dropout", [0, 1, 2, 2, 0, 5, 1], image), image)


def test_every_line_and_column_of_an_oblong_patch_can_drop_out() -> None:
    image = np.random.default_rng(0).normal(size=(4, 9, 1)).astype(np.float32)
    for lines, side in ((True, 4), (False, 9)):
        for line in range(9):
            out = decoded("continuous_dropout", [line, 1, 0, 0, 0, 1, 1], image, lines)
            hit = np.any(out != image, axis=1 if lines else 0).any(axis=-1)
            assert np.flatnonzero(hit).tolist() == ([line] if line < side else [])
