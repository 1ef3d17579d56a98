"""Metrics of each run seed."""

METRICS = PATHS.metrics("{dataset}", "{model}", "{compression}", "{tool}", "{protocol}")


rule metrics:
    input:
        blocks_of,
    output:
        METRICS,
        METRICS.with_suffix(".intervals.csv"),
        METRICS.with_suffix(".timing.csv"),
    log:
        jobs.log(PATHS, "metrics"),
    benchmark:
        jobs.benchmark(PATHS, "metrics")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("metrics"),
    params:
        order=order_of,
        code=code_of("metrics"),
    script:
        "../scripts/metrics.py"
