"""Entry script of rule ``board_row``: judge a pair of the board."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.study.board.job import judge
from quantrift.study.board.pair import Pair

with as_job() as job:
    judge(
        job.wildcards.pair,
        Pair.model_validate(job.params.pair),
        job.config,
        [Path(path) for path in job.input],
        Path(job.output[0]).parent,
    )
