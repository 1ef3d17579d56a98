"""Every figure, by one rule: its kind names the module that makes it."""

FIGURE = PATHS.figure("{figure}")


rule figure:
    input:
        made_from=lambda w: flat(made_of(w.figure)),
        published=lambda w: published_of(w.figure),
    output:
        report(
            FIGURE.with_suffix(".svg"),
            caption="../report/target.rst",
            category=lambda w: work_of(w.figure, CONFIG.targets),
            labels=lambda w: labels_of(w.figure),
        ),
        FIGURE.with_suffix(".png"),
    log:
        jobs.log(PATHS, "figure"),
    benchmark:
        jobs.benchmark(PATHS, "figure")
    wildcard_constraints:
        figure="|".join(FIGURES),
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("figure"),
    params:
        target=lambda w: settings(CONFIG.targets[w.figure]),
        datasets=lambda w: {name: DATASETS[name] for name in datasets_of(w.figure)},
        needs=lambda w: needs_of(w.figure),
        states=lambda w: RESULTS.states(w.figure),
        titles=stated_titles.in_figures(CONFIG),
        scale=CONFIG.scale,
        code=lambda w: code_of(
            "figure",
            kinds.module_name(CONFIG.targets[w.figure].kind),
            *spaces_of(w.figure),
            *modules_of_datasets(datasets_of(w.figure)),
        ),
    script:
        "../scripts/figure.py"
