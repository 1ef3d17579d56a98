"""Every table, by one rule: its kind names the module that makes it."""

TABLE = PATHS.table("{table}")


rule table:
    input:
        made_from=lambda w: flat(made_of(w.table)),
        published=lambda w: published_of(w.table),
    output:
        report(
            TABLE.with_suffix(".csv"),
            caption="../report/target.rst",
            category=lambda w: work_of(w.table, CONFIG.targets),
            labels=lambda w: labels_of(w.table),
        ),
        TABLE.with_suffix(".md"),
        TABLE.with_suffix(".columns.json"),
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
        needs=lambda w: needs_of(w.table),
        states=lambda w: RESULTS.states(w.table),
        titles=stated_titles.stated(CONFIG),
        scale=CONFIG.scale,
        config_digest=CONFIG_DIGEST,
        code=lambda w: code_of(
            "table",
            kinds.module_name(CONFIG.targets[w.table].kind),
            *spaces_of(w.table),
            *modules_of_datasets(datasets_of(w.table)),
        ),
    script:
        "../scripts/table.py"
