"""Seed inputs, searches that start from them, and strengths of distortions, found on training inputs before any."""

from quantrift.core.settings.calibrations import KINDS
from quantrift.core.settings.searches import DRAW


rule seeds:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
        agree=lambda w: [
            PATHS.compressed(w.dataset, w.model, name) / "model.tflite"
            for name in CONFIG.protocols[w.protocol].agree
        ],
    output:
        PATHS.seeds("{dataset}", "{model}", "{protocol}"),
    log:
        jobs.log(PATHS, "seeds"),
    benchmark:
        jobs.benchmark(PATHS, "seeds")
    localrule: True
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("seeds"),
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
        calibration=lambda w: (
            PATHS.calibration(w.dataset, w.model, CONFIG.tools[w.tool].calibration)
            if CONFIG.tools[w.tool].calibration
            else []
        ),
        # The original in float that the twin is made from.
        twin=lambda w: (
            PATHS.model(w.dataset, w.model) / ORIGINAL.name
            if needs_gradients(w)
            else []
        ),
        package=package_of,
    output:
        jobs.outputs(PATHS, "search"),
    log:
        jobs.log(PATHS, "search"),
    benchmark:
        jobs.benchmark(PATHS, "search")
    group:
        grouped("search")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("search"),
        batch=job_resources.BATCH,
        batch_mb=job_resources.BATCH_MB,
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


rule calibrate:
    input:
        PATHS.inputs("{dataset}", "{model}"),
    output:
        PATHS.calibration("{dataset}", "{model}", "{calibration}"),
    log:
        jobs.log(PATHS, "calibrate"),
    benchmark:
        jobs.benchmark(PATHS, "calibrate")
    wildcard_constraints:
        calibration=one_of(CONFIG.calibrations),
    group:
        grouped("calibrate")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("calibrate"),
    params:
        settings=lambda w: settings(
            CONFIG.calibrations[w.calibration], exclude={"title"}
        ),
        code=lambda w: code_of(
            "calibrate", *modules_of(CONFIG.calibrations[w.calibration], KINDS)
        ),
    script:
        "../scripts/calibrate.py"
