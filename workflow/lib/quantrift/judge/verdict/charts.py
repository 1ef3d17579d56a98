"""Figures of an assessment's report; rows of its gallery are drawn as what the inputs are."""

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

from quantrift.core.base.inputs import CARRIED, Inputs, MeasuredStack
from quantrift.core.base.streams import stream
from quantrift.core.page.false_colour import channels, picture, side_by_side
from quantrift.core.page.style import COLOURS, INK, STYLE, save
from quantrift.judge.verdict.assessment import QUANTILES, Assessment, Candidate, Layer
from quantrift.judge.verdict.page_tables import margins as quantiles
from quantrift.judge.verdict.page_tables import words
from quantrift.judge.verdict.tool_result import Rate

KINDS = {"natural": COLOURS[0], "noise": COLOURS[1]}
LAYERS = 40
"""Most layers in a figure; of more, those furthest from the original's."""
SHOWN = 6
"""Rows of a gallery."""
LABELS = "labels", "label_original", "label_compressed"
"""Arrays of the true class of an input and of what both networks say."""
LINES = 6
"""Most channels of a signal that are drawn as lines; more are a spectrogram."""
FEATURES = 8
"""Most changed features that are listed."""
VALUES = 4
"""Most values of a carried input that are listed."""
WIDEST = 16
"""Characters of the name of a feature."""


@contextmanager
def drawn(stem: Path, height: float, forms: Sequence[str] = (".svg",)) -> Iterator[Figure]:
    """A figure of a report, written when the block ends."""
    # Names of files, classes and layers are text, whatever characters they have.
    with mpl.rc_context({**STYLE, "text.parse_math": False}):
        figure = Figure(figsize=(9, height), layout="constrained")
        yield figure
        save(figure, stem, forms)


def rates(found: Assessment, stem: Path) -> None:
    """DiR and SR of each tool with their intervals, a row of panels for each model, limits as dashed lines."""
    height = (0.42 * max(len(one.tools) for one in found.candidates) + 0.75) * len(found.candidates) + 0.3
    panels: Sequence[tuple[str, Callable[[Any], Rate], float | None]] = (
        ("DiR of valid changes", lambda tool: tool.dir_valid, found.limits.max_dir),
        ("SR", lambda tool: tool.sr, found.limits.max_sr),
    )
    with drawn(stem, height) as figure:
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
        figure.legend(
            handles=[Patch(color=colour, label=kind) for kind, colour in KINDS.items()],
            loc="outside lower center",
            ncols=2,
        )


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
        for row in quantiles(found)[1]
    ]
    with drawn(stem, 0.42 * len(boxes) + 0.8) as figure:
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
    with drawn(stem, 0.36 * len(shown) + 1.0) as figure:
        axis = figure.subplots()
        for place, (name, (of, colour)) in enumerate(sides.items()):
            values = [of(layer) for layer in shown]
            at = np.arange(len(shown)) + 0.4 * place - 0.2
            axis.barh(at, [value or 0 for value in values], height=0.38, color=colour, label=name)
            for y, value in zip(at, values, strict=True):
                axis.annotate(
                    "" if value is None else f"{value:.1f}",
                    (value or 0, y),
                    xytext=(3, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=7,
                )
        axis.set_yticks(
            range(len(shown)), [f"{_short(layer.layer)}{' (suspected)' if layer.suspect else ''}" for layer in shown]
        )
        for label, layer in zip(axis.get_yticklabels(), shown, strict=True):
            label.set(color=COLOURS[5] if layer.suspect else INK, fontweight="bold" if layer.suspect else "normal")
        axis.invert_yaxis()
        axis.set_xlabel("signal-to-quantization-noise ratio, dB; shorter is further from the original")
        _upright(axis)
        figure.legend(loc="outside lower center", ncols=2)


def drawn_layers(of_model: Sequence[Layer]) -> list[Layer]:
    """The layers that are drawn, in their order; suspected ones always."""
    ranked = sorted(
        range(len(of_model)),
        key=lambda place: (
            of_model[place].suspect is None,
            of_model[place].sqnr_db is None,
            of_model[place].sqnr_db or 0,
        ),
    )
    return [of_model[place] for place in sorted(ranked[:LAYERS])]


def gallery(
    one: Candidate,
    arrays: Mapping[str, np.ndarray],
    inputs: Inputs,
    stem: Path,
    said: Sequence[Sequence[str]] | None = None,
    most: int = SHOWN,
) -> None:
    """Difference-inducing inputs beside their seed inputs; nothing where there are none.

    Those that were shrunk come first, with what they need, then others, of different seed inputs as far as there are.

    Args:
        one: the model.
        arrays: content of its file of difference-inducing inputs.
        inputs: what the seed inputs are of; they say what is black and white.
        stem: path without suffix.
        said: lines on each disagreement, in place of labels.
        most: disagreements to draw.
    """
    if not (chosen := _chosen(one, arrays)[:most]):
        return
    needed, names = {row.dii: row for row in reversed(one.shrunk) if row.dii is not None}, inputs.class_names
    with drawn(stem, 1.5 * len(chosen) + 0.6) as figure:
        grid = figure.subplots(len(chosen), 4, squeeze=False, width_ratios=(1, 1, 1, 2.4))
        for own, row in zip(grid, chosen, strict=True):
            draw_row(own, arrays["seed_inputs"][row], arrays["inputs"][row], inputs.searched)
            true, first, second = (names[arrays[name][row]] for name in LABELS)
            labels = [f"input {arrays['seed'][row]}: {true}", f"original: {first}", f"compressed: {second}"]
            tool = str(arrays["tool"][row])
            lines = [
                *(labels if said is None else (f"input {arrays['seed'][row]}", *said[row])),
                f"PSNR {arrays['psnr'][row]:.1f} dB, {one.titles.get(tool, tool)}",
                *carried_lines(arrays, row),
                *(textwrap.wrap(f"needs {words(needed[row].smallest[0])}", 44) if row in needed else ()),
            ]
            own[3].set_axis_off()
            own[3].text(0, 1, "\n".join(lines), transform=own[3].transAxes, va="top", fontsize=8)
        is_table = isinstance(inputs.searched, MeasuredStack) and inputs.searched.kind == "table"
        titles = ("changed features",) if is_table else ("seed input", "found", "difference")
        for axis, title in zip(grid[0], titles, strict=False):
            axis.set_title(title, fontsize=8)


def _chosen(one: Candidate, arrays: Mapping[str, np.ndarray]) -> list[int]:
    """Rows of the gallery: natural ones first, then those that were shrunk, then those that the original gets right."""
    natural = {tool.tool for tool in one.tools if tool.kind == "natural"}
    shrunk = {row.dii for row in one.shrunk}
    order = stream("gallery", one.name).permutation(len(arrays["seed"])).tolist()
    order.sort(
        key=lambda row: (
            str(arrays["tool"][row]) not in natural,
            row not in shrunk,
            arrays["label_original"][row] != arrays["labels"][row],
        )
    )
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


def draw_row(axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray, inputs: Inputs) -> None:
    """Fill the first three axes of a row: a seed input, float32 (H, W, C), what was found and where they differ."""
    if not isinstance(inputs, MeasuredStack):
        side_by_side(axes, seed, after, channels(seed.shape[2], None, ""), inputs)
    elif inputs.kind == "table":
        _features(axes, seed[0, 0], after[0, 0], inputs)
    elif seed.shape[2] <= LINES:
        _lines(axes, seed[0], after[0])
    else:
        _spectrogram(axes, seed[0], after[0])


def carried_lines(arrays: Mapping[str, np.ndarray], row: int) -> list[str]:
    """Lines on the values that were carried along with an input, of networks with several inputs.

    Args:
        arrays: content of the file of difference-inducing inputs.
        row: of the input there.
    """
    carried = {
        name.removeprefix(CARRIED): values[row].ravel() for name, values in arrays.items() if name.startswith(CARRIED)
    }
    return [
        f"{name}: {', '.join(f'{one:.4g}' for one in own[:VALUES])}"
        + (f" and {own.size - VALUES} more" if own.size > VALUES else "")
        for name, own in carried.items()
    ]


def _lines(axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray) -> None:
    """Signals (T, C) as a line for each channel, both between the same ends; their difference has ends of its own."""
    ends = min(seed.min(), after.min()), max(seed.max(), after.max())
    room = 0.05 * (ends[1] - ends[0]) or 1.0
    for axis, signal in zip(axes, (seed, after, after - seed), strict=False):
        for channel, values in enumerate(signal.T):
            axis.plot(values, color=COLOURS[channel % len(COLOURS)], linewidth=0.7)
        axis.tick_params(labelsize=6)
    for axis in axes[:2]:
        axis.set_ylim(ends[0] - room, ends[1] + room)


def _spectrogram(axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray) -> None:
    """Signals (T, C) of many channels as a map, time to the right and channels upwards."""
    low, high = min(seed.min(), after.min()), max(seed.max(), after.max())
    difference = np.abs(after - seed)
    for axis, values, ends, colours in (
        (axes[0], seed, (low, high), "viridis"),
        (axes[1], after, (low, high), "viridis"),
        (axes[2], difference, (0.0, difference.max() or 1.0), "magma"),
    ):
        picture(axis, values.T, colours, ends, origin="lower", aspect="auto")
    axes[2].set_xlabel(f"at most {difference.max():.3g}", fontsize=7)


def _features(axes: Sequence[Axes], seed: np.ndarray, after: np.ndarray, inputs: MeasuredStack) -> None:
    """Rows of a table (F,) as a list of the features that changed, those that changed most for their range first."""
    for axis in axes[:3]:
        axis.set_axis_off()
    low, high = np.array(inputs.channel_ranges).T
    share = np.abs(after - seed) / np.where(high > low, high - low, 1)
    shown = [place for place in np.argsort(-share, kind="stable").tolist() if share[place] > 0]
    names = inputs.names or [f"feature {place}" for place in range(len(seed))]
    short = [name if len(name) <= WIDEST else f"{name[: WIDEST - 1]}…" for name in names]
    lines = [
        f"{short[place]:<{WIDEST}} {seed[place]:>10.4g} → {after[place]:<10.4g} {100 * share[place]:.1f} % of its range"
        for place in shown[:FEATURES]
    ]
    if len(shown) > FEATURES:
        lines.append(f"and {len(shown) - FEATURES} more")
    axes[0].text(
        0,
        1,
        "\n".join(lines) or "nothing changed",
        transform=axes[0].transAxes,
        va="top",
        fontsize=7,
        family="monospace",
    )
