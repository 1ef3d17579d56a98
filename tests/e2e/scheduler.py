"""A stand-in for the commands of Grid Engine: jobs run on this machine at once, and answers look like the real ones.

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


def submit() -> None:
    """Start a job and say its number."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for option in ("-S", "-j", "-o", "-N"):
        parser.add_argument(option, required=True)
    for option in ("-V", "-terse", "-cwd"):
        parser.add_argument(option, action="store_true", required=True)
    parser.add_argument("-l", dest="resources", required=True)
    parser.add_argument("-pe", dest="cores", nargs=2, required=True)
    parser.add_argument("script", type=Path)
    given = parser.parse_args()
    asked = re.fullmatch(r"mem_free=(\d+)M,h_rt=0:(\d+):0", given.resources)
    assert asked, given.resources
    text = given.script.read_text()
    fails = os.environ.get("FAILS_ONCE")
    kill = f'"rule": "{fails}"' in text and not (FOLDER / "killed").exists()
    if kill:
        (FOLDER / "killed").touch()
    number = str(len(list(FOLDER.glob("*.json"))) + 1)
    rule = re.search(r'"(?:rule|groupid)": "(\w+)"', text)
    assert rule
    job = {"rule": rule[1], "mb": int(asked[1]), "minutes": int(asked[2]), "cores": int(given.cores[1])}
    (FOLDER / f"{number}.json").write_text(json.dumps(job))
    work = "kill -KILL $$" if kill else f"exec {given.script}"
    shell = f"sh -c '{work}'; echo $? > {FOLDER}/{number}.new; mv {FOLDER}/{number}.new {FOLDER}/{number}.code"
    with (FOLDER / f"{number}.out").open("w") as out:
        subprocess.Popen(["sh", "-c", shell], stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
    print(number)


def answer(command: str, options: list[str], name: str) -> None:
    """Answer a question about a job."""
    file = FOLDER / f"{name}.code"
    code = int(file.read_text()) if file.is_file() else None
    if options != ["-j"]:
        sys.exit(f"{command}: unknown options {options}")
    if command == "qstat":
        if code is not None:
            sys.exit(f"Following jobs do not exist:\n{name}")
        print(f"job_number:                 {name}")
        return
    # Accounting comes late: the first question finds nothing.
    asked = FOLDER / f"{name}.asked"
    if code is None or not asked.exists():
        asked.touch()
        sys.exit(f"error: job id {name} not found")
    failed = "100 : assumedly after job" if code > 128 else "0"
    print(f"jobname      quantrift\njobnumber    {name}\nfailed       {failed}\nexit_status  {code}\n")


if Path(sys.argv[0]).name == "qsub":
    submit()
else:
    answer(Path(sys.argv[0]).name, sys.argv[1:-1], sys.argv[-1])
