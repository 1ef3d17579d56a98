"""Compressed models, made here or from files, each with the audit that proves what runs in 8 bits."""

COMPRESSED = PATHS.compressed("{dataset}", "{model}", "{compression}")


rule compress:
    input:
        TWIN,
        ORIGINAL,
        facts=FACTS,
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        COMPRESSED / "audit.json",
        model=COMPRESSED / "model.tflite",
        facts=COMPRESSED / "compression.json",
    wildcard_constraints:
        compression=one_of(CONFIG.methods),
    params:
        settings=lambda w: settings(getattr(CONFIG.compressions, w.compression)),
        code=lambda w: code_of("compress", f"quantrift.compression.{w.compression}"),
    script:
        "../scripts/compress.py"


rule adopt_compressed:
    input:
        ORIGINAL,
        facts=FACTS,
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        COMPRESSED / "audit.json",
        model=COMPRESSED / "model.tflite",
        facts=COMPRESSED / "compression.json",
    wildcard_constraints:
        compression=one_of(CONFIG.compressed_files),
    params:
        file=lambda w: settings(
            CONFIG.network(w.model, w.dataset).compressed[w.compression]
        ),
        code=code_of("adopt_compressed"),
    script:
        "../scripts/adopt_compressed.py"
