"""Kind ``tsne``: vectors of several fitness functions in the plane, by t-SNE and by principal components."""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from quantrift.config.errors import QuantriftError
from quantrift.config.targets import TsneFigure
from quantrift.figures.style import COLOURS, STYLE, save
from quantrift.metrics.given import Given
from quantrift.metrics.searched import blocks
from quantrift.metrics.vectors import Draw, draws

FIRST_COMPONENTS = 50
"""Principal components that t-SNE starts from where there are more genes (van der Maaten and Hinton 2008, §4.2)."""
MARKS = tuple(zip("o^sDv", (COLOURS[place] for place in (0, 5, 2, 3, 1)), strict=True))
"""Marker and colour of each fitness function."""
ENOUGH = 4
"""Vectors that a panel needs; t-SNE wants more than its perplexity, which is lowered where there are fewer."""


def make(target: TsneFigure, given: Given, out_stem: Path) -> None:
    """Write ``<stem>.svg`` and ``<stem>.png``.

    Two panels of each subject and metaheuristic: left the t-SNE, one embedding of all fitness functions together,
    right the first two principal components of the same vectors. Points are drawn as one image, in random order, so
    that none hides the others' and the file stays small.

    Args:
        target: which vectors, and the settings of the embedding.
        given: candidates tables, <dataset>/<network>/<compression>/<tool>/<protocol>/<block>.
        out_stem: path without suffix.

    Raises:
        QuantriftError: there is nothing to draw, or records are damaged or do not belong together.
    """
    found = blocks(given.files)
    wanted = [
        (subject, metaheuristic, {name: found[*subject, tool] for name, tool in fitness.items()})
        for subject in dict.fromkeys(key[:3] for key in found)
        for metaheuristic, fitness in target.metaheuristics.items()
        if all((*subject, tool) in found for tool in fitness.values())
    ]
    if not wanted:
        raise QuantriftError(f"figure {out_stem.name}: its experiments lack its tools; name others in `from`")
    names = list(dict.fromkeys(name for _, _, tools in wanted for name in tools))
    if len(names) > len(MARKS):
        raise QuantriftError(f"figure {out_stem.name}: {len(names)} fitness functions are too many; name fewer")
    looks = dict(zip(names, MARKS, strict=False))
    pause = 0.5 if sys.stderr.isatty() else 15
    with mpl.rc_context({**STYLE, "axes.grid": False}):
        figure = Figure(figsize=(7.4, 3.5 * len(wanted) + 0.9), layout="constrained")
        axes = figure.subplots(len(wanted), 2, squeeze=False)
        for (left, right), (subject, metaheuristic, tools) in zip(
            axes, tqdm(wanted, desc=out_stem.name, mininterval=pause), strict=True
        ):
            dataset, model, compression = subject
            [draw] = draws(tools, target.form, target.vectors, 1, ["figure", *subject, metaheuristic])
            n = len(draw.run_seeds)
            left.set_title(f"{given.datasets[dataset].title}\n{model}, {compression}, {metaheuristic}: t-SNE")
            right.set_title(f"{n:,} vectors a fitness function,\n{len(np.unique(draw.run_seeds))} run seeds: PCA")
            # Sums of several threads would depend on how many there are.
            with threadpool_limits(1):
                _panels(left, right, draw, target, looks)
        handles = [
            Line2D([], [], label=name, marker=mark, color=colour, linestyle="none")
            for name, (mark, colour) in looks.items()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
        figure.suptitle(
            f"{target.title}\n{target.form} genes; perplexity {target.perplexity:g}, seed {target.seed}; "
            f"scale: {given.scale}",
            fontsize=10,
        )
        save(figure, out_stem)


def _panels(left: Axes, right: Axes, draw: Draw, target: TsneFigure, looks: dict[str, tuple[str, str]]) -> None:
    """Both embeddings of one subject and metaheuristic."""
    for axes in (left, right):
        axes.set_xticks([])
        axes.set_yticks([])
    vectors = np.concatenate(list(draw.vectors.values())).astype(np.float64)
    owner = np.repeat(list(draw.vectors), len(draw.run_seeds))
    if len(vectors) < ENOUGH or not np.ptp(vectors, axis=0).any():
        for axes in (left, right):
            axes.text(0.5, 0.5, "too few vectors", transform=axes.transAxes, ha="center")
        return
    components = min(FIRST_COMPONENTS, *vectors.shape)
    pca = PCA(n_components=components, svd_solver="full")
    reduced = pca.fit_transform(vectors)
    shares = pca.explained_variance_ratio_
    right.set_xlabel(f"first component, {100 * shares[0]:.1f} % of the variance")
    right.set_ylabel(f"second component, {100 * shares[1]:.1f} %")
    # A perplexity must lie below the number of points.
    perplexity = min(target.perplexity, (len(vectors) - 1) / 3)
    if perplexity < target.perplexity:
        left.set_xlabel(f"perplexity {perplexity:g}: few vectors")
    tsne = TSNE(perplexity=perplexity, init="pca", random_state=target.seed, n_jobs=1)
    order = np.random.default_rng(target.seed).permutation(len(vectors))
    for axes, points in ((left, tsne.fit_transform(reduced)), (right, reduced[:, :2])):
        for part in np.array_split(order, 20):
            for name, (mark, colour) in looks.items():
                own = part[owner[part] == name]
                x, y = points[own].T
                axes.scatter(x, y, s=5, marker=mark, color=colour, alpha=0.6, linewidths=0, rasterized=True)
