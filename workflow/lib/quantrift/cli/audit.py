"""Show which operations of a model run in 8 bits, their share of the multiply-accumulates, and faults of its file.

Needs no inputs and runs nothing. A model called 8-bit whose 3-D convolutions stayed in float has a small share; the
table names the operations. A line for each finding names the layer, what is wrong and what to do: operations left in
float, one scale for branches or channels of different range, batch normalisation beside quantized weights, scales that
do not fit together, numbers that are not finite or beyond float16.
"""

import argparse
import json
from pathlib import Path

from quantrift.cli.outcome import DONE, FAIL
from quantrift.core.base.errors import refuse
from quantrift.core.base.files import check_writable, write_file
from quantrift.core.networks.audits.examined import examined
from quantrift.core.networks.audits.file_findings import RULES
from quantrift.core.networks.runtime import file_digest
from quantrift.core.networks.runtimes import litert, onnxruntime
from quantrift.core.page.sarif import Result, sarif_log

EXAMPLES = """examples:
  quantrift audit int8.onnx
  quantrift audit results/demo/compression/sim_pavia/hybridsn/ptq_int8/model.tflite
  quantrift audit --min-share 0.95 --strict model.tflite && echo ships
  quantrift audit --json model.tflite > audit.json
  quantrift audit --sarif audit.sarif model.tflite

exit codes:
  0 done, 1 below --min-share, or a finding with --strict, 2 could not run, 70 a crash of quantrift itself
"""

READ = "audit reads .tflite and .onnx files, which say what runs; give one of these"
OPTIONS = {
    "model": {"type": Path, "help": "a .tflite or .onnx file"},
    "--min-share": {
        "type": float,
        "default": 0.0,
        "metavar": "SHARE",
        "help": "exit with 1 below this share in 8 bits, 0 to 1",
    },
    "--strict": {"action": "store_true", "help": "exit with 1 where there are findings"},
    "--json": {"action": "store_true", "help": "print JSON instead of text"},
    "--sarif": {"type": Path, "metavar": "FILE", "help": "write the findings in SARIF too"},
}


def run(given: argparse.Namespace) -> int:
    """0, or 1 where the share of 8-bit multiply-accumulates is below the limit or a strict audit finds something."""
    model = given.model
    refuse(
        (not model.exists(), f"{model}: no such file; name a .tflite or .onnx model"),
        (model.suffix not in (*litert.SUFFIXES, *onnxruntime.SUFFIXES), f"{model}: {READ}"),
    )
    if given.sarif is not None:
        check_writable(given.sarif.absolute().parent)
        is_read = given.sarif.exists() and given.sarif.samefile(model)
        refuse((is_read, f"{given.sarif}: is read by this command, and would be replaced; name another file"))
    found, findings = examined(model)
    if given.sarif is not None:
        results = (Result(one.rule, RULES[one.rule][0], one.text, model, one.layer) for one in findings)
        write_file(given.sarif, sarif_log({rule: about for rule, (_, about, _) in RULES.items()}, results))
    share = found["int8_mac_share"]
    if given.json:
        whole = {"file": str(model), "sha256": file_digest(model), **found}
        print(json.dumps({**whole, "findings": [one._asdict() for one in findings]}, indent=1))
    else:
        print(f"{'operation':<24} {'input':<8} {'weights':<8} {'output':<8} {'MACs':>12}  8 bits")
        for op in found["ops"]:
            types = (f"{op[key] or '-':<8}" for key in ("input", "weights", "output"))
            print(f"{op['op']:<24} {' '.join(types)} {op['macs']:>12,}  {'yes' if op['int8'] else 'no'}")
        print(f"multiply-accumulates in 8 bits: {100 * share:.2f} %")
        print(*(f"finding: {one.rule}: {one.layer}: {one.text}\n" for one in findings), sep="", end="")
    return FAIL if share < given.min_share or (given.strict and findings) else DONE
