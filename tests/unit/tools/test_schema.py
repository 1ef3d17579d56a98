"""The committed JSON schema is the one the configuration models generate."""

import jsonschema
import pytest
import yaml
from tests.factories.places import CONFIG, ROOT
from tools.documents.schema import schema, text


def test_the_committed_schema_has_not_drifted() -> None:
    committed = (ROOT / "workflow" / "schemas" / "config.json").read_text()
    assert committed == text(), "the configuration models changed: run make schema"


@pytest.mark.parametrize("name", ["config.yaml", "sample.yaml", "paper.yaml", "own_model.yaml"])
def test_overlays_fit_the_schema(name: str) -> None:
    overlay = yaml.safe_load((CONFIG / name).read_text())
    jsonschema.validate(overlay, schema())


def test_the_schema_refuses_unknown_keys() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"scale": "x", "protocols": {"rq1": {"run_seedz": 3}}}, schema())
