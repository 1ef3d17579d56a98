"""YAML files: a key that stands twice is refused, and so is whatever is no YAML, each in one line."""

from pathlib import Path

import pytest

from quantrift.core.base.errors import ConfigError
from quantrift.core.base.yaml_files import read_yaml


def refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_yaml(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    return message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a: 1\nb: 2\na: 3\n", "line 3: 'a' stands twice in one mapping, first in line 1"),
        (b"x:\n  y: {a: 1, a: 1}\n", "line 2: 'a' stands twice"),
        (b"- {a: 1}\n- {b: {c: 1,\n c: 2}}\n", "line 3: 'c' stands twice in one mapping, first in line 2"),
        (b"b: {<<: {a: 1}, a: 2, a: 3}\n", "'a' stands twice"),
    ],
)
def test_a_key_that_stands_twice_is_named_with_its_lines(tmp_path: Path, content: bytes, says: str) -> None:
    message = refusal(tmp_path / "mine.yaml", content)
    assert says in message
    assert "remove or rename" in message


def test_merged_keys_may_be_overwritten_and_other_mappings_may_have_the_same_keys(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("a: &a {x: 1, y: 2}\nb: &b\n  <<: *a\n  x: 3\nc: {<<: *b, x: 4}\nd: [{x: 1}, {x: 2}]\n")
    assert read_yaml(path)["c"] == {"x": 4, "y": 2}


@pytest.mark.parametrize(
    "content",
    [b"a: \xff", b"a: 2001-99-99", b"a: *b", b"a: !!timestamp x", b"a: !!python/name:os.system x", b"[" * 9999],
)
def test_what_is_no_yaml_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "not valid YAML" in refusal(tmp_path / "mine.yaml", content)


def test_half_a_character_is_refused_before_it_reaches_a_file(tmp_path: Path) -> None:
    said = refusal(tmp_path / "mine.yaml", b'a: 1\ntitle: "a\\ud83d"\n')
    assert "invalid Unicode character escape" in said
    assert "line 2" in said


@pytest.mark.parametrize("content", [b"", b"- 1\n", b"text"])
def test_what_is_no_mapping_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "expected 'key: value' lines" in refusal(tmp_path / "mine.yaml", content)


@pytest.mark.parametrize("key", ["1", "on", "2001-01-01", "~", "1.5"])
def test_a_key_that_yaml_takes_for_something_else_than_text_is_refused(tmp_path: Path, key: str) -> None:
    message = refusal(tmp_path / "mine.yaml", f"a: b\n{key}: c\n".encode())
    assert f"line 2: the key {key} is no text; put it in quotes" in message
