"""Names for people of what the configuration knows by id only."""

NAMES = {
    "hybridsn": "HybridSN",
    "lenet5": "LeNet-5",
    "ssrn": "SSRN",
    "ptq_int8": "8-bit, after training",
    "qat_int8": "8-bit, in training",
    "diverget": "DiverGet, mean of its tools",
    "pavia_university": "Pavia University",
    "salinas": "Salinas",
}
"""Id -> name, also of networks and compressions that only published rows mention."""
