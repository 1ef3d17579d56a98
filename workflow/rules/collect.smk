"""Names for people: ``snakemake diverget_table4`` makes that table."""

MADE = {
    **{name: PATHS.table(name).with_suffix(".csv") for name in TABLES},
    **{name: PATHS.figure(name).with_suffix(".svg") for name in FIGURES},
    "report": PATHS.report,
}

for target_name, file in MADE.items():

    rule:
        name:
            target_name
        input:
            file,
