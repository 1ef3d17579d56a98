"""Seed inputs, and the searches that start from them."""

from quantrift.config.searches import DRAW
from quantrift.search import gradients
from quantrift.search.tool import looks_into_networks

SEARCHES = PATHS.searches(
    "{dataset}", "{model}", "{compression}", "{tool}", "{protocol}"
)


def searches_of(w):
    """The searches that wildcards name, in all blocks."""
    return work.Searches(
        work.Subject(w.dataset, w.model, w.compression), w.tool, w.protocol
    )


def modules_of_tool(tool):
    """Modules of the parts of a tool, and of the library that runs it, if one does."""
    owner = CONFIG.tools[tool]
    library = (
        [search_parts.load("searcher", owner.searcher.name).LIBRARY]
        if owner.engine == "library"
        else []
    )
    return modules_of(owner, search_parts.FOLDERS) + library


def modules_of_search(w):
    """Modules that a search loads by name: its tool's, and what runs the original."""
    return [*modules_of_tool(w.tool), runner_of(w).__name__]


def calibration_of(w):
    """The strengths of the distortions, for tools that take them from a calibration."""
    named = CONFIG.tools[w.tool].calibration
    return PATHS.calibration(w.dataset, w.model, named) if named else []


def profile_of(w):
    """The profile of the original's neurons, for tools whose objective looks into the networks."""
    if looks_into_networks(settings(CONFIG.tools[w.tool])):
        return PATHS.profile(w.dataset, w.model)
    return []


def megabytes_of_search(w, attempt):
    """Memory that a search asks of a cluster, by what it loads."""
    with_tensorflow = "tensorflow" in runner_of(w).PACKAGES or gradients.followed(
        settings(CONFIG.tools[w.tool])
    )
    return attempt * job_resources.megabytes_of_search(
        CONFIG.engine.memory_mb, tensorflow=with_tensorflow
    )


def agreeing_of(w):
    """Compressed models that give every seed input of a protocol the same label as the original does."""
    return [
        PATHS.compressed(w.dataset, w.model, name) / "model.tflite"
        for name in CONFIG.protocols[w.protocol].agree
    ]


rule seeds:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
        agree=agreeing_of,
    output:
        PATHS.seeds("{dataset}", "{model}", "{protocol}"),
    log:
        jobs.log(PATHS, "seeds"),
    benchmark:
        jobs.benchmark(PATHS, "seeds")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **job_resources.of("seeds"),
    params:
        run_seeds=lambda w: CONFIG.protocols[w.protocol].run_seeds,
        inputs=lambda w: CONFIG.protocols[w.protocol].inputs,
        overlap=lambda w: CONFIG.protocols[w.protocol].overlap,
        skip=lambda w: CONFIG.protocols[w.protocol].skip,
        correct=lambda w: CONFIG.protocols[w.protocol].correct,
        per_class=lambda w: CONFIG.protocols[w.protocol].per_class,
        code=code_of("seeds"),
    script:
        "../scripts/seeds.py"


rule search:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=original_of,
        compressed=COMPRESSED / "model.tflite",
        seeds=rules.seeds.output[0],
        profile=profile_of,
        calibration=calibration_of,
    output:
        SEARCHES / "{block}.parquet",
        SEARCHES / "{block}.searches.parquet",
    log:
        jobs.log(PATHS, "search"),
    benchmark:
        jobs.benchmark(PATHS, "search")
    conda:
        "../../envs/quantrift.yaml"
    # As resources these change no result and rerun nothing when they change.
    resources:
        **job_resources.of("search"),
        batch=CONFIG.engine.batch,
        memory_mb=CONFIG.engine.memory_mb,
        mem_mb=megabytes_of_search,
    params:
        # The title is for people and changes no search.
        tool=lambda w: settings(CONFIG.tools[w.tool], exclude={"title"}),
        # Run seeds and inputs stand in the seed inputs.
        budget=lambda w: settings(
            CONFIG.protocols[w.protocol],
            exclude={"run_seeds", *DRAW},
        ),
        vectors=settings(CONFIG.records)["vectors"],
        original_runtime=lambda w: CONFIG.original_runtime(w.compression),
        code=lambda w: code_of("search", *modules_of_search(w)),
    script:
        "../scripts/search.py"
