"""Processes that train the networks of a bit study's job side by side, so that small ones fill a device.

Started by ``train`` as ``python -m study.compression.bits.side_by_side``. Each network has random streams of its
own, and each process trains one network after the other. So a network is the same, bit for bit, however many processes
there are.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from quantrift.core.base.errors import QuantriftError
from quantrift.core.networks.training.training_run import reproducible
from quantrift.core.settings.bit_studies import BitTraining
from quantrift.core.settings.compressions import Heterogeneous, Homogeneous
from quantrift.core.settings.networks import Networks
from quantrift.study.compression.bits.bit_training import Job, Trainer

FAILED = "quantrift: "
"""Beginning of the line that a process prints of an error that the user can correct."""

INTERVAL = 0.2
"""Seconds between two looks at the processes."""


def job_of(stated: Mapping[str, Any]) -> Job:
    """The job of plain values: the fields of ``Job``, settings as in YAML."""
    model = stated["model"]
    return Job(
        stated["dataset"],
        model,
        Networks.model_validate({model: stated["network"]}).trained[model],
        BitTraining.model_validate(stated["how"]),
        TypeAdapter(dict[str, Homogeneous | Heterogeneous]).validate_python(stated["settings"]),
        [(setting, repetition) for setting, repetition in stated["networks"]],
        stated["seed"],
    )


def plain(job: Job) -> dict[str, Any]:
    """What ``job_of`` makes the same job of."""
    kept = {"method", "bits", "shares", "budget"}
    return {
        "dataset": job.dataset,
        "model": job.model,
        "network": job.network.model_dump(mode="json", exclude={"training", "per_dataset"}),
        "how": job.how.model_dump(mode="json"),
        "settings": {name: one.model_dump(mode="json", include=kept) for name, one in job.settings.items()},
        "networks": [list(one) for one in job.networks],
        "seed": job.seed,
    }


def train(job: Job, inputs_path: Path, folder: Path, processes: int) -> None:
    """Train the networks of ``job`` in several processes, each an equal part; ``Trainer`` finds them in ``folder``.

    Raises:
        QuantriftError: a process did.
        subprocess.CalledProcessError: a process ended otherwise; its messages are on standard error.
    """
    command = [sys.executable, "-m", __name__, str(inputs_path), str(folder)]
    shares = [replace(job, networks=job.networks[start::processes]) for start in range(processes)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in filter(lambda share: share.networks, shares)
    ]
    try:
        for process, share in zip(running, shares, strict=False):
            assert process.stdin
            # Left open: a process ends when this one does.
            print(json.dumps(plain(share)), file=process.stdin, flush=True)
        while any(process.poll() is None for process in running):
            _check(running)
            time.sleep(INTERVAL)
        _check(running)
    finally:
        for process in running:
            process.kill()
            process.communicate()


def _check(running: Sequence[subprocess.Popen[str]]) -> None:
    """Fail as soon as one process has failed: the others may take days."""
    for process in running:
        if process.poll():
            assert process.stdout
            if (said := process.stdout.read()).startswith(FAILED):
                raise QuantriftError(said.removeprefix(FAILED).strip())
            raise subprocess.CalledProcessError(process.returncode, process.args)


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def main() -> int:
    """Train the networks of the job that a line of standard input states."""
    inputs_path, folder = map(Path, sys.argv[1:])
    job = job_of(json.loads(sys.stdin.readline()))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        reproducible(job.how.training)
        Trainer(job, inputs_path, folder).all()
    except QuantriftError as error:
        print(f"{FAILED}{error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
