"""Margins of test inputs, adversarial samples, labels that both models give these, and accuracy under attack."""


rule attack:
    input:
        network=MODEL / "model.keras",
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        PATHS.adversarial("{dataset}", "{model}", "{attack}"),
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
        **asked("attack"),
    params:
        settings=lambda w: settings(CONFIG.attacks[w.attack]),
        code=code_of("attack"),
    script:
        "../scripts/attack.py"


rule verdicts:
    input:
        samples=rules.attack.output[0],
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
    group:
        grouped("verdicts")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("verdicts"),
    params:
        runtimes=runtimes_of_pair,
        code=lambda w: code_of("verdicts", *runtimes_of_pair(w).values()),
    script:
        "../scripts/verdicts.py"


# Without strengths, which are those of a dataset or study.
ATTACKS = settings(CONFIG.robustness, exclude={"strengths", "per_dataset"})


rule attack_compressed:
    input:
        network=COMPRESSED / "model.tflite",
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        PATHS.robustness("{dataset}", "{model}", "{compression}"),
    log:
        jobs.log(PATHS, "attack_compressed"),
    benchmark:
        jobs.benchmark(PATHS, "attack_compressed")
    group:
        grouped("attack_compressed")
    conda:
        "../../envs/quantrift.yaml"
    threads: 2
    resources:
        **asked("attack_compressed"),
    params:
        name=lambda w: w.compression,
        settings=ATTACKS,
        strengths=lambda w: CONFIG.robustness.strengths_for(w.dataset),
        runtime=runtime_of_network,
        code=lambda w: code_of("attack_compressed", runtime_of_network(w)),
    script:
        "../scripts/attack_compressed.py"


use rule attack_compressed as attack_original with:
    input:
        network=ORIGINAL,
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        PATHS.robustness("{dataset}", "{model}"),
    log:
        jobs.log(PATHS, "attack_original"),
    benchmark:
        jobs.benchmark(PATHS, "attack_original")
    params:
        name="original",
        settings=ATTACKS,
        strengths=lambda w: CONFIG.robustness.strengths_for(w.dataset),
        runtime=runtime_of_network,
        code=lambda w: code_of("attack_compressed", runtime_of_network(w)),


rule attack_bits:
    input:
        networks=BITS / "networks.npz",
        inputs=PATHS.inputs("{dataset}", "{model}"),
    output:
        BITS / "robustness.parquet",
    log:
        jobs.log(PATHS, "attack_bits"),
    benchmark:
        jobs.benchmark(PATHS, "attack_bits")
    wildcard_constraints:
        study=one_of(CONFIG.bit_studies),
        model=one_of(CONFIG.models.trained),
    group:
        grouped("attack_bits")
    conda:
        "../../envs/quantrift.yaml"
    threads: 2
    resources:
        **asked("attack_bits"),
    params:
        attacked=lambda w: list(
            dict(bit_blocks.attacked(CONFIG.bit_studies[w.study], w.networks))
        ),
        settings=ATTACKS,
        strengths=lambda w: CONFIG.bit_studies[w.study].strengths[w.dataset],
        code=lambda w: code_of("attack_bits", *modules_of_network(w.model)),
    script:
        "../scripts/attack_bits.py"
