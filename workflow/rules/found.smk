"""Results made of the records of searches: metrics, smallest sets of distortions, errors of layers."""

METRICS = PATHS.metrics("{dataset}", "{model}", "{compression}", "{tool}", "{protocol}")


rule metrics:
    input:
        lambda w: RESULTS.counts_of(searches_of(w)),
    output:
        METRICS,
        METRICS.with_suffix(".intervals.csv"),
        METRICS.with_suffix(".timing.csv"),
    log:
        jobs.log(PATHS, "metrics"),
    benchmark:
        jobs.benchmark(PATHS, "metrics")
    group:
        grouped("metrics")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("metrics"),
    params:
        order=order_of,
        code=code_of("metrics"),
    script:
        "../scripts/metrics.py"


rule shrink:
    input:
        records=records_of,
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=original_of,
        compressed=COMPRESSED / "model.tflite",
        profile=profile_of,
    output:
        jobs.outputs(PATHS, "shrink"),
    log:
        jobs.log(PATHS, "shrink"),
    benchmark:
        jobs.benchmark(PATHS, "shrink")
    group:
        grouped("shrink")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("shrink"),
        batch=job_resources.BATCH,
    params:
        settings=settings(CONFIG.shrink),
        networks=networks_of_search,
        order=order_of,
        code=lambda w: code_of("shrink", *modules_of_search(w)),
    script:
        "../scripts/shrink.py"


DII_LAYERS = PATHS.dii_layers(
    "{dataset}", "{model}", "{compression}", "{tool}", "{protocol}"
)


rule layers_of_dii:
    input:
        records=records_of,
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
        compressed=COMPRESSED / "model.tflite",
    output:
        DII_LAYERS,
        DII_LAYERS.with_suffix(".csv"),
    log:
        jobs.log(PATHS, "layers_of_dii"),
    benchmark:
        jobs.benchmark(PATHS, "layers_of_dii")
    group:
        grouped("layers_of_dii")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("layers_of_dii"),
    params:
        **settings(CONFIG.layers, exclude={"inputs"}),
        order=order_of,
        code=lambda w: code_of("layers_of_dii", *modules_of_replay(w.tool)),
    script:
        "../scripts/layers_of_dii.py"
