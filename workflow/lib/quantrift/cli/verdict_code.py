"""The exit code of a verdict, and the option that folds an inconclusive one."""

import argparse

from quantrift.cli.outcome import DONE, FAIL, INCONCLUSIVE
from quantrift.judge.verdict.assessment import Verdict

CODES = {"pass": DONE, "fail": FAIL, "inconclusive": INCONCLUSIVE}


def inconclusive_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--inconclusive``."""
    parser.add_argument(
        "--inconclusive",
        choices=("pass", "fail"),
        help="where the data do not decide, exit with 0 (pass) or 1 (fail) instead of 3",
    )


def code_of(verdict: Verdict, inconclusive: str | None) -> int:
    """The exit code of a verdict; ``inconclusive`` is the option's value."""
    return CODES[inconclusive if verdict == "inconclusive" and inconclusive else verdict]
