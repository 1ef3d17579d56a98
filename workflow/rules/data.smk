"""Datasets as they are, and as each network sees them."""

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
        code=lambda w: code_of("source", *modules_of_datasets([w.dataset])),
    script:
        "../scripts/source.py"


def input_settings(w):
    """How a network wants its inputs; a change of training, of width or of the other split leaves the data as they are."""
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
        # What images become for networks that are trained here.
        images=settings(ImageInputs()),
        code=code_of("inputs"),
    script:
        "../scripts/inputs.py"
