"""Trained networks, their 2-D twins and the float models that searches call the original."""

MODEL = PATHS.model("{dataset}", "{model}")


rule train:
    input:
        rules.inputs.output,
    output:
        MODEL / "model.keras",
        MODEL / "confusion.csv",
        MODEL / "model.timing.json",
        twin=MODEL / "twin.keras",
        original=MODEL / "original.tflite",
        history=MODEL / "history.csv",
        facts=MODEL / "model.json",
    # Two trainings side by side take as long as one after the other; the number of training threads is a setting.
    threads: 2
    params:
        settings=lambda w: settings(getattr(CONFIG.models, w.model)),
        code=lambda w: code_of("train", f"quantrift.models.{w.model}"),
    script:
        "../scripts/train.py"
