"""A stand-in for the commands of a scheduler: jobs run on this machine at once, and answers look like the real ones.

Started under the names of the real commands, it takes the options that it knows, and no others. Below the folder that
SCHEDULER names it notes each job: what it asked for, and how it ended. The first job of the rule that FAILS_ONCE names
is killed, as a scheduler does with one that takes too much memory.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(os.environ["SCHEDULER"])
ASKED = {
    "sge": r"mem_free=(?P<mb>\d+)M,h_rt=0:(?P<minutes>\d+):0",
    "lsf": r"span\[hosts=1\] rusage\[mem=(?P<mb>\d+)MB\]",
    "pbs": r"select=1:ncpus=(?P<cores>\d+):mem=(?P<mb>\d+)mb",
}


def submit(kind: str) -> None:
    """Start a job and say its number in the scheduler's own way."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    if kind == "lsf":
        for option in ("-J", "-o"):
            parser.add_argument(option, required=True)
        parser.add_argument("-n", dest="cores", type=int, required=True)
        parser.add_argument("-R", dest="resources", action="append", required=True)
        parser.add_argument("-W", dest="minutes", type=int, required=True)
    else:
        for option in ("-S", "-j", "-o", "-N"):
            parser.add_argument(option, required=True)
        parser.add_argument("-V", action="store_true", required=True)
        parser.add_argument("-l", dest="resources", action="append", required=True)
        if kind == "sge":
            parser.add_argument("-terse", action="store_true", required=True)
            parser.add_argument("-cwd", action="store_true", required=True)
            parser.add_argument("-pe", dest="cores", nargs=2, required=True)
    parser.add_argument("script", type=Path)
    given = parser.parse_args()
    found = re.fullmatch(ASKED[kind], given.resources[0])
    assert found, given.resources
    asked = {key: value for key, value in {**vars(given), **found.groupdict()}.items() if key in ("cores", "minutes")}
    if kind == "sge":
        asked["cores"] = given.cores[1]
    if kind == "pbs":
        walltime = re.fullmatch(r"walltime=(\d+):00", given.resources[1])
        assert walltime, given.resources
        asked["minutes"] = walltime[1]
    text = given.script.read_text()
    fails = os.environ.get("FAILS_ONCE")
    kill = f'"rule": "{fails}"' in text and not (FOLDER / "killed").exists()
    if kill:
        (FOLDER / "killed").touch()
    number = str(len(list(FOLDER.glob("*.json"))) + 1)
    rule = re.search(r'"rule": "(\w+)"', text)
    assert rule
    job = {"rule": rule[1], "mb": int(found["mb"])} | {key: int(value) for key, value in asked.items()}
    (FOLDER / f"{number}.json").write_text(json.dumps(job))
    work = "kill -KILL $$" if kill else f"exec {given.script}"
    shell = f"sh -c '{work}'; echo $? > {FOLDER}/{number}.new; mv {FOLDER}/{number}.new {FOLDER}/{number}.code"
    with (FOLDER / f"{number}.out").open("w") as out:
        subprocess.Popen(["sh", "-c", shell], stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
    print({"sge": number, "lsf": f"Job <{number}> is submitted to queue <normal>.", "pbs": f"{number}.server"}[kind])


def ended(number: str) -> int | None:
    """Exit code of a job; None while it runs."""
    code = FOLDER / f"{number}.code"
    return int(code.read_text()) if code.is_file() else None


def main(kind: str, command: str) -> None:
    """Answer as one command of a scheduler."""
    if command in ("qsub", "bsub"):
        submit(kind)
        return
    *options, name = sys.argv[1:]
    code = ended(name.removesuffix(".server"))
    match kind, command, options:
        case "sge", "qstat", ["-j"]:
            if code is not None:
                sys.exit(f"Following jobs do not exist:\n{name}")
            print(f"job_number:                 {name}")
        case "sge", "qacct", ["-j"]:
            # Accounting comes late: the first question finds nothing.
            asked = FOLDER / f"{name}.asked"
            if code is None or not asked.exists():
                asked.touch()
                sys.exit(f"error: job id {name} not found")
            failed = "100 : assumedly after job" if code > 128 else "0"
            print(f"jobname      quantrift\njobnumber    {name}\nfailed       {failed}\nexit_status  {code}\n")
        case "lsf", "bjobs", ["-noheader", "-o", "stat"]:
            print("RUN" if code is None else "EXIT" if code else "DONE")
        case "pbs", "qstat", ["-x", "-f"]:
            state = "R" if code is None else f"F\n    Exit_status = {code}"
            print(f"Job Id: {name}\n    Job_Name = quantrift\n    job_state = {state}\n    queue = workq")
        case _:
            sys.exit(f"{command}: unknown options {options}")


main(os.environ["SCHEDULER_KIND"], Path(sys.argv[0]).name)
