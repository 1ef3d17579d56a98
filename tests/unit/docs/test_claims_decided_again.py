"""The kept claims, decided again with numpy alone: files are read, nothing of Quantrift is imported."""

import csv
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

ROOT = Path(__file__).parents[3]
TABLES = ROOT / "results" / "kept" / "tables"
Rows = list[dict[str, str]]


def rows_of(name: str) -> Rows:
    path = TABLES / f"{name}.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def settings(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text(encoding="utf-8")))


CLAIMS = settings("claims")["targets"]["claims"]["claims"]
KEPT = {row["claim"]: row for row in rows_of("claims")}
OVERLAYS = {"sample": [settings("experiments"), settings("sample")]}
OVERLAYS["thorough"] = [*OVERLAYS["sample"], settings("thorough")]


def holm(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p)
    steps = np.minimum(1, p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def wilson(hits: float, count: float) -> tuple[float, float]:
    z = 1.959963984540054
    middle, reach = hits + z * z / 2, z * np.sqrt(hits * (count - hits) / count + z * z / 4)
    return (middle - reach) / (count + z * z), (middle + reach) / (count + z * z)


def values(each: Any) -> Iterator[dict[str, Any]]:
    """Rows of a template: ``each`` is a list of rows, or a list of values for each placeholder."""
    if isinstance(each, dict):
        yield from (dict(zip(each, one, strict=True)) for one in zip(*each.values(), strict=True))
    else:
        yield from each


def entries(section: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, entry in section.items():
        for row in values(entry["each"]) if "each" in entry else [{}]:
            name = key.format(**row)
            yield name, {**entry, **{one: value for one, value in row.items() if f"{{{one}}}" not in key}}


def stated(place: str, scale: str) -> Any:
    """A setting of the run at a scale, by its place."""
    section, name, *rest = place.split(".")
    found: Any = None
    for overlay in OVERLAYS[scale]:
        for own, entry in entries(overlay.get(section, {})):
            if own == name:
                inside: Any = entry
                if section == "bit_studies":
                    dataset, model, *keys = rest
                    inside = {
                        "width": 1,
                        "inputs": 60000,
                        **entry,
                        **entry.get("per_network", {}).get(dataset, {}).get(model, {}),
                    }
                else:
                    keys = rest
                for key in keys:
                    inside = inside.get(key) if isinstance(inside, dict) else None
                found = inside if inside is not None else found
    return found


def too_small(claim: dict[str, Any], scale: str) -> bool:
    found = {place: stated(place, scale) for place in claim.get("full", {})}
    return any(one != "all" and float(one) < float(claim["full"][place]) for place, one in found.items())


def chosen(claim: dict[str, Any]) -> Rows:
    table = claim["target"] + (f".{claim['detail']}" if "detail" in claim else "")

    def fits(row: dict[str, str], column: str, wanted: Any) -> bool:
        cell = row.get(column, "")
        return bool(cell) if wanted == "any" else cell in (wanted if isinstance(wanted, list) else [wanted])

    return [row for row in rows_of(table) if all(fits(row, *one) for one in claim["rows"].items())]


def decide(claim: dict[str, Any], row: dict[str, str]) -> str | None:
    """Holds, fails or undecided; None for a row that has no value."""
    rule = claim["rule"]
    if rule["kind"] == "verdict":
        word = row[rule.get("column", "verdict")]
        known = {rule.get("holds", "holds"): "holds", rule.get("fails", "fails"): "fails"}
        return known.get(word, "undecided") if word else None
    column = rule["column"]
    if rule["kind"] == "test":
        if not (row[column] and row[rule["p"]]):
            return None
        if float(row[rule["p"]]) >= 0.05:
            return "undecided"
        value = float(row[column]) - (float(row[rule["minus"]]) if "minus" in rule else 0)
        return "holds" if (value > rule["above"] if "above" in rule else value < rule["below"]) else "fails"
    if not row[column]:
        return None
    low, high = row.get(f"{column}_low", ""), row.get(f"{column}_high", "")
    if not (low and high):
        return "undecided"
    ends = np.array([float(low), float(high)])
    least, most = rule.get("at_least", -np.inf), rule.get("at_most", np.inf)
    if least <= ends[0] and ends[1] <= most:
        return "holds"
    return "fails" if ends[1] < least or ends[0] > most else "undecided"


def outcome(counts: np.ndarray) -> str:
    holds, fails, _ = counts
    if not counts.sum():
        return "missing"
    if (holds > 0) == (fails > 0):
        return "mixed" if holds else "undecided"
    word = "holds" if holds else "fails"
    return word if max(holds, fails) > counts.sum() / 2 else f"{word} in part"


def cells(claim: dict[str, Any]) -> np.ndarray:
    found = [(row, decision) for row in chosen(claim) if (decision := decide(claim, row)) is not None]
    if claim["rule"]["kind"] == "bound" and found and "against" in found[0][0]:
        # A quantity of one tool stands once for each of its rivals.
        keys = ("dataset", "model", "compression", "tool")
        found = list({tuple(row[key] for key in keys): (row, decision) for row, decision in found}.values())
    return np.array([sum(one == word for _, one in found) for word in ("holds", "fails", "undecided")])


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_claim_is_decided_as_by_other_code(name: str) -> None:
    claim, kept = CLAIMS[name], KEPT[name]
    counts = cells(claim)
    assert [int(kept[f"cells_{word}"]) for word in ("holds", "fails", "undecided")] == counts.tolist()
    expected = "not testable" if counts.sum() and too_small(claim, kept["scale"]) else outcome(counts)
    assert kept["outcome"] == expected


def test_every_claim_is_kept() -> None:
    assert {*KEPT} == {*CLAIMS}


@pytest.mark.parametrize("table", ["diverget_table4", "diverget_table5", "diverget_table7", "diverget_table9"])
def test_adjusted_p_of_planned_tests_follow_from_their_own(table: str) -> None:
    target = dict(entries(settings("experiments")["targets"]))[table]
    names = {"dir": "p", "dir_valid": "dir_valid_p"}
    planned = [
        (row, names[one["rate"]])
        for row, one in product(rows_of(table), target["planned"])
        if row["tool"] == one["tool"] and row.get("against", "") in ("", one.get("against", row.get("against")))
        if row[names[one["rate"]]]
    ]
    assert len(planned) >= 8
    # A mean over one subject asks its question once; no table here has one.
    again = holm(np.array([float(row[name]) for row, name in planned]))
    kept = np.array([float(row[f"{name}_holm"]) for row, name in planned])
    np.testing.assert_allclose(kept, again, rtol=1e-6)


@pytest.mark.parametrize(
    ("table", "least"), [("diffchaser_table1", 11), ("diffchaser_table2", 6), ("triggerfinder_table2", 11)]
)
def test_intervals_of_success_rates_follow_from_their_counts(table: str, least: int) -> None:
    shown = [row for row in rows_of(table) if row["dataset"] and row.get("n_success") and row.get("sr_low")]
    assert len(shown) >= least
    for row in shown:
        low, high = wilson(float(row["n_success"]), float(row["inputs"]))
        assert float(row["sr"]) == pytest.approx(float(row["n_success"]) / float(row["inputs"]), rel=1e-6)
        assert (float(row["sr_low"]), float(row["sr_high"])) == pytest.approx((max(low, 0), min(high, 1)), abs=1e-6)
