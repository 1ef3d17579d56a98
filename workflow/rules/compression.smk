"""Compressed models, made here or from files, each with an audit of the operations that run in 8 bits."""

COMPRESSED = PATHS.compressed("{dataset}", "{model}", "{compression}")
TRAINED = [name for name, owner in CONFIG.compressions.items() if trains(owner)]


rule compress:
    input:
        MODEL / "model.keras",
        TWIN,
        ORIGINAL,
        # Where it was exported for that runtime alone.
        lambda w: original_of(w) if runner_of(w).ORIGINAL in EXPORTED else [],
        facts=FACTS,
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        COMPRESSED / "audit.json",
        COMPRESSED / margin_files.FILE,
        model=COMPRESSED / "model.tflite",
        facts=COMPRESSED / "compression.json",
    log:
        jobs.log(PATHS, "compress"),
    benchmark:
        jobs.benchmark(PATHS, "compress")
    wildcard_constraints:
        compression=one_of(
            name
            for name in CONFIG.compressions
            if not to_coreml(name) and name not in TRAINED
        ),
    group:
        grouped("compress")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("compress"),
    params:
        settings=lambda w: settings(
            CONFIG.compressions[w.compression], exclude={"title"}
        ),
        student=student_of,
        runtime=runtime_of_original,
        code=lambda w: code_of("compress", *modules_of_compression(w)),
    script:
        "../scripts/compress.py"


use rule compress as compress_to_coreml with:
    output:
        COMPRESSED / "audit.json",
        COMPRESSED / margin_files.FILE,
        COMPRESSED / coreml.FILE,
        model=COMPRESSED / "model.tflite",
        facts=COMPRESSED / "compression.json",
    wildcard_constraints:
        compression=one_of(name for name in CONFIG.compressions if to_coreml(name)),
    resources:
        **asked("compress_to_coreml"),


use rule compress as compress_by_training with:
    output:
        COMPRESSED / "audit.json",
        COMPRESSED / margin_files.FILE,
        COMPRESSED / TRAINABLE,
        model=COMPRESSED / "model.tflite",
        facts=COMPRESSED / "compression.json",
    wildcard_constraints:
        compression=one_of(TRAINED),
    resources:
        **asked("compress_by_training"),
        **device_of("compress_by_training"),


rule adopt_compressed:
    input:
        ORIGINAL,
        facts=FACTS,
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        COMPRESSED / "audit.json",
        COMPRESSED / margin_files.FILE,
        model=COMPRESSED / "model.tflite",
        facts=COMPRESSED / "compression.json",
    log:
        jobs.log(PATHS, "adopt_compressed"),
    benchmark:
        jobs.benchmark(PATHS, "adopt_compressed")
    wildcard_constraints:
        compression=one_of(CONFIG.compressed_files),
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("adopt_compressed"),
    params:
        file=lambda w: settings(
            CONFIG.network(w.model, w.dataset).compressed[w.compression]
        ),
        code=code_of("adopt_compressed"),
    script:
        "../scripts/adopt_compressed.py"


rule layers:
    input:
        original=ORIGINAL,
        compressed=COMPRESSED / "model.tflite",
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        COMPRESSED / "layers.json",
        COMPRESSED / "layers.csv",
    log:
        jobs.log(PATHS, "layers"),
    benchmark:
        jobs.benchmark(PATHS, "layers")
    group:
        grouped("layers")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("layers"),
    params:
        **settings(CONFIG.layers, exclude={"dii"}),
        code=code_of("layers"),
    script:
        "../scripts/layers.py"
