"""Board: pairs of networks that people ship, each judged in the same way."""

from quantrift.study.board.row import ROW, TIMING

ROW_OF = PATHS.board / "{pair}"


rule board_row:
    input:
        made_for,
    output:
        ROW_OF / ROW,
        ROW_OF / TIMING,
        directory(ROW_OF / "found"),
    log:
        jobs.log(PATHS, "board_row"),
    benchmark:
        jobs.benchmark(PATHS, "board_row")
    wildcard_constraints:
        pair=one_of(BOARD.pairs),
    conda:
        "../../envs/quantrift.yaml"
    resources:
        **asked("board_row"),
    params:
        pair=lambda w: BOARD.pairs[w.pair].model_dump(mode="json", exclude_unset=True),
        code=lambda w: code_of("board_row", *modules_of_assessment()),
    script:
        "../scripts/board_row.py"


rule board:
    input:
        rows=expand(ROW_OF / ROW, pair=BOARD.pairs),
        found=expand(ROW_OF / "found", pair=BOARD.pairs),
    output:
        PATHS.board / "board.html",
        PATHS.board / "board.json",
        PATHS.board / "board.csv",
        PATHS.board / "board.timing.csv",
    log:
        PATHS.root / "logs" / "board.log",
    conda:
        "../../envs/quantrift.yaml"
    params:
        title=BOARD.title,
        pairs=list(BOARD.pairs),
        code=code_of("board"),
    script:
        "../scripts/board.py"
