"""Core ML packages (folders) as one file, and the weights in them."""

import io
import json
import uuid
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = "model.mlpackage"
"""The folder."""

Weights = dict[str, dict[str, np.ndarray]]
"""Operation -> parameter, ``weight`` or ``bias`` -> its values."""


def packed(model: Any, folder: Path, coremltools: Any) -> bytes:
    """Save a model's package in ``folder``; the zip file of it, with the same bytes whenever the networks are the same.

    So it states no date, tables in it are in order, and items of its list are numbered by their names, not by chance.
    """
    del model.user_defined_metadata["com.github.apple.coremltools.conversion_date"]
    model.save(str(folder / PACKAGE))
    program = folder / PACKAGE / "Data" / "com.apple.CoreML" / "model.mlmodel"
    program.write_bytes(coremltools.utils.load_spec(str(folder / PACKAGE)).SerializeToString(deterministic=True))
    path = folder / PACKAGE / "Manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    numbers = {
        drawn: str(uuid.uuid5(uuid.NAMESPACE_URL, item["path"])) for drawn, item in manifest["itemInfoEntries"].items()
    }
    manifest["itemInfoEntries"] = {numbers[drawn]: item for drawn, item in manifest["itemInfoEntries"].items()}
    manifest["rootModelIdentifier"] = numbers[manifest["rootModelIdentifier"]]
    path.write_text(json.dumps(manifest, indent=4, sort_keys=True), encoding="utf-8")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in sorted(file for file in (folder / PACKAGE).rglob("*") if file.is_file()):
            name = file.relative_to(folder).as_posix()
            archive.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def weights(package: Path, coremltools: Any) -> Weights:
    """The weights in a package, by the names that its operations have in 32 bits.

    float32 or float16, as they are stored; 8-bit ones are the float32 numbers that coremltools takes them for.
    """
    optimize = coremltools.optimize.coreml
    # To load it in the sense of Core ML is to compile it, which macOS alone can do.
    model = coremltools.models.MLModel(str(package), skip_model_load=True)
    stored = optimize.get_weights_metadata(optimize.decompress_weights(model), weight_threshold=0)
    found: Weights = {}
    for name, constant in stored.items():
        # Several operations may read the same numbers.
        for reader in constant.child_ops:
            for parameter, read in reader.params_name_mapping.items():
                if parameter in ("weight", "bias") and read == name:
                    # Operations that are computed in 16 bits have that suffix.
                    found.setdefault(reader.name.removesuffix("_cast_fp16"), {})[parameter] = constant.val
    return found
