"""Retrained networks on fresh inputs: their files, their counts beside the original as given, and their verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from quantrift.core.base.files import replacing
from quantrift.judge.mend.mending import Retraining
from quantrift.judge.mend.mixed_search import Search
from quantrift.judge.mend.retraining import Retrained
from quantrift.judge.mend.sample import Sample
from quantrift.judge.verdict.assessment import Assessment
from quantrift.judge.verdict.verdict import sentence


def written(root: Path, networks: Sequence[Retrained]) -> list[Path]:
    """Write the networks but for controls, each in 8 bits and as a .keras file; the paths of those in 8 bits."""
    made = []
    for one in networks:
        if one.control:
            continue
        trials = one.trials
        path = root / f"{one.way}_retrained{trials.builder.base.suffix}"
        contents = {path: trials.builder.build((), trials.ranges), path.with_suffix(".keras"): one.keras}
        for file, content in contents.items():
            with replacing(file) as temporary:
                temporary.write_bytes(content)
        made.append(path)
    return made


def counted(networks: Iterable[Retrained], search: Search, sample: Sample, files: Sequence[Path]) -> list[Retraining]:
    """Counts on fresh inputs, without verdicts.

    Args:
        networks: after their trainings.
        search: what was found without training.
        sample: fresh inputs, with the original as given.
        files: what ``written`` wrote.
    """
    untrained = search.chosen.trials.on(sample)(()).counted
    paths = {path.stem: path for path in files}
    return [_counted(one, untrained.events, untrained.accuracy, sample, paths) for one in networks]


def _counted(
    one: Retrained, before: int, accuracy_before: float | None, sample: Sample, paths: dict[str, Path]
) -> Retraining:
    after = one.trials.on(sample)(()).counted
    path = None if one.control else paths[f"{one.way}_retrained"]
    told = Retraining(
        network=one.name,
        learned=one.learned,
        given=one.given,
        cases=after.cases,
        before=before,
        after=after.events,
        accuracy_original=sample.without_disagreement.accuracy,
        accuracy_before=accuracy_before,
        accuracy=after.accuracy,
        files=[] if path is None else [path.name, path.with_suffix(".keras").name],
    )
    if one.way != "original":
        return told
    original = sample.count(one.network)
    pair = one.trials.on(sample.against(one.network))(()).counted
    return replace(
        told,
        pair=pair.events,
        pair_rate=pair.rate,
        original_changed=original.events,
        accuracy_retrained_original=original.accuracy,
    )


def with_verdicts(found: Sequence[Retraining], assessed: Assessment) -> list[Retraining]:
    """The same, with the verdicts of an assessment of the files that were written."""
    by_file = {one.model.file: one for one in assessed.candidates}
    return [
        replace(one, verdict=by_file[name].verdict, verdict_text=sentence(by_file[name].name, by_file[name].judgements))
        if (name := next(iter(one.files), None)) is not None
        else one
        for one in found
    ]
