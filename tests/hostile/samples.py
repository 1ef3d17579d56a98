"""A sound file of every format that commands read, with the damage that fits it and the command that reads it."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from tests.hostile import mutations
from tests.hostile.mutations import Mutation

from quantrift.cli.main import main
from quantrift.core.base.files import sha256
from quantrift.judge.intake.example import paths
from quantrift.study.planning.configuration_files import ROOT

FEW = 24
"""Inputs of the commands, so that one takes a second."""


@dataclass(frozen=True)
class Sample:
    """A format."""

    make: Callable[[Path], Path]
    """Writes a sound file, or a folder, to an empty folder."""
    damaged: Sequence[tuple[str, Mutation]]
    """Files in it whose content is damaged, each by a pattern of its name ("" is the file itself); one at a time."""
    command: Callable[[Path, Path], list[str]]
    """Words of the command that reads it, and writes to another folder."""
    needs: str = "quantrift"
    """Package without which it cannot be made or read."""
    after: Callable[[Path], None] = lambda path: None
    """Makes what was damaged consistent again, such as digests."""


@cache
def inputs(folder: Path) -> Path:
    """A few inputs without labels, as networks of random weights are right on none."""
    with np.load(paths().inputs) as held:
        np.savez(folder / "few.npz", inputs=held["inputs"][:FEW])
    return folder / "few.npz"


def _assess(original: Path, compressed: Path, given: Path, out: Path) -> list[str]:
    files = ["--original", original, "--compressed", compressed, "--inputs", given, "--out", out]
    return ["assess", *map(str, files), "--seeds", "2", "--generations", "1"]


def _shared(path: Path) -> Path:
    """Inputs beside the folders of all cases."""
    return inputs(Path(path.parts[0], *path.parts[1 : path.parts.index(PLACE) + 1]))


PLACE = "mutated"
"""Name of the folder of all cases."""


def as_original(path: Path, out: Path) -> list[str]:
    """Read a network as the original."""
    return _assess(path, paths().int8, _shared(path), out)


def as_compressed(path: Path, out: Path) -> list[str]:
    """Read a network beside itself, so that its layers are compared too."""
    return _assess(paths().dynamic if path.suffix == ".tflite" else _sound(path), path, _shared(path), out)


def _sound(path: Path) -> Path:
    return path.parents[1] / "sound" / path.name


def _keras(suffix: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        import keras

        if suffix == ".keras":
            shutil.copyfile(paths().original, folder / "net.keras")
        else:
            keras.saving.load_model(paths().original, compile=False).save(folder / f"net{suffix}")
        return folder / f"net{suffix}"

    return make


def _saved_model(folder: Path) -> Path:
    import keras

    keras.saving.load_model(paths().original, compile=False).export(folder / "net", verbose=False)
    return folder / "net"


def _tflite(folder: Path) -> Path:
    shutil.copyfile(paths().int8, folder / "net.tflite")
    return folder / "net.tflite"


def _onnx(folder: Path) -> Path:
    import keras

    network = keras.saving.load_model(paths().original, compile=False)
    network(np.zeros((1, 28, 28, 1), np.float32))
    network.export(folder / "net.onnx", format="onnx", verbose=False)
    return folder / "net.onnx"


def _openvino(folder: Path) -> Path:
    import openvino

    openvino.save_model(openvino.convert_model(_onnx(folder)), folder / "net.xml", compress_to_fp16=False)
    return folder / "net.xml"


def _torch(suffix: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        import torch
        from torch import nn

        torch.manual_seed(0)
        body = nn.Sequential(nn.Conv2d(1, 4, 5, stride=3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10))
        program = torch.export.export(body.eval(), (torch.zeros(2, 1, 28, 28),))
        if suffix == ".pt2":
            torch.export.save(program, folder / "net.pt2")
        else:
            from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
            from executorch.exir import to_edge_transform_and_lower

            lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
            (folder / "net.pte").write_bytes(lowered.to_executorch().buffer)
        return folder / f"net{suffix}"

    return make


def _inputs(folder: Path) -> Path:
    with np.load(paths().inputs) as held:
        np.savez(folder / "x.npz", inputs=held["inputs"][:FEW], labels=held["labels"][:FEW])
    return folder / "x.npz"


def _with_inputs(path: Path, out: Path) -> list[str]:
    return _assess(paths().dynamic, paths().int8, path, out)


@cache
def _assessed(folder: Path) -> Path:
    """An assessment that found something, as the limit on every search is low."""
    out = folder / "assessed"
    if not out.exists():
        words = _assess(paths().original, paths().int8, paths().inputs, out)
        assert main([*words, "--seeds", "20", "--generations", "5"]) != 2
    return out


def _findings(folder: Path) -> Path:
    shutil.copyfile(_assessed(folder.parent) / "int8" / "dii.npz", folder / "dii.npz")
    return folder / "dii.npz"


def _replayed_on_a_build(path: Path, out: Path) -> list[str]:
    return ["replay", "--compressed", str(paths().int8), str(path)]


def _records(suffix: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        shutil.copytree(_assessed(folder.parent) / "int8" / "records", folder / "records")
        for file in sorted(folder.rglob("search/**/seeds_*.npz")):
            if "searches" not in file.name and suffix != ".npz":
                _to_parquet(file)
        return folder / "records"

    return make


def _to_parquet(file: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from quantrift.core.base import table_files
    from quantrift.core.base.table_parquet import SETTINGS

    cells = table_files.read(file)
    table = pa.table({name: list(one) if one.dtype == object else one for name, one in cells.items()})
    told = {SETTINGS: table_files.settings(file).encode()}
    pq.write_table(table.replace_schema_metadata(told), file.with_suffix(".parquet"))


def _replayed(suffix: str) -> Callable[[Path, Path], list[str]]:
    def command(path: Path, out: Path) -> list[str]:
        found = sorted(one for one in path.rglob(f"search/**/seeds_*{suffix}") if "searches" not in one.name)
        return ["replay", *map(str, found[:1])]

    return command


def _bundle(folder: Path) -> Path:
    words = ["--original", paths().dynamic, "--inputs", inputs(folder.parent), "--out", folder / "bundle"]
    assert main(["export-inputs", *map(str, words), "--seeds", "5", "--number", "4"]) == 0
    return folder / "bundle"


def _with_right_digests(path: Path) -> None:
    """Let the manifest of a bundle state the digests of its files as they are."""
    file = path / "bundle.json"
    try:
        manifest = json.loads(file.read_bytes())
        stated = manifest["files"]
        stated |= {name: sha256(path / name) for name in stated if (path / name).is_file()}
        file.write_text(json.dumps(manifest), encoding="utf-8")
    # The manifest itself may be what was damaged.
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return


def _outputs(suffix: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        bundle = _bundle(folder)
        with np.load(bundle / "aside" / "original.npz") as held:
            found = held["outputs"]
        file = folder / f"outputs{suffix}"
        if suffix == ".npz":
            np.savez(file, outputs=found)
        elif suffix == ".npy":
            np.save(file, found)
        else:
            file.write_bytes(found.astype("<f4").tobytes())
        return folder

    return make


def _judged(suffix: str) -> Callable[[Path, Path], list[str]]:
    def command(path: Path, out: Path) -> list[str]:
        return ["judge-outputs", str(path / "bundle"), str(path / f"outputs{suffix}"), "--out", str(out)]

    return command


def _configuration(folder: Path) -> Path:
    shutil.copyfile(ROOT / "config" / "sample.yaml", folder / "mine.yaml")
    return folder / "mine.yaml"


def _checked(path: Path, out: Path) -> list[str]:
    return ["check-tool", "random", "--configfile", str(path)]


def _earlier(folder: Path) -> Path:
    return shutil.copytree(_assessed(folder.parent), folder / "assessment")


def _again(path: Path, out: Path) -> list[str]:
    return _assess(paths().dynamic, paths().int8, _shared(path), path)


def _certificates(folder: Path) -> Path:
    assert main(_certified(folder / "certificates", folder)) in (0, 1, 3)
    return folder / "certificates"


def _certified(path: Path, out: Path) -> list[str]:
    files = ["--original", paths().dynamic, "--compressed", paths().int8, "--inputs", _shared(path), "--out", path]
    return ["certify", *map(str, files), "--neighbourhoods", "brightness=2,shift=1", "--number", "2"]


def _proto(name: str) -> Callable[[], Any]:
    def kind() -> Any:
        if name == "onnx":
            import onnx

            return onnx.ModelProto()
        from tensorflow.core.protobuf import saved_model_pb2

        return saved_model_pb2.SavedModel()

    return kind


of_bytes, of_npz, of_json = mutations.of_bytes, mutations.of_npz, mutations.of_json
SAMPLES: dict[str, Sample] = {
    ".keras": Sample(_keras(".keras"), [("", mutations.of_keras)], as_original),
    ".h5": Sample(_keras(".h5"), [("", mutations.of_hdf5)], as_original),
    "SavedModel": Sample(
        _saved_model,
        [
            ("saved_model.pb", mutations.of_message(_proto("saved_model"))),
            ("saved_model.pb", mutations.of_message(_proto("saved_model"))),
            ("variables/*", of_bytes),
        ],
        as_original,
    ),
    ".tflite": Sample(_tflite, [("", mutations.of_tflite)], as_compressed),
    ".onnx": Sample(_onnx, [("", mutations.of_message(_proto("onnx")))], as_compressed),
    ".xml": Sample(_openvino, [("", mutations.of_text), ("../net.bin", of_bytes)], as_compressed, "openvino"),
    ".pt2": Sample(_torch(".pt2"), [("", mutations.of_pt2)], as_compressed, "torch"),
    ".pte": Sample(_torch(".pte"), [("", of_bytes)], as_compressed, "executorch"),
    "inputs .npz": Sample(_inputs, [("", of_npz)], _with_inputs),
    "dii.npz": Sample(_findings, [("", of_npz)], _replayed_on_a_build),
    "bundle": Sample(
        _outputs(".npy"),
        [("bundle/bundle.json", of_json), ("bundle/aside/**/*.npz", of_npz), ("bundle/aside/**/*.json", of_json)],
        _judged(".npy"),
        after=lambda path: _with_right_digests(path / "bundle"),
    ),
    "outputs .npy": Sample(_outputs(".npy"), [("outputs.npy", mutations.of_array)], _judged(".npy")),
    "outputs .npz": Sample(_outputs(".npz"), [("outputs.npz", of_npz)], _judged(".npz")),
    "outputs .raw": Sample(_outputs(".raw"), [("outputs.raw", of_bytes)], _judged(".raw")),
    "records .npz": Sample(_records(".npz"), [("search/**/seeds_*[0-9].npz", of_npz)], _replayed(".npz")),
    "records .parquet": Sample(
        _records(".parquet"), [("search/**/seeds_*.parquet", mutations.of_parquet)], _replayed(".parquet"), "pyarrow"
    ),
    "what records lie beside": Sample(
        _records(".npz"), [("models/**/*.*", of_bytes), ("data/**/*.npz", of_npz)], _replayed(".npz")
    ),
    "configuration": Sample(_configuration, [("", mutations.of_text)], _checked),
    "assessment": Sample(_earlier, [("manifest.json", of_json), ("assessment.json", of_json)], _again),
    "certificates": Sample(_certificates, [("*.json", of_json)], _certified),
}
"""Format -> its sample."""


def installed() -> list[str]:
    """Formats whose packages are installed."""
    return [name for name, one in SAMPLES.items() if find_spec(one.needs) is not None]
