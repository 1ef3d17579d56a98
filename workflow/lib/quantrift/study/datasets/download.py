"""Downloads: the addresses of a file are tried in order until one gives the file with the known digest."""

import hashlib
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from pooch import HTTPDownloader

from quantrift.core.base.errors import QuantriftError
from quantrift.core.base.files import replacing
from quantrift.core.base.progress_bar import bar
from quantrift.core.settings.datasets import SourceFile

CONNECT, SILENCE = 10.0, 30.0
"""Seconds an address may take to accept a connection, and to send its next bytes."""
LEAST_RATE = 4096
"""Bytes a second, over ``SILENCE`` seconds, below which the next address is tried."""


class _Unusable(Exception):
    """An address that does not give the file; its message says why."""


def download(file: SourceFile, path: Path, connect: float = CONNECT, silence: float = SILENCE) -> list[str]:
    """Fetch an official file, with progress on standard error; ``path`` appears only when it is complete and right.

    Args:
        file: its addresses, digest and size.
        path: where to put it.
        connect: seconds to wait for a connection.
        silence: seconds to wait for the next bytes, and over which the rate is judged.

    Returns:
        Why each address was of no use, in order; empty when one of them gave the file.

    Raises:
        QuantriftError: when the file cannot be written.
    """
    reasons = []
    for url in file.urls:
        try:
            with replacing(path) as temporary:
                _from(url, file, temporary, connect, silence)
            return []
        except _Unusable as unusable:
            reasons.append(f"{url.split('/')[2]}: {unusable}")
        except OSError as error:
            raise QuantriftError(
                f"{path}: cannot be written ({error.strerror}); make room, or set data.downloads to another folder"
            ) from None
    return reasons


def _from(url: str, file: SourceFile, temporary: Path, connect: float, silence: float) -> None:
    """Write to ``temporary`` what an address sends; return only when that is the official file."""
    progress = bar(desc=file.path, total=file.bytes, unit="B", unit_scale=True, leave=False, delay=1)
    with temporary.open("wb") as stream, progress, ExitStack() as responses:

        def opened(response: Any, *_: Any, **__: Any) -> None:
            # Pooch leaves the connection open when it stops reading early.
            responses.callback(response.close)
            # An address that sends a byte now and then would never fill a chunk.
            read = partial(response.raw.read1, decode_content=False)
            response.iter_content = lambda chunk_size: iter(partial(read, chunk_size), b"")

        fetch = HTTPDownloader(
            chunk_size=1 << 16,
            timeout=(connect, silence),
            # Compressed transfer would hide the size, and be mistaken for the compression of the file itself.
            headers={"Accept-Encoding": "identity", "User-Agent": "quantrift"},
            hooks={"response": opened},
        )
        arriving = _Arriving(stream, progress, file.bytes, silence)
        try:
            fetch(url, arriving, None)
        except (_Unusable, _Unwritable):
            raise
        # Servers, proxies and resolvers fail in the exceptions of five libraries; each means: try the next address.
        except Exception as error:
            raise _Unusable(_reason(error)) from None
    if arriving.digest.hexdigest() != file.sha256:
        raise _Unusable(f"sends {arriving.received:,} bytes that are not the official file")


class _Unwritable(OSError):
    """The disk failed, not the address."""


class _Arriving:
    """The file that pooch writes to: counts, digests and judges what arrives."""

    def __init__(self, stream: BinaryIO, bar: Any, size: int | None, silence: float) -> None:
        self.digest = hashlib.sha256()
        self.received = 0
        self._stream, self._bar, self._size, self._silence = stream, bar, size, silence
        self._since, self._before = time.monotonic(), 0

    def write(self, chunk: bytes) -> None:
        self.digest.update(chunk)
        self.received += len(chunk)
        if self._size is not None and self.received > self._size:
            raise _Unusable(f"sends more than the {self._size:,} bytes of the official file")
        elapsed = time.monotonic() - self._since
        if elapsed >= self._silence:
            if self.received - self._before < LEAST_RATE * elapsed:
                raise _Unusable(f"sends less than {LEAST_RATE:,} bytes a second")
            self._since, self._before = time.monotonic(), self.received
        try:
            self._stream.write(chunk)
        except OSError as error:
            raise _Unwritable(error.errno, error.strerror) from None
        self._bar.update(len(chunk))

    def flush(self) -> None:
        """Nothing: pooch asks for it after each chunk, closing the file is enough."""


def _reason(error: BaseException) -> str:
    """The cause below what the libraries made of it, as a few words on one line."""
    response = getattr(error, "response", None)
    while response is None and (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = said if response is None else f"{response.status_code} {response.reason}"
    return "".join(sign if sign.isprintable() else " " for sign in text)[:200]
