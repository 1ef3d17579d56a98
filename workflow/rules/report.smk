"""One self-contained page with every target of ``all``."""

SHOWN = CONFIG.shown
CLAIMED = [
    claim.target
    for name in SHOWN
    if CONFIG.targets[name].kind == "claims"
    for claim in CONFIG.targets[name].claims.values()
    if claim.target in CONFIG.targets
]


rule page:
    input:
        tables=[
            PATHS.table(name).with_suffix(".csv") for name in SHOWN if name in TABLES
        ],
        columns=[
            PATHS.table(name).with_suffix(".columns.json")
            for name in SHOWN
            if name in TABLES
        ],
        figures=[
            PATHS.figure(name).with_suffix(".svg") for name in SHOWN if name in FIGURES
        ],
        shown=[
            detail_of(PATHS.figure(name), "shown")
            for name in SHOWN
            if "shown" in kinds.details(CONFIG.targets[name])
        ],
    output:
        report(
            PATHS.report,
            caption="../report/page.rst",
            category="All on one page",
            labels={"target": "report", "title": "All tables and figures"},
        ),
    log:
        jobs.log(PATHS, "page"),
    benchmark:
        jobs.benchmark(PATHS, "page")
    localrule: True
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("page"),
    params:
        targets={name: settings(CONFIG.targets[name]) for name in SHOWN},
        shown={name: datasets_of(name) for name in SHOWN},
        questions={name: CONFIG.targets[name].question for name in SHOWN},
        works={
            name: work_of(name, CONFIG.targets)
            for name in dict.fromkeys([*SHOWN, *CLAIMED])
        },
        datasets={
            name: DATASETS[name] for label in SHOWN for name in datasets_of(label)
        },
        titles={
            name: title
            for label in SHOWN
            for name, title in RESULTS.shown(label, TITLES).items()
        },
        scale=CONFIG.scale,
        code=code_of(
            "page",
            *modules_of_datasets(
                name for label in SHOWN for name in datasets_of(label)
            ),
        ),
        template=code_digests.digest_of_folder(code_digests.PACKAGE / "core/page"),
    script:
        "../scripts/page.py"
