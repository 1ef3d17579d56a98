"""Tables: a rule for each kind, which says what files it writes."""

for table_rule, (details, names) in by_rule(TABLES).items():
    made, *beside = table_files(PATHS.table("{table}"), details)

    rule:
        name:
            table_rule
        input:
            made_from=lambda w: flat(made_of(w.table)),
            published=lambda w: published_of(w.table),
        output:
            report(
                made,
                caption="../report/target.rst",
                category=lambda w: work_of(w.table, CONFIG.targets),
                labels=lambda w: labels_of(w.table),
            ),
            beside,
        log:
            jobs.log(PATHS, "table"),
        benchmark:
            jobs.benchmark(PATHS, "table")
        wildcard_constraints:
            table=one_of(names),
        conda:
            "../../envs/quantrift.yaml"
        resources:
            **job_resources.of("table"),
        params:
            target=lambda w: settings(CONFIG.targets[w.table]),
            datasets=lambda w: {name: DATASETS[name] for name in datasets_of(w.table)},
            needs=lambda w: places(made_of(w.table)),
            states=lambda w: RESULTS.states(w.table),
            titles=lambda w: RESULTS.shown(w.table, TITLES),
            scale=CONFIG.scale,
            code=lambda w: code_of(
                "table",
                kinds.module_name(CONFIG.targets[w.table].kind),
                *modules_of_replays(w.table),
                *modules_of_datasets(datasets_of(w.table)),
            ),
        script:
            "../scripts/table.py"
