"""A change reruns what it changes, and nothing else: edits of code, settings, files and packages, one by one.

``pytest -s`` prints the table: the edit, what would run again, what had to.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e import edited_checkout
from tests.e2e.edited_checkout import PACKAGE, TOOLS, Edit, counts, planned
from tests.factories.places import ROOT

pytestmark = pytest.mark.slow

FOREIGN = ROOT / "tests" / "dag" / "foreign.txt"
SHOWN = frozenset({"table", "figure", "page"})
SEARCHED = frozenset({"search", "metrics"}) | SHOWN
COMPRESSED = frozenset({"compress", "compress_by_training"}) | SEARCHED
TRAINED = frozenset({"train", "profile", "seeds"}) | COMPRESSED
NOTHING: frozenset[str] = frozenset()
EVERYTHING = frozenset({"source", "inputs", "train_bits"}) | TRAINED


def code(file: str, old: str, new: str) -> tuple[tuple[str, str, str], ...]:
    return ((PACKAGE + file, old, new),)


def own(old: str, new: str) -> tuple[tuple[str, str, str], ...]:
    """An edit of the configuration that is run."""
    return (("config/config.yaml", old, new),)


def added(file: str, before: str) -> tuple[tuple[str, str, str], ...]:
    """Another statement in a module."""
    return code(file, before, f"EXTRA = 1\n\n\n{before}")


ROOMS = {
    "core/base": Edit("base: random streams", added("core/base/streams.py", "def stream"),
        frozenset({"seeds", "train_bits"}) | SEARCHED, searches=TOOLS),
    "core/settings": Edit("settings: width of a bit study's networks", code("core/settings/bit_studies.py",
        "value is not None and", "value is not None and True and"), frozenset({"train_bits", "table", "page"})),
    "study/datasets": Edit("datasets: a scene", added("study/datasets/kinds/simulated_scene.py", "def _field"),
        TRAINED - {"compress_by_training"} | {"source", "inputs"}, searches=TOOLS),
    "core/networks": Edit("networks: one is built", added("core/networks/architectures/hybridsn.py", "def build"),
        TRAINED - {"compress_by_training"}),
    "study/compression": Edit("compression: 8 bits", added("study/compression/methods/ptq_int8.py", "def compress"),
        frozenset({"compress"}) | SEARCHED),
    "core/pairs": Edit("pairs: draw of seed inputs", added("core/pairs/seed_inputs.py", "def draw"),
        frozenset({"seeds"}) | SEARCHED),
    "core/search": Edit("search: a searcher of two tools", code("core/search/searchers/pso.py", "omega * v",
        "1.0 * omega * v"), SEARCHED, searches=2),
    "core/statistics": Edit("statistics: an effect size", added("core/statistics/signed_rank.py", "def a12"), SHOWN),
    "study/results": Edit("results: what kinds are given", added("study/results/targets/given_files.py", "def of_job"),
        SHOWN),
    "study/planning": Edit("planning: work", added("study/planning/work.py", "def bits_of"), NOTHING),
    "core/page": Edit("page: order of files", added("core/page/results_page.py", "def render"), frozenset({"page"})),
    "cli": Edit("cli: how a job is started", added("cli/entry.py", "INTERVAL"), EVERYTHING, searches=TOOLS),
}  # fmt: skip
"""One edit in each folder of the package that reaches results."""
OTHERS = [
    Edit("how a search is run", added("core/search/run.py", "def run("), SEARCHED, searches=TOOLS),
    Edit("stored vectors", added("core/search/records/stored_vectors.py", "def stored("), frozenset({"table", "page"})),
    Edit("text of percentages", added("core/page/number_format.py", "def percent"), SHOWN),
    Edit("style of figures", added("core/page/style.py", "def save"), frozenset({"figure", "page"})),
    Edit("names of groups", code("study/results/targets/tool_groups.py", "def group_names",
        "EXTRA = 1\n\n\ndef group_names"), frozenset({"table", "page"})),
    Edit("whether data are simulated", code("core/settings/datasets.py", "simulated: ClassVar[bool] = False",
        "simulated: ClassVar[bool] = True"), EVERYTHING),
    Edit("which official files a dataset has", added("core/settings/datasets.py", "def official_files"), EVERYTHING),
    Edit("a method of targets", code("study/results/targets/target.py", "    def shows",
        "    def more(self) -> int:\n        return 1\n\n    def shows"), frozenset({"table", "figure", "page"})),
    Edit("a kind of table", added("study/results/tables/kinds/compare_groups.py", "def make("),
        frozenset({"table", "page"})),
    Edit("the student of a distillation", added("core/networks/architectures/mlp.py", "def build"),
        frozenset({"compress_by_training", "train_bits", "table", "page"})),
    Edit("an outside searcher", (("outside/their_tool/searcher.py", "for _ in", "for __ in"),), SEARCHED, searches=1),
    Edit("a module that it imports", (("outside/their_tool/steps.py", "0", "1"),), SEARCHED, searches=1),
    Edit("environment variables of all jobs", code("core/base/process_environment.py", '"OMP_NUM_THREADS": "1"',
        '"OMP_NUM_THREADS": "2"'), EVERYTHING),
    Edit("another version of numpy", (("outside/numpy-0.1.dist-info/METADATA", "", "Name: numpy\nVersion: 0.1\n"),),
        EVERYTHING),
    Edit("another version of jinja2", (("outside/jinja2-0.1.dist-info/METADATA", "", "Name: jinja2\nVersion: 0.1\n"),),
        frozenset({"page"})),
    Edit("another version of psutil", (("outside/psutil-0.1.dist-info/METADATA", "", "Name: psutil\nVersion: 0.1\n"),),
        NOTHING),
    Edit("a setting of one tool", (("config/tools.yaml", "searcher: pso", "searcher: {pso: {omega: 0.7}}"),),
        SEARCHED, searches=1),
    Edit("epochs of one network", own("lenet1: {training: {epochs: 1", "lenet1: {training: {epochs: 2"),
        frozenset({"train", "compress_by_training"}) | SHOWN),
    Edit("another dataset", own("diverget: {dataset: [sim_pavia]", "diverget: {dataset: [sim_pavia, sim_salinas]"),
        EVERYTHING - {"train_bits", "compress_by_training"}, searches=TOOLS),
    Edit("the digest of a data file", own('sha256: "', f'sha256: "{64 * "0"}"}} #'),
        frozenset({"source", "inputs", "train", "compress_by_training", "train_bits"}) | SHOWN),
    Edit("published numbers", (("workflow/published/diverget_table4.csv", "0", "1"),), SHOWN),
    Edit("the page's template", code("core/page/assets/page.html.j2", "<body", "<body "), frozenset({"page"})),
    Edit("a rate of this machine", (("config/rates.csv", "e", "0e"),), NOTHING),
    Edit("a line of the lock", (("envs/requirements.lock", "numpy==", "numpy===",),), NOTHING),
    Edit("a data file in the mirror", (("mirror/own/digits.npz", "x_train", "x_train"),), NOTHING),
    Edit("comments and docstrings", (
        *code("core/search/engine.py", '"""The end of one search."""', '"""The end of a search."""'),
        *code("core/networks/training/trained_network.py", "def train", "# A comment.\ndef train"),
        ("workflow/scripts/search.py", "with as_job", "# A comment.\nwith as_job")), NOTHING),
    Edit("a field of settings that nobody states", code("study/compression/methods/distill.py", "    temperature: ",
        "    extra: int | None = None\n    temperature: "), frozenset({"compress_by_training", "table", "page"})),
    Edit("a distortion that all tools may switch on", code("core/search/distortions/hsi/zoom.py", "(0.3, 5.0)",
        "(0.4, 5.0)"), SEARCHED, searches=TOOLS),
    Edit("a distortion that no tool uses", code("core/search/distortions/images/zoom.py", "around(0.5",
        "around(0.6"), NOTHING),
    Edit("a part that no tool uses", ((PACKAGE + "core/search/constraints/spare.py", "", "X = 1\n"),), NOTHING),
]  # fmt: skip


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A checkout in which everything was made; the table of edits is printed at the end."""
    folder = tmp_path_factory.mktemp("checkout")
    edited_checkout.make(folder)
    rows: list[str] = []
    folder.with_suffix(".rows").write_text("")
    yield folder
    rows = folder.with_suffix(".rows").read_text().splitlines()
    print("\n| edit | ran again | had to |\n|---|---|---|\n" + "\n".join(rows))


def line(found: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(found.items())) or "nothing"


def judge(checkout: Path, edit: Edit) -> None:
    found = planned(checkout, edit)
    with checkout.with_suffix(".rows").open("a") as rows:
        rows.write(f"| {edit.about} | {line(found)} | {', '.join(sorted(edit.had_to)) or 'nothing'} |\n")
    assert set(found) == edit.had_to | edit.more
    if edit.searches is not None:
        assert found["search"] == edit.searches


def test_nothing_changed(checkout: Path) -> None:
    assert counts(edited_checkout.run(checkout, "-n")) == {}


def test_every_folder_of_the_package_that_reaches_results_is_edited(checkout: Path) -> None:
    rooms = {str(path.parent.relative_to(checkout / PACKAGE)) for path in (checkout / PACKAGE).glob("*/*/__init__.py")}
    judging = {"study/board", "study/league"}
    assert set(ROOMS) - {"cli"} == {room for room in rooms if room.startswith(("core", "study"))} - judging, (
        "the judge is no part of the workflow; mendings, checkers and the board take minutes, and tests of their own "
        "say what code counts for them"
    )


@pytest.mark.parametrize("room", ROOMS)
def test_an_edit_in_each_folder_reruns_what_it_reaches(checkout: Path, room: str) -> None:
    judge(checkout, ROOMS[room])


@pytest.mark.parametrize("edit", OTHERS, ids=lambda edit: edit.about)
def test_an_edit_reruns_what_it_changes(checkout: Path, edit: Edit) -> None:
    judge(checkout, edit)


def test_an_edit_in_every_reader_of_given_files_the_registry_and_the_hints_reruns_nothing(checkout: Path) -> None:
    files = [line for line in FOREIGN.read_text().splitlines() if not line.startswith("#")]
    texts = {PACKAGE + file: (checkout / PACKAGE / file).read_text() for file in files}
    changes = tuple((file, text, f"{text}\nEXTRA = 1\n") for file, text in texts.items())
    # An edit in the code that a search runs is seen, so that nothing is no accident.
    assert planned(checkout, OTHERS[0])["search"] == TOOLS
    assert planned(checkout, Edit("readers of given files", changes, NOTHING)) == {}


@pytest.mark.parametrize(
    "setting",
    [["--set-resources", "search:batch=17", "search:batch_mb=99"], ["--config", "data={downloads: elsewhere}"]],
    ids=["batches", "downloads"],
)
def test_what_changes_no_result_reruns_nothing(checkout: Path, setting: list[str]) -> None:
    assert counts(edited_checkout.run(checkout, "-n", *setting)) == {}


def test_harmless_changes_of_code_can_be_overlooked_on_demand(checkout: Path) -> None:
    assert planned(checkout, ROOMS["core/statistics"], "--rerun-triggers", "mtime", "input") == {}


def test_the_block_size_changes_how_searches_are_cut_and_no_model(checkout: Path) -> None:
    found = counts(edited_checkout.run(checkout, "-n", "--config", "engine={block: 1}"))
    assert set(found) == SEARCHED
    assert found["search"] == 2 * TOOLS


@pytest.mark.parametrize("end", [".csv", ".timing.csv", ".md", ".columns.json", ".provenance.json"])
def test_a_file_of_a_table_that_is_gone_is_made_again_and_the_page_with_it(checkout: Path, end: str) -> None:
    table = checkout / "results" / "small" / "tables" / f"own_groups{end}"
    kept = table.rename(table.with_suffix(".kept"))
    try:
        assert counts(edited_checkout.run(checkout, "-n")) == {"table": 1, "page": 1}
    finally:
        kept.rename(table)


def test_a_figure_is_drawn_again_when_any_file_changes_that_it_shows(checkout: Path) -> None:
    """A run of one table may have made a network's facts anew, and its history with the same content."""
    facts = checkout / "results" / "small" / "models" / "own_digits" / "lenet1" / "model.json"
    kept, times = facts.read_text(), facts.stat()
    try:
        facts.write_text(kept.replace('"accuracy": ', '"accuracy": 1'))
        assert counts(edited_checkout.run(checkout, "-n", "learning_curves"))["figure"] == 1
    finally:
        facts.write_text(kept)
        os.utime(facts, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(
    ("setting", "again"),
    [
        ("titles={heterogeneous_1_4_1: Large}", {}),
        ("protocols={diffchaser_q1: {inputs: 3}}", {}),
        ("targets={claims: {claims: {diverget_search_over_random: {sentence: Another}}}}", {}),
        ("titles={lenet1: The small one}", {"table": 2, "figure": 1, "page": 1}),
        ("targets={own_vectors: {caption: Other words}}", {"table": 1, "page": 1}),
    ],
)
def test_what_a_target_shows_is_all_that_makes_it_again(checkout: Path, setting: str, again: dict[str, int]) -> None:
    assert counts(edited_checkout.run(checkout, "-n", "--config", setting)) == again


def test_a_checkout_that_is_moved_makes_nothing_again(checkout: Path) -> None:
    moved = checkout.rename(checkout.with_name("moved"))
    try:
        assert counts(edited_checkout.run(moved, "-n")) == {}
    finally:
        moved.rename(checkout)


def test_logs_belong_to_no_result(checkout: Path) -> None:
    logs = checkout / "results" / "small" / "logs"
    assert {folder.name for folder in logs.iterdir()} >= {"source", "train", "search", "table", "page"}
    logs.rename(logs.with_name("elsewhere"))
    assert counts(edited_checkout.run(checkout, "-n")) == {}
    logs.with_name("elsewhere").rename(logs)
