"""Entry script of rule ``page``: the self-contained report."""

from pathlib import Path

from quantrift.cli.entry import as_job
from quantrift.core.page.arrangement import Names
from quantrift.core.page.provenance import collect
from quantrift.core.page.results_page import Section, marks, render
from quantrift.core.settings.datasets import official_files
from quantrift.study.datasets import dataset_kind

INTRO = [
    "Networks are quantized before they ship to small devices and judged by test accuracy. This page shows how often a "
    "quantized network and its original disagree on inputs that natural distortions make of test inputs, and how fast "
    "each search method finds such inputs.",
    "A disagreement is a valid distorted input to which the two networks give different labels. Numbers of the "
    "papers stand only in columns called published.",
]
STEPS = {
    "Ask the same of your own model: how often it disagrees with its original, how sure that is, in which layer and "
    "for which class it arises, and what to do about it.": "quantrift assess --original MODEL.keras --compressed "
    "MODEL.tflite --inputs INPUTS.npz --out assessment",
    "See one disagreement again: each picture of a gallery has its own command below it.": "quantrift replay --help",
    "Make a single table or figure; its address on this page ends with its name.": "snakemake --cores 2 NAME",
    "Look up what all of it would cost at the size of the papers, before anything runs.": "quantrift plan --configfile "
    "config/paper.yaml",
}
"""What readers of the page may do next -> command."""


with as_job() as job:
    given = job.params
    datasets = {name: dataset_kind.settings(one) for name, one in given.datasets.items()}
    tables, figures, shown = (
        {Path(file).name.split(".")[0]: Path(file) for file in job.input[what]}
        for what in ("tables", "figures", "shown")
    )
    sections = [
        Section(
            id=name,
            title=target["title"],
            caption=target["caption"],
            source=target["source"],
            table_csv=tables.get(name),
            figure_svg=figures.get(name),
            shown_csv=shown.get(name),
            datasets=tuple(given.shown[name]),
            work=given.works[name],
            question=given.questions[name],
        )
        for name, target in given.targets.items()
    ]
    render(
        "Quantrift: where quantized networks disagree with their originals",
        given.scale,
        INTRO,
        sections,
        collect(
            {name: given[name] for name in ("targets", "datasets", "titles", "scale")},
            {file.path: file.sha256 for dataset in datasets.values() for file in official_files(dataset)},
        ),
        Path(job.output[0]),
        names=Names.of(given.titles, datasets),
        claims=[
            mark
            for name, target in given.targets.items()
            if target["kind"] == "claims"
            for mark in marks(target["claims"], tables[name], given.works)
        ],
        steps=STEPS,
    )
