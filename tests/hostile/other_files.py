"""Inputs, records and configurations that hold code or are far too large."""

import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.hostile.makers import GIGA, Touch, of, zeros

from quantrift.core.base.table_parquet import SETTINGS
from quantrift.judge.intake.example import paths


@of("inputs")
def npz_pickle(folder: Path, canary: Path) -> Path:
    np.savez(folder / "x.npz", inputs=np.array([Touch(canary)] * 3, object), allow_pickle=True)
    return folder / "x.npz"


@of("inputs")
def npy_pickle_called_npz(folder: Path, canary: Path) -> Path:
    np.save(folder / "x.npy", np.array([Touch(canary)] * 3, object), allow_pickle=True)
    (folder / "x.npy").rename(folder / "x.npz")
    return folder / "x.npz"


@of("inputs")
def npz_pickle_alone(folder: Path, canary: Path) -> Path:
    (folder / "x.npz").write_bytes(pickle.dumps(Touch(canary)))
    return folder / "x.npz"


def _header(shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "|u1", "fortran_order": False, "shape": shape})
    return stream.getvalue()


@of("inputs")
def npz_bomb(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "x.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        zeros(archive, "inputs.npy", _header((10**7, 25, 20, 1)), 5 * GIGA)
    return folder / "x.npz"


@of("inputs")
def npz_header_of_eight_terabytes(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "x.npz", "w") as archive:
        archive.writestr("inputs.npy", _header((10**10, 28, 28, 1)) + bytes(100))
    return folder / "x.npz"


@of("inputs")
def npz_member_outside(folder: Path, canary: Path) -> Path:
    with zipfile.ZipFile(folder / "x.npz", "w") as archive:
        archive.writestr("../" * 12 + str(canary)[1:], b"x")
    return folder / "x.npz"


@of("inputs")
def npz_cut_short(folder: Path, canary: Path) -> Path:
    content = paths().inputs.read_bytes()
    (folder / "x.npz").write_bytes(content[: len(content) // 2])
    return folder / "x.npz"


@of("records")
def parquet_damaged(folder: Path, canary: Path) -> Path:
    (folder / "seeds_0.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    return folder / "seeds_0.parquet"


@of("records")
def parquet_of_other_files(folder: Path, canary: Path) -> Path:
    subject = {name: "../../../../../../etc" for name in ("dataset", "model", "compression", "protocol")}
    made = {"subject": subject, "tool": "x", "tool_settings": {"space": {"name": "os", "params": {"strengths": 1}}}}
    table = pa.table({"vector": [[1.0]]}).replace_schema_metadata({SETTINGS: json.dumps(made).encode()})
    deep = folder / "a" / "b" / "c" / "d" / "e" / "f"
    deep.mkdir(parents=True)
    pq.write_table(table, deep / "seeds_0.parquet")
    return deep / "seeds_0.parquet"


@of("records")
def parquet_settings_of_python(folder: Path, canary: Path) -> Path:
    table = pa.table({"vector": [[1.0]]}).replace_schema_metadata({SETTINGS: pickle.dumps(Touch(canary))})
    pq.write_table(table, folder / "seeds_0.parquet")
    return folder / "seeds_0.parquet"


def _yaml(folder: Path, text: str) -> Path:
    (folder / "mine.yaml").write_text(text)
    return folder / "mine.yaml"


@of("configurations")
def yaml_python_object(folder: Path, canary: Path) -> Path:
    return _yaml(folder, f"scale: !!python/object/apply:os.mkdir [{str(canary)!r}]\n")


@of("configurations")
def yaml_bomb(folder: Path, canary: Path) -> Path:
    rows = ["a0: &a0 {x: 1}"]
    rows += [f"a{n}: &a{n} {{{', '.join(f'k{k}: *a{n - 1}' for k in range(9))}}}" for n in range(1, 12)]
    return _yaml(folder, "scale: mine\n" + "\n".join(rows) + "\n")


@of("configurations")
def yaml_bomb_in_tools(folder: Path, canary: Path) -> Path:
    rows = ["  a0: &a0 {x: 1}"]
    rows += [f"  a{n}: &a{n} {{{', '.join(f'k{k}: *a{n - 1}' for k in range(9))}}}" for n in range(1, 12)]
    return _yaml(folder, "scale: mine\ntools:\n" + "\n".join(rows) + "\n")


@of("configurations")
def yaml_deep(folder: Path, canary: Path) -> Path:
    return _yaml(folder, "scale: " + "[" * 10**5 + "\n")


@of("configurations")
def yaml_command_in_a_path(folder: Path, canary: Path) -> Path:
    return _yaml(folder, f"scale: '$(touch {canary})'\n")
