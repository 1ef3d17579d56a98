"""Judge many pairs of networks in the same way, and put them into one table.

Each pair is assessed, audited, and mended where it does not pass. The page sorts and filters, and shows inputs on which
the networks disagree. A pair whose files did not change is not judged again.
"""

import argparse
from pathlib import Path

from quantrift.cli.outcome import DONE, tell
from quantrift.core.base.errors import refuse

EXAMPLES = """examples:
  quantrift board pairs.yaml --out board

pairs.yaml:
  title: Our networks
  pairs:
    keywords: {title: Keyword spotting in 8 bits, original: kws.tflite, compressed: kws_int8.tflite, inputs: kws.npz}
    pose: {title: Pose, original: p.onnx, compressed: p8.onnx, inputs: p.npz, task: {regress: {tolerance: [0.5]}}}

exit codes:
  0 done, whatever the verdicts; 2 could not run, 70 a crash of quantrift itself
"""
OPTIONS = {
    "pairs": {"type": Path, "help": ".yaml that states the pairs; files in it are seen from its folder"},
    "--out": {"type": Path, "required": True, "metavar": "DIR", "help": "folder of the board"},
}


def run(given: argparse.Namespace) -> int:
    """0: a board is no verdict."""
    refuse((not given.pairs.is_file(), f"{given.pairs}: no such file; name a .yaml that states pairs"))
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.study.board.run import board
    from quantrift.study.datasets.addresses import mirror
    from quantrift.study.datasets.official import Places

    rows = board(given.pairs, given.out, Places(mirror(None), given.out / "downloads"), print)
    said = {row.pair: [f"{row.verdict} {row.cause or row.reasons.get('verdict', '')}".rstrip()] for row in rows}
    tell(max(map(len, said)) + 2, said | {"board": [str(given.out / "board.html")]})
    return DONE
