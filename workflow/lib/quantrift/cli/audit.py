"""Show which operations of a .tflite model run in 8 bits, and their share of the multiply-accumulates.

A model called 8-bit whose 3-D convolutions stayed in float has a small share; the table names the operations.
"""

import argparse
from pathlib import Path

from quantrift.core.base.errors import refuse
from quantrift.core.networks.operation_audit import audit

EXAMPLES = """examples:
  quantrift audit results/demo/compression/sim_pavia/hybridsn/ptq_int8/model.tflite
  quantrift audit --min-share 0.95 model.tflite && echo ships
"""


OPTIONS = {
    "model": {"type": Path, "help": "a .tflite file"},
    "--min-share": {
        "type": float,
        "default": 0.0,
        "metavar": "SHARE",
        "help": "exit with 1 below this share in 8 bits, 0 to 1",
    },
}


def run(given: argparse.Namespace) -> int:
    """0, or 1 where the share of 8-bit multiply-accumulates is below the limit."""
    refuse((not given.model.is_file(), f"{given.model}: no such file; name a .tflite model"))
    found = audit(given.model)
    print(f"{'operation':<24} {'input':<8} {'weights':<8} {'output':<8} {'MACs':>12}  8 bits")
    for op in found["ops"]:
        types = (f"{op[key] or '-':<8}" for key in ("input", "weights", "output"))
        print(f"{op['op']:<24} {' '.join(types)} {op['macs']:>12,}  {'yes' if op['int8'] else 'no'}")
    share = found["int8_mac_share"]
    print(f"multiply-accumulates in 8 bits: {share:.2%}")
    return 0 if share >= given.min_share else 1
