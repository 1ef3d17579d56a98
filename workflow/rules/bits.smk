"""Networks with a given number of bits for each weight, each trained several times."""

BITS = PATHS.bits("{dataset}", "{model}", "{study}", "{networks}")


rule train_bits:
    input:
        PATHS.inputs("{dataset}", "{model}"),
    output:
        BITS / "accuracies.parquet",
        BITS / "drawn.parquet",
        BITS / "history.parquet",
        BITS / "networks.timing.json",
        networks=BITS / "networks.npz",
    log:
        jobs.log(PATHS, "train_bits"),
    benchmark:
        jobs.benchmark(PATHS, "train_bits")
    wildcard_constraints:
        study=one_of(CONFIG.bit_studies),
        model=one_of(CONFIG.models.trained),
    conda:
        "../../envs/quantrift.yaml"
    threads: lambda w: bit_study_of(w).training.threads * CONFIG.engine.trainings_at_once
    resources:
        **asked("train_bits", CONFIG.engine.trainings_at_once),
        **device_of("train_bits"),
        at_once=CONFIG.engine.trainings_at_once,
    params:
        network=lambda w: settings(
            CONFIG.network(w.model, w.dataset), exclude={"training", "per_dataset"}
        ),
        how=lambda w: settings(bit_study_of(w)),
        settings=lambda w: {
            name: CONFIG.compressions[name].model_dump(
                mode="json", include={"method", "bits", "shares", "budget"}
            )
            for name in dict(networks_of(w))
        },
        networks=networks_of,
        seed=lambda w: CONFIG.bit_studies[w.study].seed,
        code=lambda w: code_of("train_bits", *modules_of_network(w.model)),
    script:
        "../scripts/train_bits.py"
