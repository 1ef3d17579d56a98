"""Trained networks, their 2-D twins, the float models that searches call the original, and what blocks give."""

MODEL = PATHS.model("{dataset}", "{model}")
UNDER_BLOCKS = PATHS.blocks("{dataset}", "{model}")
BLOCKS = {
    name: network.model_copy(update={"split": network.blocks})
    for name, network in CONFIG.models
    if getattr(network, "blocks", None)
}


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
        settings=lambda w: settings(getattr(CONFIG.models, w.model), exclude={"blocks"}),
        code=lambda w: code_of("train", f"quantrift.models.{w.model}"),
    script:
        "../scripts/train.py"


rule train_blocks:
    input:
        rules.source.output,
    output:
        UNDER_BLOCKS / "blocks.timing.json",
        facts=UNDER_BLOCKS / "blocks.json",
    # Without a network that asks for it, no file fits.
    wildcard_constraints:
        model="|".join(BLOCKS),
    threads: 2
    params:
        settings=lambda w: settings(BLOCKS[w.model], exclude={"blocks"}),
        code=lambda w: code_of("blocks", f"quantrift.models.{w.model}"),
    script:
        "../scripts/blocks.py"
