"""Vectors of several fitness functions in the plane, by t-SNE and by principal components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits

from quantrift.core.base.errors import refuse
from quantrift.core.base.progress_bar import bar
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import COLOURS
from quantrift.core.statistics.vector_samples import Draw, draws
from quantrift.study.results.figures.finished_figure import finished, lines
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.over_vectors import compared
from quantrift.study.results.targets.results import Results, asks
from quantrift.study.results.targets.target import VectorTarget

MARKS: tuple[Mapping[str, Any], ...] = tuple(
    {"marker": mark, "color": COLOURS[place]} for mark, place in zip("o^sDv", (0, 5, 2, 3, 1), strict=True)
)
"""Marker and colour of each fitness function."""


class Settings(VectorTarget):
    """The vectors of all fitness functions in the plane, by t-SNE and by principal components."""

    form: Literal["scaled", "raw"] = "scaled"
    """``raw``: genes as they are, as published. ``scaled``: see ``quantrift.core.statistics.vector_samples``."""
    vectors: Annotated[int, Field(ge=2)] = 1000
    """Vectors of each fitness function; fewer where fewer are stored, which the figure states."""
    perplexity: Annotated[float, Field(gt=0)] = 30
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the embedding."""


needs = asks(records=Results.records)


def make(settings: Settings, given: Given) -> mpl.Figure:
    """Two panels of each subject and metaheuristic, of the same vectors.

    Left is the t-SNE, one embedding of all fitness functions together, right the first two principal components of all.
    Points are drawn as one image, in random order, so that none hides the others' and the file stays small.

    Raises:
        QuantriftError: there is nothing to draw, or records are damaged or do not belong together.
    """
    wanted = compared(settings, given.files["records"])
    refuse((not wanted, "its experiments lack its tools; name others in `from`"))
    names = list(dict.fromkeys(name for _, _, tools in wanted for name in tools))
    refuse((len(names) > len(MARKS), f"{len(names)} fitness functions are too many; name fewer"))
    looks = dict(zip(names, MARKS, strict=False))
    with mpl.rc_context({"axes.grid": False}):
        figure = mpl.Figure(figsize=(7.4, 3.5 * len(wanted) + 0.9), layout="constrained")
        axes = figure.subplots(len(wanted), 2, squeeze=False)
        for (left, right), ((dataset, *network), metaheuristic, tools) in zip(
            axes, bar(wanted, desc=settings.title), strict=True
        ):
            [draw] = draws(tools, settings.form, settings.vectors, 1, ["figure", dataset, *network, metaheuristic])
            left.set_title(f"{given.named(dataset)}\n{given.named(*network, metaheuristic)}: t-SNE")
            size = f"{len(draw.run_seeds):,} vectors a fitness function"
            right.set_title(f"{size},\n{len(np.unique(draw.run_seeds))} run seeds: PCA")
            # Sums of several threads would depend on how many there are.
            with threadpool_limits(1):
                _panels(left, right, draw, settings, looks)
        return finished(
            figure,
            settings,
            given,
            f"{settings.form} genes; perplexity {settings.perplexity:g}, seed {settings.seed}",
            handles=lines(*((name, {**look, "linestyle": "none"}) for name, look in looks.items())),
        )


def _panels(
    left: mpl.Axes, right: mpl.Axes, draw: Draw, settings: Settings, looks: Mapping[str, Mapping[str, Any]]
) -> None:
    """Both embeddings of one subject and metaheuristic."""
    for axes in (left, right):
        axes.set(xticks=[], yticks=[])
    vectors = np.concatenate(list(draw.vectors.values())).astype(np.float64)
    owner = np.repeat(list(draw.vectors), len(draw.run_seeds))
    # t-SNE needs more points than its perplexity, which is lowered where there are fewer.
    if len(vectors) < 4 or not np.ptp(vectors, axis=0).any():
        for axes in (left, right):
            axes.text(0.5, 0.5, "too few vectors", transform=axes.transAxes, ha="center")
        return
    # They take seconds to load, and every job imports this module for its settings.
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    # t-SNE starts from so many where there are more genes (van der Maaten and Hinton 2008, §4.2).
    pca = PCA(n_components=min(50, *vectors.shape), svd_solver="full")
    reduced = pca.fit_transform(vectors)
    shares = pca.explained_variance_ratio_
    right.set(
        xlabel=f"first component, {100 * shares[0]:.1f} % of the variance",
        ylabel=f"second component, {100 * shares[1]:.1f} %",
    )
    # A perplexity must lie below the number of points.
    perplexity = min(settings.perplexity, (len(vectors) - 1) / 3)
    if perplexity < settings.perplexity:
        left.set_xlabel(f"perplexity {perplexity:g}: few vectors")
    tsne = TSNE(perplexity=perplexity, init="pca", random_state=settings.seed, n_jobs=1)
    order = np.random.default_rng(settings.seed).permutation(len(vectors))
    for axes, points in ((left, tsne.fit_transform(reduced)), (right, reduced[:, :2])):
        for part in np.array_split(order, 20):
            for name, look in looks.items():
                x, y = points[part[owner[part] == name]].T
                axes.scatter(x, y, s=5, alpha=0.6, linewidths=0, rasterized=True, **look)
