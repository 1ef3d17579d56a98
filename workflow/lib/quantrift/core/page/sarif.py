"""Findings in SARIF 2.1.0, the form in which code hosts and editors take what checks of files found."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote

from quantrift.core.base.package_versions import version

Level = Literal["error", "warning", "note"]


class Result(NamedTuple):
    """A finding."""

    rule: str
    level: Level
    text: str
    file: Path
    """The file in question; a relative path is shown beside the code that it lies with."""
    place: str
    """Part of the file, like a layer."""


def sarif_log(rules: Mapping[str, str], results: Iterable[Result]) -> str:
    """A log of one run, as JSON.

    Args:
        rules: name of each rule that was looked at -> its description, one sentence.
        results: what was found.
    """
    driver = {
        "name": "quantrift",
        "version": version("quantrift"),
        "rules": [{"id": rule, "shortDescription": {"text": about}} for rule, about in rules.items()],
    }
    found = [
        {
            "ruleId": one.rule,
            "level": one.level,
            "message": {"text": one.text},
            "locations": [
                {
                    # Networks have no lines, and code hosts ask for one.
                    "physicalLocation": {
                        "artifactLocation": {
                            "uri": one.file.as_uri() if one.file.is_absolute() else quote(bytes(one.file))
                        },
                        "region": {"startLine": 1},
                    },
                    "logicalLocations": [{"fullyQualifiedName": one.place}],
                }
            ],
        }
        for one in results
    ]
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": found}]}
    return json.dumps(log, indent=1) + "\n"
