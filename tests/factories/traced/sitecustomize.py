"""Notes which files a job of Snakemake opens: imported by every Python that starts with this folder in its path.

A job and the processes that it starts write one file each into the folder that ``QUANTRIFT_TRACE`` names: what the
rule declares, and what was read and written through Python. Files that libraries open by themselves, like LiteRT a
network and PyArrow a table, are not seen.
"""

import atexit
import json
import os
import sys
from pathlib import Path
from typing import Any

FOLDER, JOB = "QUANTRIFT_TRACE", "QUANTRIFT_TRACED_JOB"


def _declared() -> dict[str, Any]:
    """Of the job that this process is; nothing where it is none."""
    job: Any = getattr(sys.modules.get("__main__"), "snakemake", None)
    if job is None:
        return {}
    return {
        "rule": job.rule,
        "params": [str([*job.params])],
        "input": [os.path.abspath(str(one)) for one in job.input],
        "output": [os.path.abspath(str(one)) for one in [*job.output, *job.log]],
    }


def _trace(folder: Path) -> None:
    read: set[str] = set()
    written: set[str] = set()

    def heard(event: str, given: tuple[Any, ...]) -> None:
        # An error in here would end whatever the job does.
        try:
            if event == "open" and isinstance(given[0], str | os.PathLike):
                path, mode, flags = os.path.abspath(os.fspath(given[0])), given[1], given[2]
                if flags & (os.O_WRONLY | os.O_RDWR) or (isinstance(mode, str) and set(mode) & set("wax+")):
                    written.add(path)
                # What the job wrote is its own; a folder that is cleared is opened by names that lie in it.
                elif path not in written and os.path.isfile(path):
                    read.add(path)
            elif event in ("os.rename", "shutil.move"):
                written.add(os.path.abspath(os.fspath(given[1])))
        except (TypeError, ValueError, OSError) as error:
            sys.stderr.write(f"traced: {event}: {error}\n")

    def told() -> None:
        left = [path for path in written if os.path.exists(path)]
        found = {**_declared(), "read": sorted(map(str, read)), "written": sorted(map(str, left))}
        (folder / f"{os.environ[JOB]}-{os.getpid()}.json").write_text(json.dumps(found), encoding="utf-8")

    sys.addaudithook(heard)
    atexit.register(told)


if FOLDER in os.environ:
    if JOB not in os.environ and any("/.snakemake/scripts/" in word for word in sys.orig_argv):
        os.environ[JOB] = str(os.getpid())
    if JOB in os.environ:
        _trace(Path(os.environ[FOLDER]))
