"""Seed inputs, and the searches that start from them."""

SEARCHES = PATHS.searches(
    "{dataset}", "{model}", "{compression}", "{tool}", "{protocol}"
)


def modules_of(tool):
    """Modules of the parts of a tool."""
    chosen = {kind: getattr(CONFIG.tools[tool], kind) for kind in parts.FOLDERS}
    return [
        name
        for kind, part in chosen.items()
        for name in parts.modules(kind, part.name, part.params)
    ]


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
        code=code_of("seeds"),
    script:
        "../scripts/seeds.py"


rule search:
    input:
        inputs=PATHS.inputs("{dataset}", "{model}"),
        original=ORIGINAL,
        compressed=COMPRESSED / "model.tflite",
        seeds=rules.seeds.output[0],
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
        generations=lambda w: CONFIG.protocols[w.protocol].generations,
        vectors=settings(CONFIG.records)["vectors"],
        code=lambda w: code_of("search", *modules_of(w.tool)),
    script:
        "../scripts/search.py"
