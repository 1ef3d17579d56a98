"""Networks, trained or from files, their 2-D twins, and the float models that searches use as originals."""

MODEL = PATHS.model("{dataset}", "{model}")
UNDER_BLOCKS = PATHS.blocks("{dataset}", "{model}")
# Files of every network, trained here or taken from a file.
ORIGINAL = MODEL / "original.tflite"
TWIN = MODEL / "twin.keras"
FACTS = MODEL / "model.json"

# File of an original -> the runtime that exports it, where that runs another file than training leaves.
EXPORTED = {
    file: owner.original_runtime
    for owner in CONFIG.compressions.values()
    for file in [runtime.module(owner.original_runtime).ORIGINAL]
    if file not in ("model.keras", ORIGINAL.name)
}


rule train:
    input:
        PATHS.inputs("{dataset}", "{model}"),
    output:
        MODEL / "model.keras",
        MODEL / "confusion.csv",
        MODEL / "model.timing.json",
        twin=TWIN,
        original=ORIGINAL,
        history=MODEL / "history.csv",
        facts=FACTS,
    log:
        jobs.log(PATHS, "train"),
    benchmark:
        jobs.benchmark(PATHS, "train")
    wildcard_constraints:
        model=one_of(CONFIG.models.trained),
    conda:
        "../../envs/quantrift.yaml"
    # A setting, as sums depend on it.
    threads: lambda w: CONFIG.network(w.model, w.dataset).training.threads
    resources:
        **asked("train"),
        **device_of("train"),
    params:
        settings=lambda w: settings(
            CONFIG.network(w.model, w.dataset), exclude={"blocks", "per_dataset"}
        ),
        code=lambda w: code_of("train", *modules_of_network(w.model)),
    script:
        "../scripts/train.py"


KERAS_FILES = [
    name
    for name, file in CONFIG.models.files.items()
    if not file.original.path.endswith(own_litert.SUFFIXES)
]


rule adopt:
    input:
        PATHS.inputs("{dataset}", "{model}"),
    output:
        MODEL / "confusion.csv",
        MODEL / "model.timing.json",
        MODEL / "model.keras",
        twin=TWIN,
        original=ORIGINAL,
        facts=FACTS,
    log:
        jobs.log(PATHS, "adopt"),
    benchmark:
        jobs.benchmark(PATHS, "adopt")
    wildcard_constraints:
        model=one_of(KERAS_FILES),
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("adopt"),
    params:
        settings=lambda w: settings(
            CONFIG.network(w.model, w.dataset),
            exclude={"title", "compressed", "published_as", "compressed_published_as"},
        ),
        code=code_of("adopt"),
    script:
        "../scripts/adopt.py"


use rule adopt as adopt_tflite with:
    output:
        MODEL / "confusion.csv",
        MODEL / "model.timing.json",
        original=ORIGINAL,
        facts=FACTS,
    wildcard_constraints:
        model=one_of(set(CONFIG.models.files) - set(KERAS_FILES)),


rule export_original:
    input:
        TWIN,
    output:
        MODEL / "{exported}",
    log:
        jobs.log(PATHS, "export_original"),
    benchmark:
        jobs.benchmark(PATHS, "export_original")
    wildcard_constraints:
        exported=one_of(EXPORTED),
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("export_original"),
    params:
        runtime=lambda w: runtime.module(EXPORTED[w.exported]).__name__,
        code=lambda w: code_of(
            "export_original", runtime.module(EXPORTED[w.exported]).__name__
        ),
    script:
        "../scripts/export_original.py"


rule profile:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
    output:
        PATHS.profile("{dataset}", "{model}"),
    log:
        jobs.log(PATHS, "profile"),
    benchmark:
        jobs.benchmark(PATHS, "profile")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("profile"),
    params:
        neurons=lambda w: opening_of(w).NEURONS,
        code=lambda w: code_of("profile", opening_of(w).NEURONS),
    script:
        "../scripts/profile.py"


rule train_blocks:
    input:
        PATHS.source("{dataset}"),
    output:
        UNDER_BLOCKS / "blocks.timing.json",
        facts=UNDER_BLOCKS / "blocks.json",
    log:
        jobs.log(PATHS, "train_blocks"),
    benchmark:
        jobs.benchmark(PATHS, "train_blocks")
    wildcard_constraints:
        model=one_of(
            name
            for name, network in CONFIG.models.trained.items()
            if any(
                "blocks" in stated and stated["blocks"]
                for stated in (settings(network), *network.per_dataset.values())
            )
        ),
    conda:
        "../../envs/quantrift.yaml"
    threads: lambda w: CONFIG.network(w.model, w.dataset).training.threads
    resources:
        **asked("train_blocks"),
        **device_of("train_blocks"),
    params:
        settings=blocks_settings,
        code=lambda w: code_of("train_blocks", *modules_of_network(w.model)),
    script:
        "../scripts/train_blocks.py"
