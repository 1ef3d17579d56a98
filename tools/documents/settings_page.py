"""Reference of the configuration for the site: every key with type, default and meaning, from models of settings."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from tools.documents.schema import complete

from quantrift.core.base import search_parts
from quantrift.core.page.markdown import table

LONGEST = 60
"""Characters of a default that is shown; a longer one is a set of settings, shown where its own type is."""
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


class _Models:
    """Models of settings by reference; each is shown where a section first needs it."""

    def __init__(self, whole: Mapping[str, Any]) -> None:
        self.known = {f"#/$defs/{name}": model for name, model in whole.get("$defs", {}).items()}
        self.shown: set[str] = set()
        # The key that tells models apart, and the model of each of its values.
        told = [
            by for one in _inside([*self.known.values(), whole]) if "mapping" in (by := one.get("discriminator", {}))
        ]
        self.names = {one: one.rpartition("/")[2].rpartition("__")[2] for one in self.known} | {
            reference: f"{by['propertyName']}: {kind}" for by in told for kind, reference in by["mapping"].items()
        }

    def sections(self, shape: Any) -> Iterator[str]:
        """Sections on the models that a value may hold, without those shown before."""
        for reference in [one["$ref"] for one in _inside(shape) if "$ref" in one]:
            if reference not in self.shown:
                self.shown.add(reference)
                yield self.section(reference)
                yield from self.sections(self.known[reference])

    def section(self, reference: str) -> str:
        """Heading, meaning and keys of one model."""
        model = self.known[reference]
        return f"({_label(reference)})=\n\n### {self.names[reference]}\n\n{_prose(model)}\n\n{self.keys(model)}\n"

    def keys(self, model: Mapping[str, Any]) -> str:
        """Table of the keys of a model."""
        if not (fields := model.get("properties")):
            return "It has no settings."
        rows = (
            [
                f"`{key}`",
                self.type(shape),
                "required" if key in model.get("required", []) else _default(shape),
                # The description of an id is that of its letters, where the field has none of its own.
                "" if "pattern" in shape else " ".join(_prose(shape).split()).replace("|", "\\|"),
            ]
            for key, shape in fields.items()
        )
        return table(["key", "type", "default", "meaning"], rows)

    def type(self, shape: Mapping[str, Any]) -> str:
        """The type of a value in words."""
        if "$ref" in shape:
            return f"[{self.names[shape['$ref']]}](#{_label(shape['$ref'])})"
        if several := shape.get("anyOf") or shape.get("oneOf"):
            return " or ".join(dict.fromkeys(self.type(one) for one in several))
        if "const" in shape or "enum" in shape:
            return " or ".join(f"`{one}`" for one in shape.get("enum", [shape.get("const")]))
        if "prefixItems" in shape:
            return f"list ({', '.join(self.type(one) for one in shape['prefixItems'])})"
        if shape.get("type") == "array":
            return f"list of {self.type(shape.get('items', {}))}"
        if shape.get("type") == "object":
            values = [*shape.get("patternProperties", {}).values(), shape.get("additionalProperties")]
            inner = next((one for one in values if isinstance(one, dict)), {})
            return f"mapping to {self.type(inner)}" if inner else "mapping"
        if shape.get("pattern", "").startswith("^[a-z]["):
            return "id"
        bounds = [f"{sign} {shape[name]:g}" for name, sign in BOUNDS.items() if name in shape]
        return ", ".join([shape.get("type", "any"), *bounds])


def text() -> str:
    """Markdown: a heading for each section of the configuration and each kind of part of a tool."""
    models = _Models(whole := complete())
    parts = []
    for key, shape in whole["properties"].items():
        told = "" if "pattern" in shape else _prose(shape)
        parts += [f"## {key}\n\n{told}\n\nType: {models.type(shape)}.\n", *models.sections(shape)]
    return "\n".join([*parts, *_parts_of_tools()])


def _parts_of_tools() -> Iterator[str]:
    for kind in search_parts.FOLDERS:
        yield f"## Parts: {kind}\n"
        for name in search_parts.available(kind):
            part = search_parts.load(kind, name)
            # Parts know nothing of pydantic, so how it reads their docstrings is said here.
            part.Params.__pydantic_config__ = ConfigDict(use_attribute_docstrings=True)
            models = _Models(shape := TypeAdapter(part.Params).json_schema())
            summary = (part.__doc__ or "").partition("\n\n")[0]
            yield f"### {kind}: {name}\n\n{_code(summary)}\n\n{models.keys(shape)}\n"
            yield from models.sections(shape)


def _inside(shape: Any) -> Iterator[dict[str, Any]]:
    """A schema and all that are in it, keys by name before others; its models are left out."""
    if isinstance(shape, dict):
        yield shape
        shape = [shape.get("properties"), *(one for key, one in shape.items() if key not in ("$defs", "properties"))]
    for one in shape if isinstance(shape, list) else ():
        yield from _inside(one)


def _label(reference: str) -> str:
    return "settings-" + reference.rpartition("/")[2].removeprefix("quantrift__").lower().replace("_", "-")


def _default(shape: Mapping[str, Any]) -> str:
    if "default" not in shape:
        return "empty"
    shown = json.dumps(shape["default"], ensure_ascii=False)
    return f"`{shown}`" if len(shown) <= LONGEST else "settings of its own"


def _prose(shape: Mapping[str, Any]) -> str:
    return _code(str(shape.get("description", "")))


def _code(words: str) -> str:
    """Words of a docstring as Markdown: code between single backticks."""
    return words.replace("``", "`")
