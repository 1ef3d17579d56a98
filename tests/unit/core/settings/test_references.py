"""Names that refer to another section, found wherever they stand in settings."""

from typing import Annotated

from pydantic import BaseModel, Field

from quantrift.core.settings.fields import Id
from quantrift.core.settings.references import Ref, Reference, ToolId, references


class _Group(BaseModel):
    tools: list[ToolId]
    protocol: Annotated[Id, Ref("protocol")] | None = None


class _Settings(BaseModel):
    from_: Annotated[list[Annotated[Id, Ref("experiment")]], Field(alias="from", min_length=1)]
    tool: ToolId | None = None
    groups: dict[str, _Group] = {}
    names: dict[ToolId, dict[str, ToolId]] = {}
    plain: str = "tool"
    one: _Group | list[ToolId] = []


def found(**stated: object) -> list[Reference]:
    return list(references(_Settings.model_validate({"from": ["rq1"], **stated}), "targets.t"))


def test_a_reference_is_named_by_the_keys_that_lead_to_it() -> None:
    assert found(tool="pso", groups={"a": {"tools": ["ga", "pso"], "protocol": "rq2"}}) == [
        ("targets.t.from", "experiment", "rq1"),
        ("targets.t.tool", "tool", "pso"),
        ("targets.t.groups.a.tools", "tool", "ga"),
        ("targets.t.groups.a.tools", "tool", "pso"),
        ("targets.t.groups.a.protocol", "protocol", "rq2"),
    ]


def test_keys_of_mappings_may_refer_too() -> None:
    assert found(names={"pso": {"x": "ga"}})[1:] == [
        ("targets.t.names", "tool", "pso"),
        ("targets.t.names.pso.x", "tool", "ga"),
    ]


def test_the_form_that_is_given_of_several_counts() -> None:
    assert found(one=["ga"])[1:] == [("targets.t.one", "tool", "ga")]
    assert found(one={"tools": ["pso"]})[1:] == [("targets.t.one.tools", "tool", "pso")]


def test_what_is_not_given_refers_to_nothing() -> None:
    assert found() == [("targets.t.from", "experiment", "rq1")]
