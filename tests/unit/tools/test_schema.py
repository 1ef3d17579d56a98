"""The committed JSON schemas are those that the models generate."""

import jsonschema
import pytest
import yaml
from tests.factories.places import CONFIG, ROOT
from tools.documents.schema import schema, texts


def test_the_committed_schemas_have_not_drifted() -> None:
    for name, text in texts().items():
        committed = (ROOT / "workflow" / "schemas" / name).read_text()
        assert committed == text, "the models changed: run python -m tools.pages schema"


@pytest.mark.parametrize("name", ["config.yaml", "sample.yaml", "paper.yaml", "own_model.yaml"])
def test_overlays_fit_the_schema(name: str) -> None:
    overlay = yaml.safe_load((CONFIG / name).read_text())
    jsonschema.validate(overlay, schema())


def test_the_schema_refuses_unknown_keys() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"scale": "x", "protocols": {"rq1": {"run_seedz": 3}}}, schema())
