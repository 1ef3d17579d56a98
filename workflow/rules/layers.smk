"""Layer errors of compressed models on difference-inducing inputs and on their seed inputs."""

DII_LAYERS = PATHS.dii_layers(
    "{dataset}", "{model}", "{compression}", "{tool}", "{protocol}"
)


rule layers_of_dii:
    input:
        records=records_of,
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
        compressed=COMPRESSED / "model.tflite",
    output:
        DII_LAYERS,
        DII_LAYERS.with_suffix(".csv"),
    log:
        jobs.log(PATHS, "layers_of_dii"),
    benchmark:
        jobs.benchmark(PATHS, "layers_of_dii")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("layers_of_dii"),
    params:
        **settings(CONFIG.layers, exclude={"inputs"}),
        order=order_of,
        code=lambda w: code_of("layers_of_dii", *modules_of_replay(w.tool)),
    script:
        "../scripts/layers_of_dii.py"
