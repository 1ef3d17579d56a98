"""Compressed models, each with the audit that proves what runs in 8 bits."""

COMPRESSED = PATHS.compressed("{dataset}", "{model}", "{compression}")


rule compress:
    input:
        rules.train.output.twin,
        rules.train.output.original,
        facts=rules.train.output.facts,
        inputs=rules.inputs.output[0],
    output:
        COMPRESSED / "audit.json",
        model=COMPRESSED / "model.tflite",
        facts=COMPRESSED / "compression.json",
    params:
        settings=lambda w: settings(getattr(CONFIG.compressions, w.compression)),
        code=lambda w: code_of("compress", f"quantrift.compression.{w.compression}"),
    script:
        "../scripts/compress.py"
