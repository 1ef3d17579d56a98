"""Repair by training on difference-inducing inputs, and mending: quantizing anew with the fewest layers in float."""

from quantrift.core.statistics import mended_networks

REPAIRED = PATHS.repaired(
    "{dataset}", "{model}", "{compression}", "{tool}", "{protocol}"
)


rule repair_model:
    input:
        MODEL / "model.keras",
        TWIN,
        FACTS,
        ORIGINAL,
        COMPRESSED / TRAINABLE,
        original=original_of,
        compressed=COMPRESSED / "model.tflite",
        records=records_of,
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        REPAIRED,
        REPAIRED.with_suffix(".tflite"),
    log:
        jobs.log(PATHS, "repair_model"),
    benchmark:
        jobs.benchmark(PATHS, "repair_model")
    wildcard_constraints:
        compression=one_of(TRAINED),
    conda:
        "../../envs/quantrift.yaml"
    # As in training.
    threads: 2
    resources:
        **asked("repair_model"),
        **device_of("repair_model"),
    params:
        settings=settings(CONFIG.repair),
        compression=lambda w: settings(
            CONFIG.compressions[w.compression], exclude={"title"}
        ),
        student=student_of,
        runtime=runtime_of_original,
        order=order_of,
        code=lambda w: code_of(
            "repair_model",
            *modules_of_compression(w),
            *modules_of_replay(w.tool),
        ),
    script:
        "../scripts/repair_model.py"


rule mend_model:
    input:
        original=ORIGINAL,
        compressed=COMPRESSED / "model.tflite",
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        COMPRESSED / mended_networks.FILE,
    log:
        jobs.log(PATHS, "mend_model"),
    benchmark:
        jobs.benchmark(PATHS, "mend_model")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("mend_model"),
    params:
        settings=settings(CONFIG.mend),
        # Builder, worker, runtime, and parts of the tools of an assessment are loaded by name.
        code=lambda w: code_of(
            "mend_model",
            "quantrift.judge.mend.mixed_tflite",
            "quantrift.core.networks.foreign.worker",
            runtime.module("litert").__name__,
            *modules_of_assessment(),
        ),
    script:
        "../scripts/mend_model.py"
