"""Sentences on the pairs by which checkers are compared."""

from collections import Counter
from collections.abc import Sequence

from quantrift.core.statistics.checker_figures import ALLOWED, Row, good, planted


def sentences(rows: Sequence[Row]) -> list[str]:
    """Numbers of networks, files, faults and good pairs; and how coarse thresholds are, where few good pairs set them.

    Args:
        rows: of all pairs, each with ``family``, ``network`` and ``format`` beside what figures are counted from.
    """
    networks = Counter(row["family"] for row in {row["network"]: row for row in rows}.values())
    families = ", ".join(f"{count} {family}" for family, count in networks.items())
    files = Counter(row["format"] for row in rows)
    not_good = sum(not planted(row) and not good(row) for row in rows)
    states = Counter(row["state"] for row in rows if planted(row))
    return [
        f"{len(rows)} pairs of {networks.total()} networks ({families}), "
        f"{' and '.join(f'{count} in .{kind}' for kind, count in files.items())}: "
        f"{sum(map(good, rows))} good ones, {sum(map(planted, rows))} with a planted fault. Held-out images show "
        f"{states['broken']} of these to be broken, {states['borderline']} undecided, {states['good']} harmless. "
        f"{not_good} files without a fault are not shown to be good and count nowhere.",
        *_warning(rows),
    ]


def _warning(rows: Sequence[Row]) -> list[str]:
    counts = Counter(row["network"] for row in rows if good(row))
    least = min((counts.total() - counts[network] for network in {row["network"] for row in rows}), default=0)
    if least * ALLOWED >= 1:
        return []
    if not least:
        return ["A network without good pairs of other networks has no thresholds. Ranks need none."]
    return [
        f"Thresholds rest on {least} good pairs of other networks, of which none may alarm, as one is more than "
        f"{ALLOWED:.0%}. So false alarms on the network itself differ between checkers: read shares caught "
        "together with them, and the ranks, which need no threshold."
    ]
