"""Names for people: ``snakemake diverget_table4`` makes that table."""

MADE = {
    **{name: [PATHS.table(name).with_suffix(".csv")] for name in TABLES},
    **{name: [PATHS.figure(name).with_suffix(".svg")] for name in FIGURES},
    "report": [PATHS.report],
}
MADE |= {
    name: [file for member in plan.members(CONFIG, name) for file in MADE[member]]
    for name in CONFIG.targets
    if name not in MADE
}

for target_name, files in MADE.items():

    rule:
        name:
            target_name
        input:
            files,


rule everything:
    input:
        [*MADE.values()],
