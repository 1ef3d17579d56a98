"""Every table, by one rule: its kind names the module that makes it."""

TABLE = PATHS.table("{table}")


rule table:
    input:
        made_from=lambda w: made_from.files(CONFIG, PATHS, w.table),
        blocks=lambda w: made_from.blocks(CONFIG, PATHS, w.table),
        published=lambda w: published_of(w.table),
    output:
        TABLE.with_suffix(".csv"),
        TABLE.with_suffix(".md"),
        TABLE.with_suffix(".provenance.json"),
    log:
        jobs.log(PATHS, "table"),
    benchmark:
        jobs.benchmark(PATHS, "table")
    wildcard_constraints:
        table="|".join(TABLES),
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("table"),
    params:
        target=lambda w: settings(CONFIG.targets[w.table]),
        datasets=lambda w: {name: DATASETS[name] for name in datasets_of(w.table)},
        tools=lambda w: tools_of(w.table),
        protocol=lambda w: protocol_of(w.table),
        experiments=lambda w: {
            name: [str(file) for file in files]
            for name, files in made_from.by_experiment(CONFIG, PATHS, w.table).items()
        },
        needs=lambda w: needs_of(w.table),
        states=lambda w: states_of(w.table),
        studies=lambda w: studies_of(w.table),
        compressions=lambda w: compressions_of(w.table),
        titles=CONFIG.titles | TITLES,
        scale=CONFIG.scale,
        config_digest=CONFIG_DIGEST,
        order=order_of,
        code=lambda w: code_of(
            "table",
            module_of("tables", w.table),
            *spaces_of(w.table),
        ),
    script:
        "../scripts/table.py"
