"""The distortions that difference-inducing inputs need."""

SHRUNK = PATHS.shrunk("{dataset}", "{model}", "{compression}", "{tool}", "{protocol}")


rule shrink:
    input:
        records=records_of,
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=original_of,
        compressed=COMPRESSED / "model.tflite",
        profile=profile_of,
    output:
        SHRUNK,
    log:
        jobs.log(PATHS, "shrink"),
    benchmark:
        jobs.benchmark(PATHS, "shrink")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("shrink"),
        batch=job_resources.BATCH,
    params:
        settings=settings(CONFIG.shrink),
        networks=networks_of_search,
        order=order_of,
        code=lambda w: code_of("shrink", *modules_of_search(w)),
    script:
        "../scripts/shrink.py"
