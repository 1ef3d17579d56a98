"""Datasets: as published, and as inputs of each network."""

from quantrift.core.settings.model_files import ImageInputs


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
        **asked("source"),
    params:
        settings=lambda w: DATASETS[w.dataset],
        code=lambda w: code_of("source", *modules_of_datasets([w.dataset])),
    script:
        "../scripts/source.py"


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
        **asked("inputs"),
    params:
        settings=input_settings,
        # Form of images for networks that are trained here.
        images=settings(ImageInputs()),
        code=code_of("inputs"),
    script:
        "../scripts/inputs.py"
