"""Mending: compressed networks quantized anew, with the fewest layers in float that keep the limits."""

from quantrift.core.statistics import mended_networks


rule mend_model:
    input:
        original=ORIGINAL,
        compressed=COMPRESSED / "model.tflite",
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        COMPRESSED / mended_networks.FILE,
    log:
        jobs.log(PATHS, "mend_model"),
    benchmark:
        jobs.benchmark(PATHS, "mend_model")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("mend_model"),
    params:
        settings=settings(CONFIG.mend),
        code=lambda w: code_of("mend_model", *modules_of_mending()),
    script:
        "../scripts/mend_model.py"
