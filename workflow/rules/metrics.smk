"""Metrics of each run seed."""


def blocks_of(w):
    """The searches of all run seeds."""
    folder = PATHS.searches(w.dataset, w.model, w.compression, w.tool, w.protocol)
    return [
        folder / f"{block}.searches.parquet"
        for block in plan.blocks(CONFIG, w.protocol)
    ]


METRICS = PATHS.metrics("{dataset}", "{model}", "{compression}", "{tool}", "{protocol}")


rule metrics:
    input:
        blocks_of,
    output:
        METRICS,
        METRICS.with_suffix(".intervals.csv"),
        METRICS.with_suffix(".timing.csv"),
    params:
        code=code_of("metrics"),
    script:
        "../scripts/metrics.py"
