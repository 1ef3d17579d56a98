"""Every table, by one rule: its kind names the module that makes it."""

TABLE = PATHS.table("{table}")


def table_inputs(w):
    """What a table is made from, which depends on its kind."""
    if CONFIG.targets[w.table].kind == "compare_to_baseline":
        return metrics_of(w.table)
    members = plan.subjects_of_target(CONFIG, w.table)
    if CONFIG.targets[w.table].kind == "models":
        return list(
            dict.fromkeys(
                PATHS.model(one.dataset, one.model) / "model.json" for one in members
            )
        )
    return [
        PATHS.compressed(one.dataset, one.model, one.compression) / "compression.json"
        for one in members
    ]


def blocks_inputs(w):
    """What a table of networks shows of those that are also trained under a split by spatial blocks."""
    if CONFIG.targets[w.table].kind != "models":
        return []
    members = plan.subjects_of_target(CONFIG, w.table)
    return list(
        dict.fromkeys(
            PATHS.blocks(one.dataset, one.model) / "blocks.json"
            for one in members
            if one.model in BLOCKS
        )
    )


rule table:
    input:
        made_from=table_inputs,
        blocks=blocks_inputs,
        published=lambda w: published_of(w.table),
    output:
        TABLE.with_suffix(".csv"),
        TABLE.with_suffix(".md"),
        TABLE.with_suffix(".html"),
        TABLE.with_suffix(".provenance.json"),
    wildcard_constraints:
        table="|".join(TABLES),
    params:
        target=lambda w: settings(CONFIG.targets[w.table]),
        datasets=lambda w: {name: DATASETS[name] for name in datasets_of(w.table)},
        titles=TITLES,
        scale=CONFIG.scale,
        config_digest=CONFIG_DIGEST,
        code=code_of("table"),
    script:
        "../scripts/table.py"
