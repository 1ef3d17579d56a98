"""Mending: compressed networks quantized anew, with the fewest layers in float that keep the limits."""

from quantrift.assess.profiles import TOOLS
from quantrift.config.searches import Tool
from quantrift.metrics import mended_networks


def modules_of_mending():
    """Modules that a mending loads by name: builder, runtime, worker, and parts of the tools of an assessment."""
    parts = [
        name
        for stated in TOOLS.values()
        for name in modules_of(Tool.model_validate(stated), search_parts.FOLDERS)
    ]
    return [
        "quantrift.mend.mixed_tflite",
        "quantrift.models.foreign.worker",
        runtime.module("litert").__name__,
        *sorted(set(parts)),
    ]


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
