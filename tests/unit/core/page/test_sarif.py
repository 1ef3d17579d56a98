"""Findings in SARIF: what the format demands of a log, whatever names and texts hold."""

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantrift.core.page.sarif import Result, sarif_log

NAMES = st.text(st.characters(exclude_characters="/\0"), min_size=1).filter(lambda name: name.strip(".") == name)
RESULTS = st.builds(
    Result,
    rule=st.sampled_from(["scale", "bias"]),
    level=st.sampled_from(["error", "warning", "note"]),
    text=st.text(min_size=1),
    file=NAMES.map(Path),
    place=st.text(),
)


@given(st.lists(RESULTS, max_size=4))
def test_every_result_names_its_rule_its_level_its_text_and_its_place(results: list[Result]) -> None:
    log = json.loads(sarif_log({"scale": "A scale is wrong.", "bias": "A bias is wrong."}, results))
    [run] = log["runs"]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["name"] == "quantrift"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["scale", "bias"]
    assert len(run["results"]) == len(results)
    for one, told in zip(results, run["results"], strict=True):
        [location] = told["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert (told["ruleId"], told["level"], told["message"]["text"]) == (one.rule, one.level, one.text)
        assert (urlsplit(uri).scheme, unquote(uri, errors="surrogateescape")) == ("", str(one.file))
        assert location["logicalLocations"] == [{"fullyQualifiedName": one.place}]


@pytest.mark.parametrize(("file", "uri"), [("a b/m#1.tflite", "a%20b/m%231.tflite"), ("/m.onnx", "file:///m.onnx")])
def test_files_are_uris(file: str, uri: str) -> None:
    [run] = json.loads(sarif_log({}, [Result("scale", "note", "text", Path(file), "layer")]))["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri
