"""Files of others made safe: SVG inside a page, with its own ids and nothing fetched, and CSV for spreadsheets."""

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

from quantrift.core.base.errors import QuantriftError, refuse

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_DROPPED = {"metadata", "script", "foreignObject", "title"}
_REFERENCE = re.compile(r"url\(\s*['\"]?#([^)'\"]+)['\"]?\s*\)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)
_STYLE = re.compile(r"[^{}@<>]*")
"""A style attribute that is safe as the body of a rule."""
_FORMULA = re.compile("(^|[;\t\r\n])(?=[=+\\-@\t\r\n\uff0b\uff0d\uff1d\uff20])")
"""Where a spreadsheet may begin to read a formula: at the start of a cell, or behind what it takes for its end."""


def inlined(path: Path, prefix: str, label: str) -> str:
    """The ``<svg>`` element of the file at ``path``, as text.

    Every reference and the id that it names get ``prefix``, every style rule applies to this figure alone, and scripts,
    metadata, event handlers and links out of the file are left out; so are ids that nothing refers to. Equal style
    attributes become one rule, as they make up a third of a file. ``label`` is what a screen reader says. Width and
    height become a natural width that shrinks with the page. Raises ``QuantriftError`` for a file that is no SVG.
    """
    rules: dict[str, str] = {}
    try:
        text = path.read_bytes()
        root = ElementTree.fromstring(text)
    except OSError as error:
        raise QuantriftError(f"report: cannot read {path}: {error.strerror}; make its target first") from None
    except ElementTree.ParseError as error:
        raise QuantriftError(f"report: {path} is not an SVG file ({error}); make its target again") from None
    refuse((root.tag != f"{{{_SVG}}}svg", f"report: {path} is not an SVG file; make its target again"))
    _clean(root, prefix, rules, {*re.findall(r"#([^)'\"]+)", text.decode("utf-8", "replace"))})
    ElementTree.SubElement(root, f"{{{_SVG}}}style").text = "".join(
        f"#{prefix} .{name}{{{style}}}" for style, name in rules.items()
    )
    width = root.attrib.pop("width", "")
    root.attrib.pop("height", None)
    root.attrib.update({"id": prefix, "role": "img", "aria-label": label})
    root.attrib.update({"style": f"width:{width}"} if width else {})
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element, prefix: str, rules: dict[str, str], used: set[str]) -> None:
    """Clean an element and all within; ``rules`` gets style -> class, ``used`` are the ids that are referred to."""
    for child in list(element):
        if not isinstance(child.tag, str) or _local(child.tag) in _DROPPED:
            element.remove(child)
        else:
            _clean(child, prefix, rules, used)
    if _local(element.tag) == "style":
        element.text = _scoped(element.text or "", prefix)
    for name, value in list(element.attrib.items()):
        local = _local(name)
        if local == "id" and value in used:
            element.set(name, f"{prefix}-{value}")
        elif local == "style" and "class" not in element.attrib and _STYLE.fullmatch(value):
            element.set("class", rules.setdefault(_own(value, prefix), f"s{len(rules)}"))
            del element.attrib[name]
        elif local == "href":
            if value.startswith("#"):
                element.set(name, f"#{prefix}-{value[1:]}")
            elif not value.startswith("data:image/"):
                del element.attrib[name]
        elif local == "id" or local.lower().startswith("on"):
            del element.attrib[name]
        else:
            # A hundredth of a pixel is enough, but where a number is a scale.
            element.set(name, _own(value if local == "transform" else re.sub(r"(\.\d\d)\d+", r"\1", value), prefix))


def _scoped(css: str, prefix: str) -> str:
    """Flat style rules with each selector held to the figure; ``@`` rules could fetch and are left out."""
    return "".join(
        f"{','.join(f'#{prefix} {part.strip()}' for part in selector.split(','))}{{{_own(body, prefix)}}}"
        for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"@[^;{]*;", "", css))
        if "@" not in selector
    )


def _own(value: str, prefix: str) -> str:
    """``value`` with its references pointing to this figure's ids and references out of the file gone."""
    value = _REFERENCE.sub(lambda found: f"url(#{prefix}-{found[1]})", value)
    return re.sub(r"url\((?!#)[^)]*\)", "none", value)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def harmless(content: bytes) -> bytes:
    """Put an apostrophe before every cell of a CSV file, UTF-8, that a spreadsheet would take for a formula.

    Spreadsheets run a cell that begins with an equals sign, a plus, a minus or an at sign, in full width too, or with
    one of these behind a tab or a line end; where the semicolon divides cells, also behind a semicolon. Names of
    tools, datasets and classes are free text, so a name could run a command at whoever opens the file. Numbers stay
    as they are. A file without such cells stays the same bytes.
    """
    rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))
    shown = [[cell if _NUMBER.fullmatch(cell) else _FORMULA.sub(r"\1'", cell) for cell in row] for row in rows]
    if shown == rows:
        return content
    written = io.StringIO(newline="")
    csv.writer(written).writerows(shown)
    return written.getvalue().encode("utf-8")
