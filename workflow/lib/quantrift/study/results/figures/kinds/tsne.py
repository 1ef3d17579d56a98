"""Vectors of several fitness functions in the plane, by t-SNE and by principal components."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page import drawing as mpl
from quantrift.core.page.style import COLOURS
from quantrift.core.statistics.search_files import by_tool
from quantrift.core.statistics.vector_samples import Draw, draws
from quantrift.study.results.targets.given_files import Given
from quantrift.study.results.targets.results import Files, Results
from quantrift.study.results.targets.target import VectorTarget

FIRST_COMPONENTS = 50
"""Principal components that t-SNE starts from where there are more genes (van der Maaten and Hinton 2008, §4.2)."""
MARKS = tuple(zip("o^sDv", (COLOURS[place] for place in (0, 5, 2, 3, 1)), strict=True))
"""Marker and colour of each fitness function."""
ENOUGH = 4
"""Least number of vectors of a panel; t-SNE needs more than its perplexity, which is lowered where there are fewer."""


class Settings(VectorTarget):
    """The vectors of all fitness functions in the plane, by t-SNE and by principal components."""

    kind: Literal["tsne"]
    form: Literal["scaled", "raw"] = "scaled"
    """``raw``: genes as they are, as published. ``scaled``: see ``quantrift.core.statistics.vector_samples``."""
    vectors: Annotated[int, Field(ge=2)] = 1000
    """Vectors of each fitness function; fewer where fewer are stored, which the figure states."""
    perplexity: Annotated[float, Field(gt=0)] = 30
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the embedding."""


def needs(settings: Settings, results: Results) -> Mapping[str, Files]:
    """Records of all searches."""
    return {"records": results.records(settings)}


def make(settings: Settings, given: Given) -> mpl.Figure:
    """Two panels of each subject and metaheuristic, of the same vectors.

    Left is the t-SNE, one embedding of all fitness functions together, right the first two principal components of all.
    Points are drawn as one image, in random order, so that none hides the others' and the file stays small.

    Raises:
        QuantriftError: there is nothing to draw, or records are damaged or do not belong together.
    """
    found = by_tool(given.files["records"])
    wanted = [
        (subject, metaheuristic, {name: found[*subject, tool] for name, tool in fitness.items()})
        for subject in dict.fromkeys(key[:3] for key in found)
        for metaheuristic, fitness in settings.metaheuristics.items()
        if all((*subject, tool) in found for tool in fitness.values())
    ]
    if not wanted:
        raise QuantriftError("its experiments lack its tools; name others in `from`")
    names = list(dict.fromkeys(name for _, _, tools in wanted for name in tools))
    if len(names) > len(MARKS):
        raise QuantriftError(f"{len(names)} fitness functions are too many; name fewer")
    looks = dict(zip(names, MARKS, strict=False))
    pause = 0.5 if sys.stderr.isatty() else 15
    with mpl.rc_context({"axes.grid": False}):
        figure = mpl.Figure(figsize=(7.4, 3.5 * len(wanted) + 0.9), layout="constrained")
        axes = figure.subplots(len(wanted), 2, squeeze=False)
        for (left, right), (subject, metaheuristic, tools) in zip(
            axes, tqdm(wanted, desc=settings.title, mininterval=pause), strict=True
        ):
            dataset, model, compression = subject
            [draw] = draws(tools, settings.form, settings.vectors, 1, ["figure", *subject, metaheuristic])
            n = len(draw.run_seeds)
            left.set_title(f"{given.named(dataset)}\n{given.named(model, compression, metaheuristic)}: t-SNE")
            right.set_title(f"{n:,} vectors a fitness function,\n{len(np.unique(draw.run_seeds))} run seeds: PCA")
            # Sums of several threads would depend on how many there are.
            with threadpool_limits(1):
                _panels(left, right, draw, settings, looks)
        handles = [
            mpl.Line2D([], [], label=name, marker=mark, color=colour, linestyle="none")
            for name, (mark, colour) in looks.items()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
        figure.suptitle(
            f"{settings.title}\n{settings.form} genes; perplexity {settings.perplexity:g}, seed {settings.seed}; "
            f"scale: {given.scale}",
            fontsize=10,
        )
    return figure


def _panels(left: mpl.Axes, right: mpl.Axes, draw: Draw, settings: Settings, looks: dict[str, tuple[str, str]]) -> None:
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
    # It takes seconds to load, and every job imports this module for its settings.
    from sklearn.decomposition import PCA

    pca = PCA(n_components=components, svd_solver="full")
    reduced = pca.fit_transform(vectors)
    shares = pca.explained_variance_ratio_
    right.set_xlabel(f"first component, {100 * shares[0]:.1f} % of the variance")
    right.set_ylabel(f"second component, {100 * shares[1]:.1f} %")
    # A perplexity must lie below the number of points.
    perplexity = min(settings.perplexity, (len(vectors) - 1) / 3)
    if perplexity < settings.perplexity:
        left.set_xlabel(f"perplexity {perplexity:g}: few vectors")
    from sklearn.manifold import TSNE

    tsne = TSNE(perplexity=perplexity, init="pca", random_state=settings.seed, n_jobs=1)
    order = np.random.default_rng(settings.seed).permutation(len(vectors))
    for axes, points in ((left, tsne.fit_transform(reduced)), (right, reduced[:, :2])):
        for part in np.array_split(order, 20):
            for name, (mark, colour) in looks.items():
                own = part[owner[part] == name]
                x, y = points[own].T
                axes.scatter(x, y, s=5, marker=mark, color=colour, alpha=0.6, linewidths=0, rasterized=True)
