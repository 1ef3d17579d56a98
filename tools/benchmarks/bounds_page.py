"""The section of docs/certifying.md on proofs over radius, and docs/measured/bounds.json, from results/bench.

``python -m tools.benchmarks.bounds_page``, in a checkout in which ``python -m tools.bench bounds bounds_mlp
bounds_lenet1 bounds_lenet5`` or some of them have run.
"""

from collections.abc import Mapping
from pathlib import Path

from tools.benchmarks.measured_rows import result
from tools.documents.marked_section import Section

from quantrift.core.base.files import read_json, write_json

PAGE = Path("docs") / "certifying.md"
KEPT = Path("docs") / "measured" / "bounds.json"
BEGIN = "<!-- python -m tools.bench bounds writes from here -->"
NETWORKS = {
    "bounds": "example pair",
    "bounds_mlp": "MLP on MNIST",
    "bounds_lenet1": "LeNet-1 on MNIST",
    "bounds_lenet5": "LeNet-5 on MNIST",
}
"""Benchmark -> network, as the page names it."""


def text(details: Mapping[str, Mapping[str, float]]) -> str:
    """A table with a row for each network and radius, and the networks that nobody has run.

    Args:
        details: benchmark -> its details, by name, with those of each radius as ``linf_RADIUS_FIGURE``; of those that
            have run, at least one.
    """
    lines = [
        "| network | radius | proven | counterexample by bounds | refuted by search | neither | CPU s an input, bounds "
        "| CPU s an input, search |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, own in details.items():
        for radius in sorted(int(key.split("_")[1]) for key in own if key.endswith("_proven")):
            shares = [
                f"{own[f'linf_{radius}_{one}']:.0%}"
                for one in ("proven", "counterexample", "refuted_by_search", "open")
            ]
            seconds = [f"{own[f'linf_{radius}_{one}']:.2f}" for one in ("seconds", "search_seconds")]
            lines.append(f"| {NETWORKS[name]} | {radius}/255 | {' | '.join([*shares, *seconds])} |")
    tried = sum(own["points"] for own in details.values())
    lines += ["", f"Of {tried:,.0f} images of proven boxes, half of them corners, none has another label."]
    if lacking := [title for name, title in NETWORKS.items() if name not in details]:
        lines += ["", f"Not run yet: {', '.join(lacking)}."]
    return "\n".join(lines)


def measured(root: Path) -> dict[str, Mapping[str, float]]:
    """Details of each benchmark that has run, in the checkout ``root`` or before; the newer ones replace those kept.

    Raises:
        QuantriftError: if none has.
    """
    kept: dict[str, Mapping[str, float]] = read_json(root / KEPT) if (root / KEPT).is_file() else {}
    ran = [name for name in NETWORKS if (root / "results" / "bench" / f"{name}.json").is_file()]
    found = kept | {name: result(root, name)["details"] for name in ran or ([] if kept else NETWORKS)}
    return {name: found[name] for name in NETWORKS if name in found}


if __name__ == "__main__":
    every = measured(Path.cwd())
    write_json(KEPT, every)
    Section(PAGE, BEGIN).write(text(every))
