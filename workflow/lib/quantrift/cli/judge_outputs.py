"""Judge the outputs that a device gave for a bundle of ``quantrift export-inputs``; no network is run here.

Limits, intervals, verdict, exit codes and report are those of ``quantrift assess``, as far as random sampling gives
them: there is no search, and operations and layers of the network on the device are unknown. OUTPUTS is a .npy file of
numbers (n, K), a .npz file with an array ``outputs``, or raw little-endian float32 (.bin, .raw, .f32). A .npz file may
also hold ``bundle``, the digest in the bundle's manifest, which is then compared. Under a task, a .npz file holds the
outputs of the original by name, and --agree names the function of a bundle that was made with it.
"""

import argparse
from pathlib import Path

from quantrift.cli import input_options, task_options, verdict_options
from quantrift.core.base.errors import reading

EXAMPLES = """examples:
  quantrift judge-outputs bundle outputs.npy --out assessment
  quantrift judge-outputs bundle outputs.npz --original-outputs original.npy --values probabilities --max-dir 10% \\
    --out assessment

exit codes:
  0 pass, 1 fail, 2 could not run, 3 inconclusive, 70 a crash of quantrift itself
"""
OPTIONS = {
    "bundle": {"type": Path, "help": "folder of the bundle"},
    "outputs": {"type": Path, "help": "outputs of the compressed network on its inputs, in order"},
    "--original-outputs": {
        "type": Path,
        "metavar": "FILE",
        "help": "outputs of the original, from the device too; those in the bundle otherwise",
    },
    "--values": {
        "choices": ("logits", "probabilities"),
        "help": "meaning of the outputs; left out, it is unknown: labels are compared, margins are not",
    },
    "--out": {"type": Path, "default": Path("assessment"), "metavar": "DIR", "help": "folder of the assessment"},
    **task_options.AGREE,
    **input_options.MAX_UNPACKED,
    **verdict_options.OF_VERDICT,
    **verdict_options.OF_CODE,
}


def run(given: argparse.Namespace) -> int:
    """0 where the outputs pass, 1 where they fail, 3 where the data do not decide."""
    input_options.limit(given)
    task_options.use_function(given)
    verdict_options.check_files(given, [given.bundle, given.outputs, *filter(None, [given.original_outputs])])
    # Libraries that take seconds to load; help and mistakes in arguments need none of them.
    from quantrift.judge.verdict.judged_outputs import judge

    with reading(given.bundle, "a damaged bundle", "write it again with quantrift export-inputs"):
        found = judge(
            given.bundle,
            given.outputs,
            given.out,
            verdict_options.limits_of(given),
            given.values,
            given.original_outputs,
            input_options.command_line(),
        )
    return verdict_options.told(found, given)
