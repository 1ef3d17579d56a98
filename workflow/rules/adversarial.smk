"""Adversarial samples of networks, and the labels that both models give them."""

SAMPLES = PATHS.adversarial("{dataset}", "{model}", "{attack}")


rule attack:
    input:
        network=MODEL / "model.keras",
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        SAMPLES,
    log:
        jobs.log(PATHS, "attack"),
    benchmark:
        jobs.benchmark(PATHS, "attack")
    wildcard_constraints:
        attack=one_of(CONFIG.attacks),
    conda:
        "../../envs/quantrift.yaml"
    threads: 2
    resources:
        **job_resources.of("attack"),
    params:
        settings=lambda w: settings(CONFIG.attacks[w.attack]),
        code=code_of("attack"),
    script:
        "../scripts/attack.py"


rule verdicts:
    input:
        samples=SAMPLES,
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=original_of,
        compressed=COMPRESSED / "model.tflite",
    output:
        PATHS.verdicts("{dataset}", "{model}", "{compression}", "{attack}"),
    log:
        jobs.log(PATHS, "verdicts"),
    benchmark:
        jobs.benchmark(PATHS, "verdicts")
    wildcard_constraints:
        attack=one_of(CONFIG.attacks),
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("verdicts"),
    params:
        runtimes=runtimes_of_pair,
        code=lambda w: code_of("verdicts", *runtimes_of_pair(w).values()),
    script:
        "../scripts/verdicts.py"
