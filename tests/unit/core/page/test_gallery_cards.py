"""Cards below a gallery: what both models say of each input."""

from pathlib import Path

from quantrift.core.page.results_page import LISTED, Section, cards, render
from quantrift.study.results.figures.kinds.gallery import COLUMNS


def written(folder: Path, *inputs: list[tuple[float, float]], word: str = "") -> Path:
    lines = [",".join(COLUMNS)]
    for shown, classes in enumerate(inputs, 1):
        about = f"{shown},Group{word},7,cat,cat,dog,20.5,3,zoom,quantrift replay --number 5 a.parquet{word}"
        lines += [f"{about},class {place},{ours},{theirs}" for place, (ours, theirs) in enumerate(classes)]
    (folder / "gallery.shown.csv").write_text("\n".join(lines) + "\n")
    return folder / "gallery.shown.csv"


def test_the_likeliest_classes_of_either_model_stand_first_and_unlikely_ones_are_left_out(tmp_path: Path) -> None:
    [one, other] = cards(written(tmp_path, [(0.009, 0.001), (0.3, 0.2), (0.1, 0.7)], [(0.1, 0.1)] * 9))
    assert [(row["name"], row["original"], row["compressed"]) for row in one["classes"]] == [
        ("class 2", "10.0", "70.0"),
        ("class 1", "30.0", "20.0"),
    ]
    assert len(other["classes"]) == LISTED
    assert (other["shown"], other["input"], other["command"]) == ("2", "7", "quantrift replay --number 5 a.parquet")


def test_the_page_shows_them_below_the_figure_and_names_stay_text(tmp_path: Path) -> None:
    table = written(tmp_path, [(0.6, 0.4)], [(0.7, 0.3)], word="<i>")
    section = Section("gallery", "Gallery", shown_csv=table)
    render("T", "demo", [], [section], {}, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("<code>quantrift replay --number 5 a.parquet&lt;i&gt;</code>") == 2
    assert "<i>" not in text
    render("T", "demo", [], [Section("gallery", "Gallery", shown_csv=written(tmp_path))], {}, tmp_path / "page.html")
    assert 'class="replays"' not in (tmp_path / "page.html").read_text(encoding="utf-8")
