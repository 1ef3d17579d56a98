"""Templates of entries in the configuration: placeholders, and the entries that they make."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import configurations
from tests.factories.configurations import overlaid
from tests.factories.places import CONFIG
from tools.documents.schema import schema

from quantrift.core.base.errors import ConfigError
from quantrift.core.base.yaml_files import read_yaml
from quantrift.study.planning import abbreviations
from quantrift.study.planning.facets import PLACEHOLDER, SECTIONS, expanded

FROZEN = Path(__file__).with_name("frozen_experiments.yaml")
WORDS = st.from_regex(r"[a-z0-9]{1,6}", fullmatch=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5).filter(lambda text: not PLACEHOLDER.search(text)),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(WORDS, inside, max_size=3),
    max_leaves=8,
)


def of_targets(**entries: Any) -> Any:
    return expanded({"targets": entries})["targets"]


@given(st.lists(st.tuples(WORDS, st.integers(), VALUES), min_size=1, max_size=5, unique_by=lambda row: row[0]))
def test_a_facet_says_what_its_entries_written_out_say(rows: list[tuple[str, int, Any]]) -> None:
    each = [{"name": name, "number": number, "value": value} for name, number, value in rows]
    found = of_targets(
        **{"a_{name}": {"each": each, "title": "{number} of {name}.", "own": ["{value}"], "{name}": {"b": "{number}"}}}
    )
    assert list(found.items()) == [
        (f"a_{name}", {"title": f"{number} of {name}.", "own": [value], name: {"b": number}})
        for name, number, value in rows
    ]


@given(st.dictionaries(WORDS, VALUES, max_size=4), st.sampled_from(SECTIONS))
def test_what_has_no_placeholder_stays_as_it_is(entries: dict[str, Any], section: str) -> None:
    layer = {section: entries, "scale": "{mine}", "datasets": {"{mine}": {"each": 1}}}
    assert expanded(layer) == layer


@given(st.lists(st.tuples(WORDS, VALUES), min_size=1, max_size=5, unique_by=lambda row: row[0]))
def test_a_list_for_each_placeholder_is_the_same_as_a_mapping_for_each_entry(rows: list[tuple[str, Any]]) -> None:
    columns = {"name": [name for name, _ in rows], "value": [value for _, value in rows]}
    by_entry = [{"name": name, "value": value} for name, value in rows]
    one, other = (of_targets(**{"a_{name}": {"each": each, "v": "{value}"}}) for each in (columns, by_entry))
    assert list(one.items()) == list(other.items())


def test_what_no_placeholder_names_is_a_setting_of_that_entry_alone() -> None:
    each = [{"n": 1}, {"n": 2, "s": "x", "within": {"a": 5}, "more": {"{s}": "of {s}"}}]
    found = of_targets(**{"t_{n}": {"each": each, "within": {"a": 1, "b": "{n}"}}})
    assert found == {
        "t_1": {"within": {"a": 1, "b": 1}},
        "t_2": {"within": {"a": 5, "b": 2}, "more": {"x": "of x"}},
    }


def test_entries_stand_where_their_declaration_stands() -> None:
    assert list(of_targets(b={}, **{"{x}": {"each": {"x": ["d", "a"]}}}, c={})) == ["b", "d", "a", "c"]


def test_a_later_layer_changes_a_single_entry(tmp_path: Path) -> None:
    before = configurations.of_scale().targets
    after = overlaid(tmp_path, {"targets": {"heterogeneous_figure4_3": {"model": ["mlp"]}}}).targets
    assert getattr(after["heterogeneous_figure4_3"], "model") == ["mlp"]  # noqa: B009
    assert {name for name in before if before[name] != after[name]} == {"heterogeneous_figure4_3"}
    assert list(before) == list(after)


def test_an_overlay_may_state_entries_so(tmp_path: Path) -> None:
    overlay = {
        "tools": {
            "pso_of_{size}": {"each": {"size": [6, 7]}, "like": "pso_div", "searcher": {"pso": {"swarm": "{size}"}}}
        },
        "experiments": {"mine_{size}": {"each": {"size": [6, 7]}, "subjects": "diverget", "tools": ["pso_of_{size}"],
                                        "protocol": "rq1"}},
    }  # fmt: skip
    config = overlaid(tmp_path, overlay)
    assert [config.tools[f"pso_of_{size}"].searcher.params["swarm"] for size in (6, 7)] == [6, 7]
    assert [config.experiments[f"mine_{size}"].tools for size in (6, 7)] == [["pso_of_6"], ["pso_of_7"]]
    jsonschema.validate({"scale": "mine", **overlay}, schema())


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"a_{nam}": {"each": {"name": ["x"]}}}, "targets.a_{nam}: unknown placeholder {nam}; did you mean 'name'?"),
        ({"a_{n}": {"each": [{"n": 1}, {"m": 2}]}}, "unknown placeholder {n}; valid: m"),
        ({"a_{n}": {"each": {"n": [1]}, "title": "{nn}"}}, "unknown placeholder {nn}; did you mean 'n'?"),
        ({"a_{n}": {"each": {"n": [1, 1]}}}, "it makes 'a_1', and so does 'a_{n}'; state each entry once"),
        ({"a_{n}": {"each": {"n": [1]}}, "a_1": {}}, "targets.a_1: it makes 'a_1', and so does 'a_{n}'"),
        ({"a": {"each": {"n": [1]}}}, "targets.a.each: the key has no placeholder"),
        ({"a_{n}": {"title": "x"}}, "targets.a_{n}: placeholder {n} has no values; add them under 'each'"),
        ({"a_{n}": "x"}, "targets.a_{n}: placeholder {n} has no values; add them under 'each'"),
        ({"a_{n}": {"each": {"n": [1, 2], "m": [1]}}}, "each: the lists must have the same length, got n 2, m 1"),
        ({"a_{n}": {"each": []}}, "each: expected a mapping for each entry, or a list for each placeholder, got []"),
        ({"a_{n}": {"each": ["x"]}}, "each: expected a mapping for each entry"),
        ({"a_{n}": {"each": {"n": "x"}}}, "each: expected a mapping for each entry"),
        ({"a_{n}": {"each": {"n": [["x"]]}}}, "{n} stands within a text, 'a_{n}', and is ['x']"),
        (
            {"a_{n}": {"each": {"n": [1], "f": [True]}, "title": "{f}!"}},
            "{f} stands within a text, '{f}!', and is True",
        ),
    ],
)
def test_a_mistake_is_one_line_with_file_and_key(tmp_path: Path, entries: dict[Any, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        overlaid(tmp_path, {"targets": entries})
    text = str(error.value)
    assert text.startswith(f"{tmp_path / 'mine.yaml'}: targets.a")
    assert message in text
    assert "\n" not in text


def test_a_mistake_within_an_entry_names_the_entry_and_its_file(tmp_path: Path) -> None:
    subjects = {"mine_{n}": {"each": {"n": [1, 2]}, "dataset": ["digits"], "model": ["lenet6"], "compression": []}}
    with pytest.raises(ConfigError, match=r"mine\.yaml: line \d+: subjects\.mine_1\.model: unknown model 'lenet6'"):
        overlaid(tmp_path, {"subjects": subjects})


def meaning(entry: Any) -> str:
    """Digest of what an entry says: without caption and question, which explain, and columns of the timing file."""
    said = {key: value for key, value in entry.items() if key not in ("caption", "question", "isolated")}
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]


def test_every_id_of_the_papers_experiments_means_what_it_meant_when_it_was_written_out() -> None:
    """Ids seed random streams and name result files. What shall mean something else takes another id."""
    library = abbreviations.lists_in_full(expanded(read_yaml(CONFIG / "experiments.yaml")))
    for section, frozen in yaml.safe_load(FROZEN.read_text()).items():
        found = {name: meaning(entry) for name, entry in library[section].items()}
        assert {name: found.get(name) for name in frozen} == frozen, section
        assert [name for name in found if name in frozen] == list(frozen), f"{section}: another order"


VGG16, MLP = "VGG-16", "a perceptron"
DIGITS, COLOUR = ["mnist", "digits"], ["cifar10", "cifar10_jpeg", "cifar10_subset", "sim_textures"]
SAME, LOW, HIGH, LOWEST = "the same bits for all weights", "3 to 6 bits", "6 to 9 bits", "1 to 4 bits"
STUDIES = {SAME: "bits_homogeneous", LOW: "bits_3_6", HIGH: "bits_6_9", LOWEST: "bits_1_4"}
FIGURES = [  # The thesis's Figures 4.1 to 4.25: network, images, bits.
    *[(VGG16, DIGITS, SAME), (VGG16, COLOUR, SAME)],
    *[(VGG16, DIGITS, LOW), (VGG16, DIGITS, HIGH), (VGG16, COLOUR, LOW), (VGG16, COLOUR, HIGH)],
    *[(MLP, DIGITS, SAME), (MLP, COLOUR, SAME)],
    *[(MLP, DIGITS, LOW), (MLP, DIGITS, HIGH), (MLP, COLOUR, LOW), (MLP, COLOUR, HIGH)],
    *[(VGG16, DIGITS, SAME), (VGG16, DIGITS, LOW), (VGG16, DIGITS, HIGH)],
    *[(VGG16, COLOUR, SAME), (VGG16, COLOUR, LOW), (VGG16, COLOUR, HIGH)],
    *[(MLP, DIGITS, SAME), (MLP, DIGITS, LOW), (MLP, DIGITS, HIGH)],
    *[(MLP, COLOUR, SAME), (MLP, COLOUR, LOW), (MLP, COLOUR, HIGH)],
    (MLP, COLOUR, LOWEST),
]


@pytest.mark.parametrize(("number", "network", "dataset", "bits"), [(n, *row) for n, row in enumerate(FIGURES, 1)])
def test_the_thesis_has_25_figures(number: int, network: str, dataset: list[str], bits: str) -> None:
    figure = expanded(read_yaml(CONFIG / "experiments.yaml"))["targets"][f"heterogeneous_figure4_{number}"]
    attacked, study = number > 12, STUDIES[bits]
    images = "digits" if dataset is DIGITS else "colour images"
    shown = f"{network[0].upper()}{network[1:]} attacked" if attacked else f"Accuracy of {network}"
    caption = figure.pop("caption")
    assert figure == {
        "kind": "robustness_by_strength" if attacked else "accuracy_by_bits",
        "title": f"{shown} on {images}, {bits}",
        "source": f"Thesis, Figure 4.{number}",
        "studies": [study],
        "dataset": dataset,
        "model": ["vgg16" if network == VGG16 else "mlp"],
        "published": "thesis_robustness.csv" if attacked else "thesis_accuracies.csv",
        **({"attack": ["fgsm", "fgsm_margin"]} if attacked else {}),
        **({"controls": {study: f"{study}_matched"}} if not attacked and bits != SAME else {}),
    }
    whose = "by number of bits" if bits == SAME else "of each distribution beside a control"
    assert caption.startswith("Left: FGSM" if attacked else f"Test accuracy {whose}")
