"""Comparison of checkers: what each says of small networks with planted faults."""

from quantrift.study.league import checker

CHECKED = PATHS.checked("{network}", "{files}")


rule check_network:
    output:
        CHECKED,
        CHECKED.with_suffix(".timing.json"),
    log:
        jobs.log(PATHS, "check_network"),
    benchmark:
        jobs.benchmark(PATHS, "check_network")
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("check_network"),
    params:
        draws=CONFIG.checkers.draws,
        code=lambda w: code_of(
            "check_network",
            *map(checker.module_name, checker.names()),
            runtime.module(runtime.runtime_of(Path(f"network.{w.files}"))).__name__,
            *modules_of_assessment(),
        ),
    script:
        "../scripts/check_network.py"
