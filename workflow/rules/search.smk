"""Seed inputs, and the searches that start from them."""

from quantrift.core.settings.searches import DRAW

SEARCHES = PATHS.searches(
    "{dataset}", "{model}", "{compression}", "{tool}", "{protocol}"
)


rule seeds:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
        agree=agreeing_of,
    output:
        PATHS.seeds("{dataset}", "{model}", "{protocol}"),
    log:
        jobs.log(PATHS, "seeds"),
    benchmark:
        jobs.benchmark(PATHS, "seeds")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("seeds"),
    params:
        run_seeds=lambda w: CONFIG.protocols[w.protocol].run_seeds,
        inputs=lambda w: CONFIG.protocols[w.protocol].inputs,
        overlap=lambda w: CONFIG.protocols[w.protocol].overlap,
        skip=lambda w: CONFIG.protocols[w.protocol].skip,
        correct=lambda w: CONFIG.protocols[w.protocol].correct,
        per_class=lambda w: CONFIG.protocols[w.protocol].per_class,
        runtime=runtime_of_agreeing,
        code=lambda w: code_of("seeds", runtime_of_agreeing(w)),
    script:
        "../scripts/seeds.py"


rule search:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=original_of,
        compressed=COMPRESSED / "model.tflite",
        seeds=rules.seeds.output[0],
        profile=profile_of,
        calibration=calibration_of,
        twin=twin_of,
        package=package_of,
    output:
        SEARCHES / "{block}.parquet",
        SEARCHES / "{block}.searches.parquet",
    log:
        jobs.log(PATHS, "search"),
    benchmark:
        jobs.benchmark(PATHS, "search")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("search"),
        batch=job_resources.BATCH,
        batch_mb=job_resources.BATCH_MB,
        mem_mb=megabytes_of_search,
    params:
        # The title is for people and changes no search.
        tool=lambda w: settings(CONFIG.tools[w.tool], exclude={"title"}),
        # Run seeds and inputs stand in the seed inputs.
        budget=lambda w: settings(
            CONFIG.protocols[w.protocol],
            exclude={"run_seeds", *DRAW},
        ),
        vectors=settings(CONFIG.records)["vectors"],
        networks=networks_of_search,
        code=lambda w: code_of("search", *modules_of_search(w)),
    script:
        "../scripts/search.py"
