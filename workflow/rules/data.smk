"""Datasets as they are, and as each network sees them."""


rule source:
    output:
        PATHS.source("{dataset}"),
    params:
        settings=lambda w: DATASETS[w.dataset],
        code=code_of("source"),
    script:
        "../scripts/source.py"


rule inputs:
    input:
        rules.source.output,
    output:
        PATHS.inputs("{dataset}", "{model}"),
    params:
        # A change of training, of width or of the other split leaves the data as they are.
        settings=lambda w: settings(
            getattr(CONFIG.models, w.model), exclude={"training", "width", "blocks"}
        ),
        code=code_of("inputs"),
    script:
        "../scripts/inputs.py"
