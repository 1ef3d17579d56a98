"""One file run in two ways, from its name to a replayed verdict: searches, records, reports and bundles keep both."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.factories import certificates
from tests.factories.new_builds import on_given

from quantrift import api
from quantrift.cli.main import main
from quantrift.core.base.archive import read_arrays, write_arrays
from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import sha256
from quantrift.core.networks.foreign.given_files import GivenFiles
from quantrift.core.networks.runtime import load_runtime
from quantrift.core.search.record_columns import settings
from quantrift.core.search.records.replaying import files_of, replay
from quantrift.judge.intake.example import paths
from quantrift.judge.verdict import bundle
from quantrift.judge.verdict.assessment import read
from quantrift.judge.verdict.new_build import still
from quantrift.judge.verdict.opened_networks import named
from quantrift.judge.verdict.profiles import Settings, Size
from quantrift.judge.verdict.run import assess

TINY = Size(seeds=6, generations=3, queries=20, vectors=3, shrunk=4, layer_inputs=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two networks of the example, one under a name with the sign in it, and some of its inputs."""
    folder = tmp_path_factory.mktemp("ways")
    arrays = read_arrays(paths().inputs)
    write_arrays(folder / "some.npz", {name: arrays[name][:32] for name in ("inputs", "labels")})
    shutil.copy(paths().int8, folder / "m@2.tflite")
    shutil.copy(paths().dynamic, folder / "dynamic.tflite")
    return folder


@pytest.mark.slow
def test_a_file_beside_itself_by_other_kernels_is_assessed_and_replayed(folder: Path, tmp_path: Path) -> None:
    out, file = tmp_path / "out", folder / "m@2.tflite"
    others = [folder / "m@2.tflite@reference", folder / "m@2.tflite@builtin"]
    found = assess(file, others, folder / "some.npz", out, Settings(size=TINY))
    assert read(out) == found
    assert [one.name for one in found.candidates] == ["m_2_reference", "m_2_builtin"]
    assert (found.original.file, found.original.runtime) == ("m@2.tflite", "litert")
    for one, runtime in zip(found.candidates, ("litert_reference", "litert_builtin"), strict=True):
        assert (one.model.runtime, one.model.sha256) == (runtime, sha256(file))
        assert one.audit is not None
        assert one.layers == []
        assert one.layers_note is not None
        assert "run as usual" in one.layers_note
        network = load_runtime(runtime, file)
        stored = read_arrays(out / one.dii_file)
        np.testing.assert_array_equal(network(stored["inputs"]).argmax(axis=1), stored["label_compressed"])
        for tool in one.tools:
            records = out / tool.records
            assert settings(records)["compressed_runtime"] == runtime
            assert files_of(records, settings(records)).compressed_runtime == runtime
            assert replay(records).complete
        again = still(out / one.dii_file, folder / f"m@2.tflite@{runtime.split('_')[1]}", file)
        assert on_given(again.judgements) == on_given(one.judgements)
    said = "m@2.tflite@reference: the same file as m@2.tflite, run by LiteRT's reference kernels instead of LiteRT"
    assert any(line.startswith(said) for line in found.assumed)
    page = (out / "report.html").read_text(encoding="utf-8").replace("&#39;", "'")
    assert "m@2.tflite@reference: run by LiteRT's reference kernels" in page
    assert "m@2.tflite: run by LiteRT with XNNPACK" in page


@pytest.mark.slow
def test_the_usual_way_by_its_name_changes_nothing_but_the_name(folder: Path, tmp_path: Path) -> None:
    found = {}
    for name in ("m@2.tflite", "m@2.tflite@xnnpack"):
        out = tmp_path / name
        one = assess(folder / "dynamic.tflite", [folder / name], folder / "some.npz", out, Settings(size=TINY))
        [candidate] = one.candidates
        records = [settings(out / tool.records) for tool in candidate.tools]
        assert not any("compressed_runtime" in made for made in records)
        found[name] = read_arrays(out / candidate.dii_file), candidate.judgements
    (first, told), (second, also) = found.values()
    assert told == also
    assert first.keys() == second.keys()
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)


@pytest.mark.slow
def test_a_pair_in_python_takes_ways_and_keras_networks_run_in_those_of_their_conversion(folder: Path) -> None:
    pair = api.load_pair(f"{paths().original}@reference", folder / "dynamic.tflite@builtin")
    assert (pair.original.runtime, pair.compressed.runtime) == ("litert_reference", "litert_builtin")
    assert "original.keras@reference: run by LiteRT's reference kernels" in pair.assumed
    x = read_arrays(folder / "some.npz")["inputs"]
    said = pair(x)
    np.testing.assert_array_equal(said.compressed, load_runtime("litert_builtin", folder / "dynamic.tflite")(x))
    np.testing.assert_array_equal(said.original, load_runtime("litert_reference", pair.original.path)(x))
    usual = api.load_pair(paths().original, folder / "dynamic.tflite")(x)
    assert (usual.original != said.original).any()
    with pytest.raises(QuantriftError, match=r"'refrence' is no way of running \.tflite files; name one of xnnpack, "):
        api.load_pair(paths().original, folder / "dynamic.tflite@refrence")
    with pytest.raises(QuantriftError, match=r"gone\.tflite: no such file"):
        api.load_pair(paths().original, folder / "gone.tflite@reference")
    assert named([folder / "m@2.tflite", folder / "dynamic.tflite@builtin"]) == ["m_2", "dynamic_builtin"]


def test_bundles_and_certificates_say_how_the_original_was_run(folder: Path, tmp_path: Path) -> None:
    given = ["--original", f"{folder / 'm@2.tflite'}@reference", "--inputs", str(folder / "some.npz")]
    assert main(["export-inputs", *given, "--seeds", "2", "--number", "5", "--out", str(tmp_path / "bundle")]) == 0
    made = bundle.read(tmp_path / "bundle", GivenFiles())[0]
    assert (made.original, made.original_runtime) == ("m@2.tflite@reference", "litert_reference")
    assert (made.original_sha256, made.kind) == (sha256(folder / "m@2.tflite"), "image")
    both = [*given, "--compressed", str(folder / "m@2.tflite"), "--range", "0", "1", "--number", "2"]
    assert main(["certify", *both, "--neighbourhoods", "brightness=1", "--out", str(tmp_path / "proof")]) in (0, 1)
    proven = certificates.read(tmp_path / "proof")
    assert (proven.original.runtime, proven.compressed.runtime) == ("litert_reference", "litert")
    assert proven.original.given.file == "m@2.tflite@reference"
    progress = json.loads((tmp_path / "proof" / "progress.json").read_text(encoding="utf-8"))
    assert "litert_reference" in json.dumps(progress)


def test_bounds_are_of_the_usual_kernels_alone(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["--original", str(folder / "dynamic.tflite"), "--compressed", f"{folder / 'm@2.tflite'}@reference"]
    words = [*both, "--inputs", str(folder / "some.npz"), "--range", "0", "1", "--neighbourhoods", "linf=1"]
    assert main(["certify", *words, "--number", "1", "--out", str(tmp_path / "proof")]) == 2
    assert "bounds are of the kernels that run its file as usual" in capsys.readouterr().err
