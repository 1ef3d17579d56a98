"""Tables and figures: a rule for each kind, which says what files it writes; and all targets by name."""

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
            **asked("table"),
        params:
            target=lambda w: settings(CONFIG.targets[w.table]),
            datasets=lambda w: {name: DATASETS[name] for name in datasets_of(w.table)},
            needs=lambda w: places(made_of(w.table)),
            states=lambda w: RESULTS.states(w.table),
            titles=lambda w: RESULTS.shown(w.table, TITLES),
            networks=lambda w: RESULTS.shown(w.table, NETWORKS),
            scale=CONFIG.scale,
            code=lambda w: code_of(
                "table",
                kinds.module_name(CONFIG.targets[w.table].kind),
                *modules_of_replays(w.table),
                *modules_of_datasets(datasets_of(w.table)),
            ),
        script:
            "../scripts/table.py"


for figure_rule, (details, names) in by_rule(FIGURES).items():
    made, *beside = figure_files(PATHS.figure("{figure}"), details)

    rule:
        name:
            figure_rule
        input:
            made_from=lambda w: flat(made_of(w.figure)),
            published=lambda w: published_of(w.figure),
        output:
            report(
                made,
                caption="../report/target.rst",
                category=lambda w: work_of(w.figure, CONFIG.targets),
                labels=lambda w: labels_of(w.figure),
            ),
            beside,
        log:
            jobs.log(PATHS, "figure"),
        benchmark:
            jobs.benchmark(PATHS, "figure")
        wildcard_constraints:
            figure=one_of(names),
        localrule: True
        conda:
            "../../envs/quantrift.yaml"
        resources:
            **asked("figure"),
        params:
            target=lambda w: settings(CONFIG.targets[w.figure]),
            datasets=lambda w: {name: DATASETS[name] for name in datasets_of(w.figure)},
            needs=lambda w: places(made_of(w.figure)),
            states=lambda w: RESULTS.states(w.figure),
            titles=lambda w: RESULTS.shown(w.figure, TITLES),
            networks=lambda w: RESULTS.shown(w.figure, NETWORKS),
            scale=CONFIG.scale,
            code=lambda w: code_of(
                "figure",
                kinds.module_name(CONFIG.targets[w.figure].kind),
                *modules_of_replays(w.figure),
                *modules_of_datasets(datasets_of(w.figure)),
            ),
        script:
            "../scripts/figure.py"


MADE = {name: RESULTS.made(name) for name in (*CONFIG.targets, REPORT)}

for target_name, files in MADE.items():

    rule:
        name:
            target_name
        input:
            files,


rule everything:
    input:
        [*MADE.values()],
