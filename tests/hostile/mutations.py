"""Random damage to files: of any bytes, and of the structure of those that are archives, JSON or messages."""

import copy
import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Mutation = Callable[[bytes, random.Random], bytes]
INTEGERS = (0, 1, 2, 127, 128, 255, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 8, 2**32 - 1)
"""Numbers that sizes, offsets and codes are set to."""
VALUES: tuple[Any, ...] = (None, True, 0, -1, 3, 2**31, 10**30, 1e308, "", "x", "0" * 300, [], {}, [[]], [0], {"x": 1})
"""Values that take the place of one in JSON."""
TYPES = ("<f4", "<f8", "<f2", "<i8", "|u1", "|b1", "<c8", "<U3", "|S2", "<M8[s]", "|V4")
"""Types that an array is said to have."""


def of_bytes(content: bytes, draw: random.Random) -> bytes:
    """Flipped bits, other integers, and blocks that are cut off, cleared, doubled or exchanged."""
    if not content:
        return b"\0"
    made = bytearray(content)
    # Formats keep their structure at the beginning or at the end.
    size = len(made)

    def place() -> int:
        near = draw.choice((size, size, min(400, size), min(4000, size)))
        return draw.randrange(near) if draw.random() < 0.6 else size - 1 - draw.randrange(near)

    for _ in range(draw.choice((1, 1, 1, 2, 4, 16))):
        at, length = place(), draw.choice((1, 4, 16, 100, 1000))
        match draw.randrange(7):
            case 0 | 1:
                made[at] ^= 1 << draw.randrange(8)
            case 2 | 3:
                at = min(at & ~3, max(0, size - 4))
                made[at : at + 4] = struct.pack("<I", draw.choice(INTEGERS))[: size - at]
            case 4:
                made[at : at + length] = bytes(min(length, size - at))
            case 5:
                made[at : at + length] = made[at : at + length][::-1]
            case 6:
                to = place()
                count = min(length, size - max(at, to))
                made[at : at + count] = made[to : to + count]
    if draw.random() < 0.15:
        del made[place() :]
    elif draw.random() < 0.1:
        at = place()
        made[at:at] = made[at : at + 100]
    return bytes(made)


def of_json(content: bytes, draw: random.Random) -> bytes:
    """Another value, or none, in a place of a JSON text; now and then damage to its bytes."""
    if draw.random() < 0.15:
        return of_bytes(content, draw)
    whole = json.loads(content)
    if draw.random() < 0.02:
        return json.dumps(draw.choice(VALUES)).encode()
    for _ in range(draw.choice((1, 1, 2, 5))):
        places = list(_places(whole))
        if not places:
            break
        holder, key = draw.choice(places)
        other, from_key = draw.choice(places)
        match draw.randrange(5):
            case 0 | 1:
                # A copy, as a later change may reach into it.
                holder[key] = copy.deepcopy(draw.choice(VALUES))
            case 2:
                del holder[key]
            case 3:
                holder[key] = json.loads(json.dumps(other[from_key]))
            case 4 if isinstance(holder[key], (int, float)):
                holder[key] = draw.choice((-holder[key], holder[key] + 1, holder[key] * 1000, str(holder[key])))
    return json.dumps(whole).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every list or mapping in a value, however deep, with each of its keys."""
    left = [value]
    while left:
        value = left.pop()
        keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        for key in keys:
            yield value, key
        left += [value[key] for key in keys]


def of_text(content: bytes, draw: random.Random) -> bytes:
    """Another number, word or line of a text."""
    if draw.random() < 0.3:
        return of_bytes(content, draw)
    words = list(re.finditer(rb"[A-Za-z_]+|-?\d+(?:\.\d+)?|[^\sA-Za-z0-9_]", content))
    others = [
        b"0",
        b"-1",
        b"2147483648",
        b"1e999",
        b".nan",
        b"true",
        b"null",
        b"x",
        b"[]",
        b"{}",
        b"? [a]",
        b"&a",
        b"*a",
    ]
    for one in sorted(draw.sample(words, min(len(words), draw.choice((1, 1, 2, 4)))), key=lambda one: -one.start()):
        new = draw.choice([*others, draw.choice(words)[0]])
        content = content[: one.start()] + new + content[one.end() :]
    return content


def of_array(content: bytes, draw: random.Random) -> bytes:
    """Another shape, type or number of an array in the format of NumPy."""
    if draw.random() < 0.3:
        return of_bytes(content, draw)
    array = np.load(io.BytesIO(content))
    match draw.randrange(7):
        case 0:
            array = array.ravel()
        case 1:
            array = array[None]
        case 2:
            array = array.ravel()[: draw.choice((0, 1, 3))]
        case 3 if array.ndim:
            array = array[: draw.randrange(len(array) + 1)]
        case 4 if array.ndim:
            array = np.concatenate([array, array[:3]])
        case 5 if array.size and array.dtype.kind in "fiu":
            flat = array.ravel().copy()
            with np.errstate(all="ignore"):
                extremes = np.array([-1, 0, 1e9, 2**62, np.inf, np.nan]).astype(array.dtype)
            flat[draw.randrange(flat.size)] = draw.choice(extremes)
            array = flat.reshape(array.shape)
        case _:
            kind = np.dtype(draw.choice(TYPES))
            array = np.zeros(array.shape, kind)
    return written(array)


def written(array: np.ndarray) -> bytes:
    """Content of a .npy file."""
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def of_zip(of_member: Callable[[str], Mutation]) -> Mutation:
    """Damage within members of an archive, whose checksums are right again; or to the archive itself."""

    def mutation(content: bytes, draw: random.Random) -> bytes:
        if draw.random() < 0.2:
            return of_bytes(content, draw)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
        at = draw.randrange(len(members))
        name, held = members[at]
        match draw.randrange(12):
            case 0:
                del members[at]
            case 1:
                members[at] = name, draw.choice(members)[1]
            case 2:
                members[at] = draw.choice(("x", name + "x", "inputs.npy", "../x.npy")), held
            case _:
                members[at] = name, of_member(name)(held, draw)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for one, data in members:
                archive.writestr(one, data)
        return file.getvalue()

    return mutation


of_npz = of_zip(lambda name: of_array)
of_keras = of_zip(lambda name: of_json if name.endswith(".json") else of_bytes)
of_pt2 = of_keras


def of_message(kind: Callable[[], Any]) -> Mutation:
    """Another value of a field, or a message left out or doubled, in a message of Protocol Buffers."""

    def mutation(content: bytes, draw: random.Random) -> bytes:
        if draw.random() < 0.3:
            return of_bytes(content, draw)
        whole = kind()
        whole.ParseFromString(content)
        for _ in range(draw.choice((1, 1, 2, 4))):
            fields = list(_fields(whole))
            message, field = draw.choice(fields)
            value = getattr(message, field.name)
            if field.is_repeated and not hasattr(value, "items"):
                if not len(value):
                    continue
                at = draw.randrange(len(value))
                if draw.random() < 0.5:
                    del value[at]
                elif not field.message_type:
                    value.append(value[at]) if draw.random() < 0.5 else value.__setitem__(at, _other(value[at], draw))
                else:
                    value.add().CopyFrom(value[at])
            elif field.message_type or field.is_repeated or draw.random() < 0.2:
                message.ClearField(field.name)
            else:
                try:
                    setattr(message, field.name, _other(value, draw))
                except (ValueError, TypeError):
                    message.ClearField(field.name)
        return bytes(whole.SerializeToString())

    return mutation


def _fields(message: Any) -> Iterator[tuple[Any, Any]]:
    for field, value in message.ListFields():
        yield message, field
        if field.message_type and not hasattr(value, "items"):
            for one in value if field.is_repeated else [value]:
                yield from _fields(one)


def _other(value: Any, draw: random.Random) -> Any:
    if isinstance(value, str):
        return draw.choice(("", "x", value + "x", value[:-1]))
    if isinstance(value, bytes):
        return of_bytes(value, draw)
    return draw.choice((0, 1, -1, 2**31 - 1, value + 1, value - 1, value * 1000))


def of_tflite(content: bytes, draw: random.Random) -> bytes:
    """Another number, list or text in a field of the schema of TensorFlow Lite."""
    if draw.random() < 0.4:
        return of_bytes(content, draw)
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    for _ in range(draw.choice((1, 1, 2, 4))):
        holder, name = draw.choice(list(_attributes(model)))
        value = getattr(holder, name)
        if isinstance(value, bool):
            setattr(holder, name, not value)
        elif isinstance(value, int):
            setattr(holder, name, draw.choice((0, 1, 2, 100, 127, value + 1)))
        elif isinstance(value, np.ndarray | list) and len(value):
            held = list(value)
            if not isinstance(held[0], int | float | np.number) or draw.random() < 0.3:
                held = draw.choice((held[:-1], [*held, held[0]], held[::-1]))
            else:
                held[draw.randrange(len(held))] = type(held[0])(draw.choice((0, 1, 2, 100, 127)))
            setattr(holder, name, held)
    builder = flatbuffers.Builder(1024)
    try:
        builder.Finish(model.Pack(builder), b"TFL3")
    # Not every value fits its field.
    except Exception:
        return of_bytes(content, draw)
    return bytes(builder.Output())


def _attributes(value: Any) -> Iterator[tuple[Any, str]]:
    for name, held in vars(value).items():
        yield value, name
        for one in held if isinstance(held, list) else [held]:
            if type(one).__name__.endswith("T") and hasattr(one, "__dict__"):
                yield from _attributes(one)


def of_parquet(content: bytes, draw: random.Random) -> bytes:
    """Another type, length or cell of a column, or other settings; or damage to the bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if draw.random() < 0.4:
        return of_bytes(content, draw)
    table = pq.read_table(io.BytesIO(content))
    told = dict(table.schema.metadata)
    place = draw.randrange(table.num_columns)
    name = table.column_names[place]
    match draw.randrange(5):
        case 0:
            table = table.drop_columns([name])
        case 1:
            kind = draw.choice((pa.string(), pa.float64(), pa.int8(), pa.binary(), pa.list_(pa.float32())))
            table = table.set_column(place, name, pa.nulls(table.num_rows, kind))
        case 2 if pa.types.is_integer(table.schema.types[place]):
            cells = table[name].to_pylist()
            cells[draw.randrange(len(cells))] = draw.choice((0, -1, 127, 10**4))
            kind = pa.int64() if min(cells) < 0 or max(cells) < 2**63 else pa.uint64()
            table = table.set_column(place, name, pa.array(cells, kind))
        case _:
            key = draw.choice(sorted(told))
            told[key] = of_json(told[key], draw) if told[key].startswith(b"{") else of_bytes(told[key], draw)
    file = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(told), file)
    return file.getvalue()


def of_hdf5(content: bytes, draw: random.Random) -> bytes:
    """Other attributes, of which one holds the configuration of the network; or damage to the bytes."""
    import h5py

    if draw.random() < 0.5:
        return of_bytes(content, draw)
    file = io.BytesIO(content)
    with h5py.File(file, "r+") as held:
        name = draw.choice(sorted(held.attrs))
        value = held.attrs[name]
        text = value if isinstance(value, bytes) else value.encode() if isinstance(value, str) else b""
        if text.startswith(b"{") and draw.random() < 0.9:
            held.attrs[name] = np.bytes_(of_json(text, draw))
        elif draw.random() < 0.5:
            del held.attrs[name]
        else:
            held.attrs[name] = draw.choice((0, "x", np.zeros(3), b"\xff"))
    return file.getvalue()
