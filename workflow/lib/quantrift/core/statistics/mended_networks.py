"""Columns of networks in mixed precision: sizes, and disagreements on inputs as given and naturally changed."""

from collections.abc import Collection

from quantrift.core.statistics.column import Column, Columns, with_interval

FILE = "mended.json"
"""Outcome of the mending of a compressed network of the workflow, in its folder."""
GIVEN, WHOLE, MENDED = "as given", "all in 8 bits", "mended"
"""Names of networks of a mending: the file that was given, the original quantized anew, and that with layers in float.
Others of equal size stand beside them."""
COUNTED: Columns = (
    Column("events", "Disagreements", "count", "Inputs, as given and naturally changed, with another label."),
    Column("cases", "Inputs", "count", "Inputs as given, and their valid natural changes."),
    *with_interval(
        Column(
            "rate",
            "Disagreement",
            "fraction",
            "Share of the inputs, given and changed, with another label, over given inputs.",
        )
    ),
)
SIZE: Columns = (
    Column("kept", "Not in 8 bits", "count", "Units in float, or in 16 bits where these were asked for."),
    Column("size", "Size", "bytes", "Of the file."),
    Column("int8_mac_share", "MACs in 8 bits", "fraction", "Share of the multiply-accumulates in 8 bits."),
)


def judged(networks: Collection[str], written: bool) -> str:
    """Name of the network that the verdict of a mending is on.

    Args:
        networks: names of those that were counted on fresh inputs.
        written: whether a file was written; otherwise there was nothing to mend, or nothing helped.
    """
    return next(name for name in (MENDED, WHOLE, GIVEN) if name in networks) if written else GIVEN
