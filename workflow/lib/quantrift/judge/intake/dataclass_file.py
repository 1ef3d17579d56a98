"""Reader of the JSON files that a command leaves in a user's folder; they may come back damaged."""

from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from quantrift.core.base.errors import QuantriftError

T = TypeVar("T")


def read_dataclass(path: Path, kind: type[T], name: str, command: str) -> T:
    """Read a file that holds a dataclass.

    Args:
        path: the file.
        kind: the dataclass.
        name: of the content, with its article.
        command: that makes it.

    Raises:
        QuantriftError: if there is no such file, or it is damaged.
    """
    try:
        return TypeAdapter(kind).validate_json(path.read_bytes())
    except OSError as error:
        raise QuantriftError(f"{path}: {error.strerror or error}; name the folder of {name}") from None
    except ValidationError as error:
        raise QuantriftError(
            f"{path}: not {name} ({error.error_count()} errors); make it again with {command}"
        ) from None
