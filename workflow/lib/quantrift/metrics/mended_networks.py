"""Columns of networks in mixed precision: sizes, and disagreements on inputs as given and naturally changed."""

from quantrift.metrics.column import Column, Columns, with_interval

FILE = "mended.json"
"""Outcome of the mending of a compressed network of the workflow, in its folder."""
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
