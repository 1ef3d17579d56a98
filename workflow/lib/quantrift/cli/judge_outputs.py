"""Judge the outputs that a device gave for a bundle of ``quantrift export-inputs``; no network is run here.

Limits, intervals, verdict, exit codes and report are those of ``quantrift assess``, as far as random sampling gives
them: there is no search, and operations and layers of the network on the device are unknown. OUTPUTS is a .npy file of
numbers (n, K), a .npz file with an array ``outputs``, or raw little-endian float32 (.bin, .raw, .f32). A .npz file may
also hold ``bundle``, the digest in the bundle's manifest, which is then compared. Under a task, a .npz file holds the
outputs of the original by name, and --agree names the function of a bundle that was made with it.
"""

import argparse
import shlex
import sys
from pathlib import Path

from quantrift.cli import task_options
from quantrift.cli.assess import check_files, limits_of, told, verdict_options
from quantrift.cli.unpacked import set_unpacked, unpacked_option
from quantrift.core.base.errors import reading
from quantrift.core.base.limits import limit_memory

EXAMPLES = """examples:
  quantrift judge-outputs bundle outputs.npy --out assessment
  quantrift judge-outputs bundle outputs.npz --original-outputs original.npy --values probabilities --max-dir 10% \\
    --out assessment

exit codes:
  0 pass, 1 fail, 2 could not run, 3 inconclusive, 70 a crash of quantrift itself
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("bundle", type=Path, help="folder of the bundle")
    parser.add_argument("outputs", type=Path, help="outputs of the compressed network on its inputs, in order")
    parser.add_argument(
        "--original-outputs",
        type=Path,
        metavar="FILE",
        help="outputs of the original, from the device too; those in the bundle otherwise",
    )
    parser.add_argument(
        "--values",
        choices=("logits", "probabilities"),
        help="meaning of the outputs; left out, it is unknown: labels are compared, margins are not",
    )
    parser.add_argument("--out", type=Path, default=Path("assessment"), metavar="DIR", help="folder of the assessment")
    task_options.agree_option(parser)
    unpacked_option(parser)
    verdict_options(parser)


def run(given: argparse.Namespace) -> int:
    """0 where the outputs pass, 1 where they fail, 3 where the data do not decide."""
    set_unpacked(given)
    task_options.use_function(given)
    limits = limits_of(given)
    check_files(given, [given.bundle, given.outputs, *filter(None, [given.original_outputs])])
    limit_memory()
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.verdict.judged_outputs import Asked, judge

    asked = Asked(limits, given.values, shlex.join(["quantrift", *sys.argv[1:]]))
    with reading(given.bundle, "a damaged bundle", "write it again with quantrift export-inputs"):
        found = judge(given.bundle, given.outputs, given.out, asked, given.original_outputs)
    return told(found, given)
