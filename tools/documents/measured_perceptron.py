"""Numbers of the perceptron in few bits, for docs/reproduced.md and docs/errata.md, from one file beside them:
``python -m tools.documents.measured_perceptron``.
"""

from collections.abc import Mapping, Sequence
from textwrap import fill

from tools.documents.marked_section import Section

from quantrift.core.base.errors import QuantriftError
from quantrift.core.page.arrangement import records
from quantrift.core.statistics.published import read_published
from quantrift.study.planning.configuration_files import ROOT
from quantrift.study.results.tables.bit_rows import KEYS

MEASURED = ROOT / "docs" / "measured" / "heterogeneous_perceptron.csv"
"""Table of the target ``heterogeneous_perceptron``, as docs/measured/README.md says."""
PUBLISHED = ROOT / "workflow" / "published" / "thesis_accuracies.csv"
BEGIN = "<!-- make measured writes from here -->"
REPRODUCED = Section(ROOT / "docs" / "reproduced.md", BEGIN)
ERRATA = Section(ROOT / "docs" / "errata.md", BEGIN)
WIDTH = 120
ALONG_LOSS, ALONG_MARGIN = "fgsm", "fgsm_margin"
Row = Mapping[str, float]
Rows = Mapping[tuple[str, float, int], Row]
"""Attack, strength and bits of the weights -> accuracy and its standard deviation over networks, share of unmoved
inputs, networks (``repetitions``), and inputs of each."""
NUMBERS = ("accuracy", "accuracy_sd", "unmoved_share", "repetitions", "inputs")


def measured() -> Rows:
    """The rows of FGSM along both gradients; strength 0 is no attack."""
    return {
        (row["attack"], float(row["strength"]), int(row["setting"].removeprefix("homogeneous_"))): {
            name: float(row[name]) for name in NUMBERS
        }
        for row in records(MEASURED)
        if row["attack"] in (ALONG_LOSS, ALONG_MARGIN)
    }


def table(rows: Rows) -> str:
    """The table of docs/reproduced.md."""
    settings, strengths = _bits(rows), _strengths(rows)
    stated = read_published(PUBLISHED, KEYS)
    papers = [stated.get(("mnist", "mlp", "bits_homogeneous", f"homogeneous_{one}"), {}) for one in settings]
    clean = [rows[ALONG_LOSS, 0.0, one] for one in settings]
    at = " / ".join(f"{one:g}" for one in strengths)
    cells = {
        "bits": list(map(str, settings)),
        "accuracy %, here": [f"{_percent(one['accuracy'])} ± {_percent(one['accuracy_sd'])}" for one in clean],
        "published in Table 5.1": [_percent(one["accuracy"]) if "accuracy" in one else "" for one in papers],
        f"under FGSM of {at}, here": [" / ".join(_under(rows, ALONG_LOSS, one)) for one in settings],
        f"along the margin of the logits, {at}": [" / ".join(_under(rows, ALONG_MARGIN, one)) for one in settings],
    }
    head, *body = (f"| {label} | {' | '.join(values)} |" for label, values in cells.items())
    return "\n".join([head, "|---" * (len(settings) + 1) + "|", *body])


def entry(rows: Rows) -> str:
    """The entry of docs/errata.md.

    Raises:
        QuantriftError: the numbers do not say what the entry says.
    """
    settings, strengths = _bits(rows), _strengths(rows)
    of_one = [rows[ALONG_LOSS, one, 1] for one in strengths]
    unmoved = {round(one["unmoved_share"] * one["inputs"]) for one in of_one}
    under_loss = {*_under(rows, ALONG_LOSS, 1)}
    by_loss, by_margin = (
        [[rows[attack, strength, bits]["accuracy"] for bits in settings] for strength in strengths]
        for attack in (ALONG_LOSS, ALONG_MARGIN)
    )
    most = all(one[0] > max(one[1:]) for one in by_loss)
    least = all(one[0] < min(one[1:]) for one in by_margin)
    if not (most and least and len(unmoved) == len(under_loss) == 1):
        raise QuantriftError(f"{MEASURED}: the numbers no longer say what the entry in {ERRATA.page} says; rewrite it")
    last = settings[-1]
    [samples], [accuracy] = unmoved, under_loss
    words = (
        f"**The 1-bit perceptron under FGSM, Figure 4.19.** On MNIST it is the most robust here too: {accuracy} % at "
        f"every strength, of {_percent(rows[ALONG_LOSS, 0.0, 1]['accuracy'])} % without attack, beside "
        f"{_listed(_under(rows, ALONG_LOSS, last))} % of the perceptron of {last} bits at strengths "
        f"{_listed([f'{one:g}' for one in strengths])}. But {samples} of {of_one[0]['inputs']:,.0f} samples, mean of "
        f"{of_one[0]['repetitions']:.0f} networks, equal their inputs: the softmax of its logits saturates, the "
        "gradient of the cross-entropy is 0 in floats, and FGSM (and PGD) do nothing. The same step along the margin "
        f"of the logits leaves it {_listed(_under(rows, ALONG_MARGIN, 1))} %, less than any network of more bits "
        f"here ({_listed(_under(rows, ALONG_MARGIN, last))} % with {last} bits). The defence is a vanished "
        "gradient ([measured](measured/README.md), sample scale)."
    )
    return fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)


def _bits(rows: Rows) -> list[int]:
    return sorted({bits for _, _, bits in rows})


def _strengths(rows: Rows) -> list[float]:
    """Without 0, which is no attack."""
    return sorted({strength for _, strength, _ in rows if strength > 0})


def _under(rows: Rows, attack: str, bits: int) -> list[str]:
    """Accuracies by strength, in percent."""
    return [_percent(rows[attack, one, bits]["accuracy"]) for one in _strengths(rows)]


def _listed(values: Sequence[str]) -> str:
    return f"{', '.join(values[:-1])} and {values[-1]}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


if __name__ == "__main__":
    found = measured()
    REPRODUCED.write(table(found))
    ERRATA.write(entry(found))
