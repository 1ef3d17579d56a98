"""What columns of an assessment are called and mean (``quantrift.assess``; see ``quantrift.report.columns``)."""

LABELS = {
    "candidate": ("Compressed model", ""),
    "class": ("Class", "True class of the seed inputs; without labels, what the original says."),
    "network": ("Model", ""),
    "seed": ("Input", "Number of the seed input among the inputs given."),
    "layer": ("Layer", "Of the original."),
    "kind": (
        "Changes",
        "Natural: what cameras and weather do too, within a limit. Noise: pixels and blurs without one, until the "
        "models disagree.",
    ),
    "seeds": ("Seed inputs", "Inputs that searches start from."),
    **{
        f"{rate}_interval": (f"{label} 95 %", f"95 % interval of the {meaning}, in percent.")
        for rate, label, meaning in (
            ("dir", "DiR", "DiR"),
            ("sr", "SR", "SR"),
            ("agreement_share", "Agreement", "agreement"),
            ("need_share", "Suffices", "share"),
        )
    },
    "odds_interval": ("Odds ratio 95 %", "95 % interval of the odds ratio."),
    "agreement_share": ("Agreement", "Inputs, as given, to which both models give one label."),
    "disagreeing": ("Disagree", "The other inputs."),
    "compressed_accuracy": ("Accuracy compressed", "Correctly classified inputs."),
    "limit_dir": ("DiR limit", "Greatest DiR that passes."),
    "limit_sr": ("SR limit", "Greatest SR that passes."),
    "need_share": ("Suffices", "Shrunk inputs for which the set is a smallest one."),
    "label_original": ("Original says", ""),
    "label_compressed": ("Compressed says", ""),
    "true_label": ("True class", "Without labels, what the original says of the seed input."),
    "before": ("Switched on", "Distortions of the input as it was found."),
    "smallest": ("Needed", "Smallest sets of them with which the models still disagree."),
    "sqnr_db": ("SQNR inputs", "Signal-to-quantization-noise ratio in dB, errors of the layers before included."),
    "sqnr_db_seeds": ("SQNR seeds", "The same on the seed inputs of what was found."),
    "sqnr_db_dii": ("SQNR DIIs", "The same on the difference-inducing inputs of natural changes."),
    "cosine": ("Cosine", "Of the angle between both outputs of the layer, on the inputs as given."),
    "suspect": ("Suspected", "Whether the layer seems to be quantized wrongly; the list above says why."),
    "on": (
        "On",
        "Inputs that the quantiles are over: all, or seed inputs with or without a natural disagreement.",
    ),
    **{name: (label, "Quantile of the margin.") for name, label in (("q05", "5 %"), ("q25", "25 %"), ("q75", "75 %"))},
    "median": ("50 %", "Quantile of the margin."),
    "q95": ("95 %", "Quantile of the margin."),
    "first": ("First", "Compressed model that is compared."),
    "second": ("Second", "The other one."),
    "first_share": ("First rate", "Of the first model."),
    "second_share": ("Second rate", "Of the other one."),
    "first_alone": ("First alone", "Seed inputs on which it alone disagrees with the original."),
    "second_alone": ("Second alone", "Likewise."),
    "differ": ("Difference", "Typical difference over seed inputs (Hodges-Lehmann), 95 % interval, in percent."),
    "holm": ("p Holm", "p-value after Holm's correction over all comparisons."),
}
"""Column -> its label and its explanation."""
