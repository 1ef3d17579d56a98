"""Files of a pair of a board: fetched, checked against their digests, quantized, and inputs made."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from quantrift.core.base.archive import write_arrays
from quantrift.core.base.errors import check_name, refuse
from quantrift.core.base.files import write_file
from quantrift.core.base.inputs import Inputs
from quantrift.core.settings.datasets import SourceFile
from quantrift.study.board import public_networks
from quantrift.study.board.pair import Images, OfWheel, OfWorkflow, Pair, Windows
from quantrift.study.board.public_quantizers import QUANTIZERS
from quantrift.study.datasets.kinds import image_folders
from quantrift.study.datasets.official import Places, official

SEED, SAMPLES = 52, 60
"""Of inputs that a script draws; and inputs on which quantizers measure ranges."""


class Files(NamedTuple):
    """Files of a pair."""

    original: Path
    compressed: Path
    inputs: Path | None
    """.npz; ``None`` where there are none."""
    standard: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    """Mean and standard deviation of each channel, on 0 to 1, which the original expects to be taken out."""


class Made(NamedTuple):
    """Files of a pair that the workflow made: original, compressed network and inputs of the dataset."""

    original: Path
    compressed: Path
    inputs: Path


def files(pair: Pair, beside: Path, places: Places, room: Path, made: Made | None = None) -> Files:
    """The files of a pair; those that are made lie in ``room``.

    Args:
        pair: of a board.
        beside: folder of the board's file.
        places: where stated files may come from.
        room: an empty folder.
        made: what the workflow made of a pair that it makes.

    Raises:
        QuantriftError: a file cannot be had, or is not the one stated.
    """
    if pair.wheel is not None:
        return _of_wheel(pair.wheel, places, room)
    if pair.workflow is not None:
        refuse((made is None, "its files are made by the workflow; ask for it there: snakemake board"))
        assert made is not None
        return Files(made.original, made.compressed, _of_dataset(pair.workflow, made.inputs, room / "inputs.npz"))

    def found(stated: SourceFile | str) -> Path:
        path = beside / stated if isinstance(stated, str) else official(places, stated)
        refuse((not path.exists(), f"{path}: no such file; correct it in the board's file"))
        return path

    assert pair.original is not None
    assert pair.compressed is not None
    drawn = room / "inputs.npz"
    match pair.inputs:
        case Images() as stated:
            write_arrays(drawn, _images(stated, places))
        case Windows() as stated:
            write_arrays(drawn, _windows(stated, places))
        case None:
            return Files(found(pair.original), found(pair.compressed), None)
        case stated:
            drawn = found(stated)
    return Files(found(pair.original), found(pair.compressed), drawn)


def _of_wheel(stated: OfWheel, places: Places, room: Path) -> Files:
    refuse((places.downloads is None, "data.source forbids downloads, and its wheel is one; set it to auto"))
    nets = {net.name: net for net in public_networks.NETWORKS}
    check_name(f"there is no network of a wheel '{stated.network}'", stated.network, nets)
    check_name(f"there is no quantizer '{stated.quantizer}'", stated.quantizer, QUANTIZERS)
    net = nets[stated.network]
    content = public_networks.prepared(net, file := public_networks.file(net, places.downloads or room))
    given, samples = (net.draw(count, np.random.default_rng([SEED, count])) for count in (net.inputs, SAMPLES))
    compressed = QUANTIZERS[stated.quantizer](content, net.taken(samples["inputs"]))
    paths = [room / f"{name}{file.suffix}" for name in ("original", "compressed")]
    for path, own in zip(paths, (content, compressed), strict=True):
        write_file(path, own)
    write_arrays(room / "inputs.npz", given)
    return Files(paths[0], paths[1], room / "inputs.npz", net.standard)


def _of_dataset(stated: OfWorkflow, path: Path, out: Path) -> Path:
    inputs = Inputs.load(path)
    chosen = inputs.test[: stated.number]
    names = np.array(inputs.class_names)
    write_arrays(out, {"inputs": inputs.take(chosen), "labels": inputs.labels[chosen], "class_names": names})
    return out


def _images(stated: Images, places: Places) -> Mapping[str, np.ndarray]:
    """``inputs``, uint8 (n, rows, columns, channels), and ``labels``, int64 (n,)."""
    archive = image_folders.Settings(
        kind="image_folders", title="", class_names=stated.classes, archive=stated.images, train_inputs=1, test_inputs=1
    )
    found = image_folders.arrays(archive, places)
    labels, test = found["labels"].astype(np.int64), found["test"]
    each = -(-stated.number // len(stated.classes))
    chosen = np.sort(np.concatenate([test[labels[test] == one][:each] for one in range(len(stated.classes))]))
    images = found["images"][chosen].repeat(stated.times, axis=1).repeat(stated.times, axis=2)
    known = {"labels": labels[chosen], "class_names": np.array(stated.classes)} if stated.labels else {}
    return {"inputs": images} | known


def _windows(stated: Windows, places: Places) -> Mapping[str, np.ndarray]:
    """``inputs``, float32 (n, length)."""
    sound = np.fromfile(official(places, stated.windows), "<f4")
    return {"inputs": np.lib.stride_tricks.sliding_window_view(sound, stated.length)[:: stated.step].copy()}
