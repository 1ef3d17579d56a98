"""Quantrift: every table and figure from one configuration. The workflow is in workflow/, the experiments in config/."""


include: "workflow/Snakefile"


# No rule of an included file is the default one.
workflow.default_target = "all"
