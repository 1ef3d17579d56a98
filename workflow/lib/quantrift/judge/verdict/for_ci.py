"""Verdict for continuous integration: JUnit XML, a Markdown summary and SARIF, each with the likeliest cause."""

from pathlib import Path
from xml.etree import ElementTree

from quantrift.core.base.files import replacing, write_file
from quantrift.core.page.markdown import inline, table
from quantrift.core.page.sarif import Result, sarif_log
from quantrift.judge.verdict.answer import gist
from quantrift.judge.verdict.assessment import REPORT, Assessment
from quantrift.judge.verdict.verdict import named

SIGNS = {"pass": "✅ pass", "inconclusive": "❔ inconclusive", "fail": "❌ fail"}


def junit(found: Assessment, path: Path) -> None:
    """Write a test suite for each candidate and a test for each limit; what is not decided is skipped."""
    suites = ElementTree.Element("testsuites", name="quantrift assess")
    for one in found.candidates:
        suite = ElementTree.SubElement(suites, "testsuite", name=_text(one.name), tests=str(len(one.judgements)))
        for judgement in one.judgements:
            case = ElementTree.SubElement(suite, "testcase", classname=_text(one.name), name=_text(named(judgement)))
            if judgement.verdict != "pass":
                kind = "failure" if judgement.verdict == "fail" else "skipped"
                ElementTree.SubElement(case, kind, message=_text(judgement.text)).text = _text(gist(one, found))
        for kind, verdict in (("failures", "fail"), ("skipped", "inconclusive")):
            suite.set(kind, str(sum(judgement.verdict == verdict for judgement in one.judgements)))
    with replacing(path) as temporary:
        ElementTree.ElementTree(suites).write(temporary, encoding="utf-8", xml_declaration=True)


def markdown(found: Assessment, out: Path, path: Path) -> None:
    """Write the verdict, a table of limits for each candidate, and where the report lies (``out``)."""
    lines = [f"## quantrift assess: {SIGNS[found.verdict]}", ""]
    for one in found.candidates:
        rows = [(judgement.text, SIGNS[judgement.verdict]) for judgement in one.judgements]
        rows += [(f"layer {layer.layer}", layer.suspect or "") for layer in one.suspects]
        lines += [f"### {inline(one.name)}: {SIGNS[one.verdict]}", "", inline(gist(one, found)), ""]
        lines.append(table(("limit", "verdict"), (map(inline, cells) for cells in rows)))
        lines += ["", *(f"* {counted.text}" for counted in one.certified)] if one.certified else []
        lines.append("")
    lines += [f"* not computed: {inline(line)}" for line in found.failed]
    if (out / REPORT).is_file():
        lines.append(f"Report: `{out / REPORT}`")
    write_file(path, ("\n".join(lines) + "\n").encode(errors="replace"))


def sarif(found: Assessment, path: Path) -> None:
    """Write a result for each limit that is exceeded (an error) or not decided (a warning)."""
    every = [(one, judgement) for one in found.candidates for judgement in one.judgements]
    results = (
        Result(
            judgement.limit,
            "error" if judgement.verdict == "fail" else "warning",
            f"{judgement.text}. {gist(one, found)}",
            Path(one.model.file),
            one.name,
        )
        for one, judgement in every
        if judgement.verdict != "pass"
    )
    write_file(path, sarif_log({judgement.limit: judgement.figure for _, judgement in every}, results))


def _text(text: str) -> str:
    """Text without the characters that XML has no place for."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)
