"""Options on tasks, for commands that assess networks: the definition of agreement, and its numbers."""

import argparse
import os
import sys
from typing import Any

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.pairs import task
from quantrift.core.pairs.task import CLASSIFY, Task
from quantrift.core.pairs.tasks import function

AGREE = {
    "--agree": {
        "metavar": "MODULE:FUNCTION",
        "help": "for other tasks: a function of the outputs of both networks, two dictionaries of arrays (n, ...), "
        "that returns for each input whether they agree, or a difference of at most 1 where they do",
    }
}
OPTIONS = {
    "task": {
        "description": "the definition of agreement; docs/formats.md has the formulas",
        "options": {
            "--task": {"choices": task.names(), "help": f"{task.usage()} (default {CLASSIFY})"},
            **AGREE,
            "--tolerance": {
                "metavar": "T",
                "help": "regress: in units of the outputs, like 0.5, or as a share of their observed range, like 2%%; "
                "one for all or, with commas, one for each (default 2%%)",
            },
            "--threshold": {
                "type": float,
                "metavar": "P",
                "help": "multilabel: a label is given from P on (default 0.5)",
            },
            "--score": {
                "type": float,
                "metavar": "S",
                "help": "detect: boxes count from this score on (default 0.5)",
            },
            "--iou": {"type": float, "metavar": "U", "help": "detect: least overlap of partners (default 0.5)"},
            "--score-tolerance": {
                "type": float,
                "metavar": "D",
                "help": "detect: largest difference of their scores (default 0.2)",
            },
            "--box-format": {
                "metavar": "FORM",
                "help": "detect: corners, center or corner_size, with sizes (default corners)",
            },
            "--output": {
                "action": "append",
                "metavar": "NAME",
                "help": "of networks with several outputs, the one that is compared, like logits; regress and "
                "multilabel take several; detect: boxes=NAME, and scores, classes or count, where names do not tell",
            },
        },
    }
}


def given(options: argparse.Namespace) -> Task | None:
    """The task that was asked for, of all outputs or of ``outputs``; ``None`` for classification.

    Raises:
        QuantriftError: options of different tasks, or wrong numbers.
    """
    name = options.task or ("function" if options.agree else CLASSIFY)
    stated: dict[str, dict[str, Any]] = {
        "regress": {} if options.tolerance is None else tolerance(options.tolerance),
        "multilabel": {"threshold": options.threshold},
        "detect": {
            "score": options.score,
            "iou": options.iou,
            "score_tolerance": options.score_tolerance,
            "box_format": options.box_format,
            **(_roles(options.output or []) if name == "detect" else {}),
        },
        "function": {"function": options.agree},
    }
    for other, settings in stated.items():
        wrong = [setting for setting, value in settings.items() if value is not None and other != name]
        if wrong:
            option = "agree" if other == "function" else wrong[0].replace("_", "-").replace("share", "tolerance")
            raise QuantriftError(f"--{option} is of --task {other}, but the task is {name}; say --task {other}")
    if name == CLASSIFY:
        return None
    refuse(
        (
            name == "function" and not options.agree,
            "--task function needs the function; give --agree package.module:function",
        )
    )
    use_function(options)
    return task.task_of(name, {setting: value for setting, value in stated.get(name, {}).items() if value is not None})


def outputs(options: argparse.Namespace) -> tuple[str, ...]:
    """Names of the outputs that are compared; none where all are, and of detectors, whose outputs have roles.

    Raises:
        QuantriftError: several for labels, of which there is one, or some where a function gets them all.
    """
    named: list[str] = options.output or []
    refuse((options.agree and named, "--output: the function of --agree gets all outputs by name; leave --output out"))
    if options.task == "detect":
        return ()
    refuse(
        (
            options.task in (None, CLASSIFY) and len(named) > 1,
            f"--output is given {len(named)} times, but labels come from one output; name the one with the logits",
        )
    )
    return tuple(dict.fromkeys(named))


def use_function(options: argparse.Namespace) -> None:
    """Import the function of ``--agree``, if there is one; modules of the working directory count.

    Raises:
        QuantriftError: there is none of that name.
    """
    if options.agree:
        # As with python -m; the command itself would look beside its script.
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        function.known(options.agree, function.imported(options.agree))


def tolerance(text: str) -> dict[str, Any]:
    """Settings for ``0.5``, ``2%`` or several of one kind with commas between.

    Raises:
        QuantriftError: the text is none of these.
    """
    parts = [part.strip() for part in text.split(",")]
    shares = [part.endswith("%") for part in parts]
    try:
        values = [float(part.removesuffix("%")) for part in parts]
    except ValueError:
        values = []
    refuse(
        (
            not values or len(set(shares)) > 1,
            f"--tolerance is '{text}'; give a number like 0.5, or a share of the range like 2%",
        )
    )
    return {"tolerance": tuple(one / 100 if shares[0] else one for one in values), "share": shares[0]}


def _roles(given_outputs: list[str]) -> dict[str, str]:
    said = {one: one.partition("=") for one in given_outputs}
    refuse(
        *(
            (
                role not in ("boxes", "scores", "classes", "count") or not name,
                f"--output is '{one}'; give boxes, scores, classes or count, like boxes=NAME",
            )
            for one, (role, _, name) in said.items()
        )
    )
    return {role: name for role, _, name in said.values()}
