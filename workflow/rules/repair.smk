"""Repair: compressed networks trained on difference-inducing inputs."""

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
        **job_resources.of("repair_model"),
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
