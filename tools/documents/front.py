"""Picture and verdict at the top of README.md, from two pairs of the board."""

import io
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from quantrift.cli.verdict_shown import show
from quantrift.core.base.files import write_file
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import STYLE, save
from quantrift.judge.verdict import assessment, dii_file
from quantrift.study.board.row import ASSESSMENT
from quantrift.study.planning.configuration_files import ROOT

BOARD = Path("results/sample/board")
SHOWN, JUDGED = "text_direction", "tiny_resnet8"
"""Pairs of which one disagreement and the verdict are shown; the first takes images that the project draws itself."""
SAYS = ("upright", "upside down")
"""Labels of the first pair."""
PICTURE = ROOT / "docs/images/disagreement"


def keep() -> None:
    """Draw the disagreement that is nearest to its input, and write what it is, and the verdict, as blocks."""
    folder = BOARD / SHOWN / ASSESSMENT
    found = assessment.read(folder)
    arrays = dii_file.read(folder / found.candidates[0].dii_file)
    natural = np.isin(arrays["tool"], [tool.tool for tool in found.candidates[0].tools if tool.judged])
    fits = natural & (arrays["label_original"] == 0) & (arrays["labels"] == 0)
    psnr = arrays["psnr"][place := int(np.argmax(np.where(fits, arrays["psnr"], -np.inf)))]
    with mpl.rc_context(STYLE):
        figure = mpl.Figure(figsize=(6.4, 1.1), layout="constrained")
        titles = (f"an input: both say {SAYS[0]}", f"changed, {psnr:.0f} dB: in 8 bits it says {SAYS[1]}")
        for axis, name, title in zip(figure.subplots(1, 2), ("seed_inputs", "inputs"), titles, strict=True):
            image = arrays[name][place]
            axis.imshow((image - image.min()) / np.ptp(image), interpolation="none")
            axis.set_title(title, fontsize=9)
            axis.set_axis_off()
        save(figure, PICTURE, forms=(".svg",))
    write_file(
        ROOT / "docs/_sources/blocks/disagreement.md",
        "*A public network says which way up a line of text is. ONNX Runtime made its 8-bit version, which passes: "
        f"{100 * found.candidates[0].clean.disagreement.value:.1f} % of the inputs "  # type: ignore[operator]
        f"get another label. A change of {psnr:.0f} dB PSNR turns this line around.*\n",
    )
    with redirect_stdout(io.StringIO()) as said:
        show(assessment.read(BOARD / JUDGED / ASSESSMENT), Path("assessment"), verbose=False)
    write_file(
        ROOT / "docs/_sources/blocks/readme.md",
        "\n".join(["```", *map(str.rstrip, said.getvalue().splitlines()), "```\n"]),
    )
