"""Seed inputs, and the searches that start from them."""

SEARCHES = PATHS.searches(
    "{dataset}", "{model}", "{compression}", "{tool}", "{protocol}"
)


rule seeds:
    input:
        inputs=rules.inputs.output[0],
        original=rules.train.output.original,
    output:
        PATHS.seeds("{dataset}", "{model}", "{protocol}"),
    params:
        run_seeds=lambda w: CONFIG.protocols[w.protocol].run_seeds,
        inputs=lambda w: CONFIG.protocols[w.protocol].inputs,
        overlap=lambda w: CONFIG.protocols[w.protocol].overlap,
    script:
        "../scripts/seeds.py"


rule search:
    input:
        inputs=rules.inputs.output[0],
        original=rules.train.output.original,
        compressed=rules.compress.output.model,
        seeds=rules.seeds.output[0],
    output:
        SEARCHES / "{block}.parquet",
        SEARCHES / "{block}.searches.parquet",
    # As resources these change no result and rerun nothing when they change.
    resources:
        batch=CONFIG.engine.batch,
        memory_mb=CONFIG.engine.memory_mb,
        mem_mb=CONFIG.engine.memory_mb + 600,
    params:
        tool=lambda w: settings(CONFIG.tools[w.tool]),
        generations=lambda w: CONFIG.protocols[w.protocol].generations,
        vectors=settings(CONFIG.records)["vectors"],
    script:
        "../scripts/search.py"
