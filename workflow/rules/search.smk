"""Seed inputs, and the searches that start from them."""

from quantrift.search.tool import looks_into_networks

SEARCHES = PATHS.searches(
    "{dataset}", "{model}", "{compression}", "{tool}", "{protocol}"
)


def modules_of_tool(tool):
    """Modules of the parts of a tool, and of the library that runs it, if one does."""
    owner = CONFIG.tools[tool]
    library = (
        [parts.load("searcher", owner.searcher.name).LIBRARY]
        if owner.engine == "library"
        else []
    )
    return modules_of(owner, parts.FOLDERS) + library


def calibration_of(w):
    """The strengths of the distortions, for tools that take them from a calibration."""
    named = CONFIG.tools[w.tool].calibration
    return PATHS.calibration(w.dataset, w.model, named) if named else []


def profile_of(w):
    """The profile of the original's neurons, for tools whose objective looks into the networks."""
    if looks_into_networks(settings(CONFIG.tools[w.tool])):
        return PATHS.profile(w.dataset, w.model)
    return []


rule seeds:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
    output:
        PATHS.seeds("{dataset}", "{model}", "{protocol}"),
    params:
        run_seeds=lambda w: CONFIG.protocols[w.protocol].run_seeds,
        inputs=lambda w: CONFIG.protocols[w.protocol].inputs,
        overlap=lambda w: CONFIG.protocols[w.protocol].overlap,
        skip=lambda w: CONFIG.protocols[w.protocol].skip,
        code=code_of("seeds"),
    script:
        "../scripts/seeds.py"


rule search:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
        compressed=COMPRESSED / "model.tflite",
        seeds=rules.seeds.output[0],
        profile=profile_of,
        calibration=calibration_of,
    output:
        SEARCHES / "{block}.parquet",
        SEARCHES / "{block}.searches.parquet",
    # As resources these change no result and rerun nothing when they change.
    resources:
        batch=CONFIG.engine.batch,
        memory_mb=CONFIG.engine.memory_mb,
        mem_mb=CONFIG.engine.memory_mb + 600,
    params:
        # The title is for people and changes no search.
        tool=lambda w: settings(CONFIG.tools[w.tool], exclude={"title"}),
        # Run seeds and inputs stand in the seed inputs.
        budget=lambda w: settings(
            CONFIG.protocols[w.protocol],
            exclude={"run_seeds", "inputs", "overlap", "skip"},
        ),
        vectors=settings(CONFIG.records)["vectors"],
        code=lambda w: code_of("search", *modules_of_tool(w.tool)),
    script:
        "../scripts/search.py"
