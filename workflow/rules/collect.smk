"""Targets by name: ``snakemake diverget_table4`` makes that table."""

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
