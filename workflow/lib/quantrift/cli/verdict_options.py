"""Options of commands that judge: limits, exit code and forms of a verdict, and how it is written and printed."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from quantrift.cli.outcome import DONE, FAIL, INCONCLUSIVE, result_stands
from quantrift.core.base.errors import refuse
from quantrift.core.base.files import check_writable
from quantrift.judge.verdict.assessment import FILE, LIMITS, Assessment, Limits, Verdict

LIMITED = {
    "max_disagreement": "largest share of clean inputs that may get another label or output, like 5%% or 0.05, or none",
    "max_accuracy_drop": "largest drop of accuracy, where there are labels; by --task, of the share of right outputs",
    "max_dir": "largest share of valid distorted inputs on which the models disagree (DiR)",
    "max_sr": "largest share of seed inputs from which a search reaches a disagreement (SR)",
}
"""Limit -> its help text."""
CODES = {"pass": DONE, "fail": FAIL, "inconclusive": INCONCLUSIVE}


def _option(limit: str) -> str:
    return f"--{limit.replace('_', '-')}"


OF_LIMITS = {
    _option(name): {
        "default": "none" if getattr(LIMITS, name) is None else f"{100 * getattr(LIMITS, name):g}%",
        "metavar": "SHARE",
        "help": f"{what} (default %(default)s)",
    }
    for name, what in LIMITED.items()
}
"""Options of the limits."""
OF_CODE = {
    "--inconclusive": {
        "choices": ("pass", "fail"),
        "help": "where the data do not decide, exit with 0 (pass) or 1 (fail) instead of 3",
    }
}
"""Option that folds an inconclusive verdict."""
OF_VERDICT = {
    **OF_LIMITS,
    "--json": {"action": "store_true", "help": "print assessment.json instead of text"},
    "--verbose": {"action": "store_true", "help": "print every assumption, also those that rest on no guess"},
    "--junit": {"type": Path, "metavar": "FILE", "help": "write JUnit XML too, with a test for each limit"},
    "--markdown": {"type": Path, "metavar": "FILE", "help": "write a summary in Markdown too"},
    "--sarif": {"type": Path, "metavar": "FILE", "help": "write SARIF too, with a result for each limit not kept"},
}
"""The limits, and the forms in which a verdict is written."""


def share(text: str, option: str) -> float | None:
    """``5%`` and ``0.05`` as a fraction; ``none`` is no limit.

    Raises:
        QuantriftError: the text is neither, or not between 0 and 1.
    """
    if text == "none":
        return None
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1
    refuse((not 0 <= value <= 1, f"{option} is '{text}'; give a share like 5% or 0.05, or none"))
    return value


def limits_of(given: argparse.Namespace) -> Limits:
    """The limits from the command line.

    Raises:
        QuantriftError: one is no share.
    """
    return Limits(**{name: share(getattr(given, name), _option(name)) for name in LIMITED})


def code_of(verdict: Verdict, inconclusive: str | None) -> int:
    """The exit code of a verdict; ``inconclusive`` is the option's value."""
    return CODES[inconclusive if verdict == "inconclusive" and inconclusive else verdict]


def check_files(given: argparse.Namespace, sources: Sequence[Path]) -> None:
    """Make sure, before anything is computed, that the files of ``OF_VERDICT`` can be written.

    Raises:
        QuantriftError: one of them would replace a file that the command reads: one of ``sources``, or beside them.
    """
    for file in filter(None, (given.junit, given.markdown, given.sarif)):
        check_writable(file.absolute().parent)
        if file.exists():
            # Only now, as it loads the runtimes.
            from quantrift.core.networks.runtime import files_of
            from quantrift.core.networks.ways import asked

            read = [one for source in sources for one in files_of(asked(source).file) if one.exists()]
            refuse(
                (
                    any(file.samefile(one) for one in read),
                    f"{file}: is read by this command, and would be replaced; name another file",
                )
            )


def told(found: Assessment, given: argparse.Namespace) -> int:
    """Write and print an assessment as ``OF_VERDICT`` asks; returns its exit code."""
    from quantrift.judge.verdict import for_ci

    result_stands()
    if given.junit is not None:
        for_ci.junit(found, given.junit)
    if given.markdown is not None:
        for_ci.markdown(found, given.out, given.markdown)
    if given.sarif is not None:
        for_ci.sarif(found, given.sarif)
    if given.json:
        print((given.out / FILE).read_text(encoding="utf-8"), end="")
    else:
        # Only here, as it takes a while to load.
        from quantrift.cli.verdict_shown import show

        show(found, given.out, given.verbose)
    return code_of(found.verdict, given.inconclusive)
