"""Figures of an assessment's report."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from quantrift.core.base.inputs import Inputs
from quantrift.core.base.streams import stream
from quantrift.core.page.style import COLOURS, INK, STYLE, save
from quantrift.judge.verdict import gallery_rows
from quantrift.judge.verdict.assessment import Assessment, Candidate, Layer
from quantrift.judge.verdict.page_columns import QUANTILES
from quantrift.judge.verdict.page_tables import margins as quantiles
from quantrift.judge.verdict.page_tables import words
from quantrift.judge.verdict.tool_result import Rate

KINDS = {"natural": COLOURS[0], "noise": COLOURS[1]}
LAYERS = 40
"""Most layers in a figure; of more, those furthest from the original's."""
SHOWN = 6
"""Rows of a gallery."""


@contextmanager
def _drawn(stem: Path, width: float, height: float) -> Iterator[Figure]:
    # Names of files, classes and layers are text, whatever characters they have.
    with mpl.rc_context({**STYLE, "text.parse_math": False}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        save(figure, stem, [".svg"])


def rates(found: Assessment, stem: Path) -> None:
    """DiR and SR of each tool with their intervals, a row of panels for each model, limits as dashed lines."""
    bars = max(len(one.tools) for one in found.candidates)
    panels: Sequence[tuple[str, Callable[[Any], Rate], float | None]] = (
        ("DiR of valid changes", lambda tool: tool.dir_valid, found.limits.max_dir),
        ("SR", lambda tool: tool.sr, found.limits.max_sr),
    )
    with _drawn(stem, 9, (0.42 * bars + 0.75) * len(found.candidates) + 0.3) as figure:
        grid = figure.subplots(len(found.candidates), 2, squeeze=False, sharey="row")
        for row, one in zip(grid, found.candidates, strict=True):
            for axis, (name, of, limit) in zip(row, panels, strict=True):
                _bars(axis, [of(tool) for tool in one.tools], [KINDS[tool.kind] for tool in one.tools])
                ends = [end for tool in one.tools for end in (of(tool).value, of(tool).high, limit) if end is not None]
                axis.set_xlim(0, 118 * max(ends, default=0) or 1)
                if limit is not None:
                    axis.axvline(100 * limit, color=INK, linestyle="--", linewidth=1)
                axis.set_xlabel(f"{name} %", fontsize=8)
            row[0].set_yticks(range(len(one.tools)), [_short(tool.title) for tool in one.tools])
            row[0].invert_yaxis()
            row[0].set_title(one.name, loc="left", fontweight="bold")
        handles = [Patch(color=colour, label=kind) for kind, colour in KINDS.items()]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)


def _bars(axis: Axes, of_tools: Sequence[Rate], colours: Sequence[str]) -> None:
    values = [100 * (rate.value or 0) for rate in of_tools]
    axis.barh(range(len(values)), values, height=0.6, color=colours)
    for place, (rate, value) in enumerate(zip(of_tools, values, strict=True)):
        if rate.low is not None and rate.high is not None:
            axis.plot([100 * rate.low, 100 * rate.high], [place, place], color=INK, linewidth=1.4)
        axis.annotate(
            "not defined" if rate.value is None else f"{value:.3g}",
            (max(value, 100 * (rate.high or 0)), place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
        )
    _upright(axis)


def _upright(axis: Axes) -> None:
    """Draw grid lines across horizontal bars."""
    axis.grid(axis="x")
    axis.grid(axis="y", visible=False)


def margins(found: Assessment, stem: Path) -> None:
    """Quantiles of both networks' margins, a box each: 5, 25, 50, 75 and 95 %."""
    boxes: list[dict[str, Any]] = [
        {
            "label": f"{row['network']}: {row['on']} ({row['inputs']})",
            **dict(zip(("whislo", "q1", "med", "q3", "whishi"), (row[name] for name in QUANTILES), strict=True)),
            "fliers": [],
        }
        for row in quantiles(found)
    ]
    with _drawn(stem, 9, 0.42 * len(boxes) + 0.8) as figure:
        axis = figure.subplots()
        axis.bxp(boxes, orientation="horizontal", showfliers=False, medianprops={"color": COLOURS[5]})
        axis.invert_yaxis()
        axis.set_xlabel("margin: probability of the likeliest class minus that of the next")
        _upright(axis)


def layers(one: Candidate, stem: Path) -> None:
    """SQNR of each layer on the inputs and on difference-inducing inputs; suspected layers have their name marked."""
    shown = drawn_layers(one.layers)
    sides: Mapping[str, tuple[Callable[[Layer], float | None], str]] = {
        "inputs as given": (lambda layer: layer.sqnr_db, COLOURS[0]),
        "difference-inducing inputs": (lambda layer: layer.sqnr_db_dii, COLOURS[1]),
    }
    with _drawn(stem, 9, 0.36 * len(shown) + 1.0) as figure:
        axis = figure.subplots()
        for place, (name, (of, colour)) in enumerate(sides.items()):
            values = [of(layer) for layer in shown]
            at = np.arange(len(shown)) + 0.4 * place - 0.2
            axis.barh(at, [value or 0 for value in values], height=0.38, color=colour, label=name)
            for y, value in zip(at, values, strict=True):
                text = "" if value is None else f"{value:.1f}"
                axis.annotate(text, (value or 0, y), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7)
        names = [f"{_short(layer.layer)}{' (suspected)' if layer.suspect else ''}" for layer in shown]
        axis.set_yticks(range(len(shown)), names)
        for label, layer in zip(axis.get_yticklabels(), shown, strict=True):
            label.set(color=COLOURS[5] if layer.suspect else INK, fontweight="bold" if layer.suspect else "normal")
        axis.invert_yaxis()
        axis.set_xlabel("signal-to-quantization-noise ratio, dB; shorter is further from the original")
        _upright(axis)
        figure.legend(loc="outside lower center", ncols=2)


def drawn_layers(of_model: Sequence[Layer]) -> list[Layer]:
    """The layers that are drawn, in their order; suspected ones always."""
    if len(of_model) <= LAYERS:
        return list(of_model)
    ranked = sorted(of_model, key=lambda layer: (layer.suspect is None, layer.sqnr_db is None, layer.sqnr_db or 0))
    kept = {id(layer) for layer in ranked[:LAYERS]}
    return [layer for layer in of_model if id(layer) in kept]


def gallery(
    one: Candidate,
    arrays: Mapping[str, np.ndarray],
    inputs: Inputs,
    stem: Path,
    said: Sequence[Sequence[str]] | None = None,
) -> int:
    """Difference-inducing inputs beside their seed inputs; how many are shown.

    Those that were shrunk come first, with what they need, then others, of different seed inputs as far as there are.

    Args:
        one: the model.
        arrays: content of its file of difference-inducing inputs.
        inputs: what the seed inputs are of; they say what is black and white.
        stem: path without suffix.
        said: lines on each disagreement, in place of labels.
    """
    chosen = _chosen(one, arrays)
    if not chosen:
        return 0
    needed = {row.dii: row for row in reversed(one.shrunk) if row.dii is not None}
    titles, names = one.titles, inputs.class_names
    with _drawn(stem, 9, 1.5 * len(chosen) + 0.4) as figure:
        grid = figure.subplots(len(chosen), 4, squeeze=False, width_ratios=(1, 1, 1, 2.4))
        for own, row in zip(grid, chosen, strict=True):
            seed, after = arrays["seed_inputs"][row], arrays["inputs"][row]
            gallery_rows.draw(own, seed, after, inputs.searched)
            labels = [
                f"input {arrays['seed'][row]}: {names[arrays['labels'][row]]}",
                f"original: {names[arrays['label_original'][row]]}",
                f"compressed: {names[arrays['label_compressed'][row]]}",
            ]
            lines = [
                *(labels if said is None else [f"input {arrays['seed'][row]}", *said[row]]),
                f"PSNR {arrays['psnr'][row]:.1f} dB, {titles.get(str(arrays['tool'][row]), arrays['tool'][row])}",
            ]
            lines += gallery_rows.carried_lines(arrays, row)
            if row in needed:
                lines += textwrap.wrap(f"needs {words(needed[row].smallest[0])}", 44)
            own[3].set_axis_off()
            own[3].text(0, 1, "\n".join(lines), transform=own[3].transAxes, va="top", fontsize=8)
        for axis, title in zip(grid[0], gallery_rows.titles(inputs.searched), strict=False):
            axis.set_title(title, fontsize=8)
    return len(chosen)


def _chosen(one: Candidate, arrays: Mapping[str, np.ndarray]) -> list[int]:
    """Rows of the gallery, natural ones first."""
    natural = {tool.tool for tool in one.tools if tool.kind == "natural"}
    shrunk = {row.dii for row in one.shrunk}
    order = stream("gallery", one.name).permutation(len(arrays["seed"])).tolist()
    order.sort(key=lambda row: (str(arrays["tool"][row]) not in natural, row not in shrunk))
    first: dict[int, int] = {}
    for row in order:
        first.setdefault(int(arrays["seed"][row]), row)
    of_noise = [row for row in first.values() if str(arrays["tool"][row]) not in natural]
    # A quarter for noise, where there is any, so that both kinds are seen.
    kept = [row for row in first.values() if row not in of_noise][: SHOWN - min(2, len(of_noise))]
    return kept + of_noise[: SHOWN - len(kept)]


def _short(name: str) -> str:
    """A long name, cut in the middle to leave room."""
    return name if len(name) <= 34 else f"{name[:16]}…{name[-16:]}"
