"""Datasets: as published, and as inputs of each network."""

from quantrift.config.model_files import ImageInputs


rule source:
    output:
        PATHS.source("{dataset}"),
    log:
        jobs.log(PATHS, "source"),
    benchmark:
        jobs.benchmark(PATHS, "source")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("source"),
    params:
        settings=lambda w: DATASETS[w.dataset],
        code=code_of("source"),
    script:
        "../scripts/source.py"


def input_settings(w):
    """A network's settings of inputs alone, so that a change of training, width or the other split remakes no data."""
    network = CONFIG.network(w.model, w.dataset)
    if w.model in CONFIG.models.files:
        return settings(network.inputs)
    return settings(network, exclude={"training", "width", "blocks", "per_dataset"})


rule inputs:
    input:
        rules.source.output,
    output:
        PATHS.inputs("{dataset}", "{model}"),
    log:
        jobs.log(PATHS, "inputs"),
    benchmark:
        jobs.benchmark(PATHS, "inputs")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("inputs"),
    params:
        settings=input_settings,
        # Form of images for networks that are trained here.
        images=settings(ImageInputs()),
        code=code_of("inputs"),
    script:
        "../scripts/inputs.py"
