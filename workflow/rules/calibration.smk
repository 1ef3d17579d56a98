"""Strengths of distortions, found on training inputs before any search."""

from quantrift.core.settings.calibrations import KINDS


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
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("calibrate"),
    params:
        settings=lambda w: settings(
            CONFIG.calibrations[w.calibration], exclude={"title"}
        ),
        code=lambda w: code_of(
            "calibrate", *modules_of(CONFIG.calibrations[w.calibration], KINDS)
        ),
    script:
        "../scripts/calibrate.py"
