"""Time of jobs that run side by side on some cores."""

import heapq
from collections.abc import Mapping, Sequence

from quantrift.cli.planning.dry_run import Planned


def makespan(planned: Sequence[Planned], seconds: Mapping[int, float], cores: int, devices: int = 1) -> float:
    """Seconds until all are done, each started as soon as its inputs are there and cores and devices are free.

    Of jobs that could start, the one with the longest way to the end goes first, much as Snakemake's greedy scheduler;
    of several, by the names of their files, as Snakemake numbers the same jobs differently each time.

    Args:
        planned: jobs, each after those whose files it reads.
        seconds: of each job by its number; those that are missing take no time.
        cores: how many there are; a job takes as many as it has threads, and no more than there are.
        devices: graphics processors; a job takes as many as it asks for, and no more than there are.
    """
    makers = {file: one.number for one in planned for file in one.outputs}
    needs = {one.number: {makers[file] for file in one.inputs if file in makers} - {one.number} for one in planned}
    followers: dict[int, list[int]] = {one.number: [] for one in planned}
    for number, own in needs.items():
        for other in own:
            followers[other].append(number)
    asked = {one.number: (min(one.threads, cores), min(one.devices, devices)) for one in planned}
    way: dict[int, float] = {}
    for one in reversed(planned):
        longest = max((way[other] for other in followers[one.number]), default=0.0)
        way[one.number] = seconds.get(one.number, 0.0) + longest
    by_name = sorted(planned, key=lambda one: (one.job.rule, one.outputs, one.inputs))
    place = {one.number: position for position, one in enumerate(by_name)}
    ready = [(-way[number], place[number], number) for number, own in needs.items() if not own]
    heapq.heapify(ready)
    running: list[tuple[float, int, int]] = []
    now, free, unused = 0.0, cores, devices
    while ready or running:
        postponed = []
        while ready and free:
            entry = heapq.heappop(ready)
            number = entry[-1]
            wanted_cores, wanted_devices = asked[number]
            if wanted_cores > free or wanted_devices > unused:
                postponed.append(entry)
                continue
            free, unused = free - wanted_cores, unused - wanted_devices
            heapq.heappush(running, (now + seconds.get(number, 0.0), place[number], number))
        for entry in postponed:
            heapq.heappush(ready, entry)
        now, _, number = heapq.heappop(running)
        free, unused = free + asked[number][0], unused + asked[number][1]
        for other in followers[number]:
            needs[other].discard(number)
            if not needs[other]:
                heapq.heappush(ready, (-way[other], place[other], other))
    return now
