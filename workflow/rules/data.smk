"""Datasets as they are, and as each network sees them."""


rule source:
    output:
        PATHS.source("{dataset}"),
    params:
        settings=lambda w: DATASETS[w.dataset],
    script:
        "../scripts/source.py"


rule inputs:
    input:
        rules.source.output,
    output:
        PATHS.inputs("{dataset}", "{model}"),
    params:
        # A change of training or width leaves the data as they are.
        settings=lambda w: settings(
            getattr(CONFIG.models, w.model), exclude={"training", "width"}
        ),
    script:
        "../scripts/inputs.py"
