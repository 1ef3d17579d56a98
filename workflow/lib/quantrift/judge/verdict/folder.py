"""Folder of an assessment: written whole or not at all, and no file of others in it is lost."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, ValidationError

from quantrift.core.base.errors import QuantriftError, refuse
from quantrift.core.base.files import sha256, write_json
from quantrift.core.base.moved_files import (
    COMMIT,
    alone_in,
    files_below,
    finish_moving,
    move_into,
    remove_unfinished,
    unfinished,
)
from quantrift.judge.verdict.assessment import FILE

MANIFEST = "manifest.json"
"""Names every file that an assessment wrote, with its digest; only these are ever replaced."""


class Manifest(BaseModel):
    """List of the files that an assessment wrote to its folder."""

    model_config = ConfigDict(extra="forbid", strict=True)
    files: dict[str, str]
    """Name relative to the folder, with slashes -> sha256. The manifest itself is not among them."""


@contextmanager
def appearing(out: Path, sources: Sequence[Path] = ()) -> Iterator[Path]:
    """A folder to write to; its files move into ``out`` if the block ends well, and are lost otherwise.

    Files of an earlier assessment in ``out`` are replaced then, all of them; other files there stay. A link to a folder
    is written through. What a killed run was moving there is moved first.

    Args:
        out: folder, which need not exist.
        sources: files that the assessment reads, which must not be among those that it replaces.

    Raises:
        QuantriftError: a file stands in the way which no assessment wrote, or which was changed since; or another run
            writes to the folder.
    """
    try:
        real = out.resolve()
    except RuntimeError:
        raise QuantriftError(f"{out}: is a link to itself; name another folder with --out") from None
    refuse((real.exists() and not real.is_dir(), f"{out}: is a file; name a folder for the assessment"))
    made = [folder for folder in (real, *real.parents) if not folder.exists()]
    try:
        # A new folder appears in one step; elsewhere files need only be renamed.
        with alone_in(real), unfinished(real.parent if made else real) as work:
            # A killed run that made the folder left its files beside it.
            remove_unfinished(real.parent)
            finish_moving(real, lambda: _left(real, out), MANIFEST)
            _check(real, out, sources, work)
            yield work
            write_json(work / MANIFEST, {"files": {name: sha256(work / name) for name in files_below(work)}})
            if made and not any(real.iterdir()):
                work.rename(real)
            else:
                earlier = _earlier(real, out)
                _keep_others(work, real, out, earlier)
                move_into(real, work, list(earlier), MANIFEST)
                # Folders that held files of the earlier assessment alone go too.
                emptied = {real / one for name in earlier for one in PurePosixPath(name).parents[:-1]}
                for folder in sorted(emptied, reverse=True):
                    with suppress(OSError):
                        folder.rmdir()
    finally:
        # Folders that are not empty stay.
        with suppress(OSError):
            for folder in made:
                folder.rmdir()


def _check(real: Path, out: Path, sources: Sequence[Path], work: Path) -> None:
    """Refuse folders and sources that cannot be told from what an assessment wrote."""
    earlier = _earlier(real, out)
    unknown = f"an assessment without {MANIFEST}, so its own files cannot be told from others"
    held = unknown if (real / FILE).exists() else "other files than an assessment"
    refuse(
        (
            not earlier and any(one != work for one in real.iterdir()),
            f"{out}: holds {held}; name a new folder with --out",
        ),
        *(
            (
                source.resolve() in {real / name for name in earlier},
                f"{source}: lies in {out} and would be replaced; name another folder with --out",
            )
            for source in sources
        ),
    )


def rewritten(folder: Path, name: str) -> None:
    """Note in the manifest of an assessment's folder that one of its files was written again."""
    path = folder / MANIFEST
    if path.is_file():
        write_json(
            path, {"files": Manifest.model_validate_json(path.read_bytes()).files | {name: sha256(folder / name)}}
        )


def _earlier(real: Path, out: Path) -> dict[str, str]:
    """Files of an earlier assessment that nobody changed since, its manifest included: name -> digest."""
    path = real / MANIFEST
    if path.is_symlink() or not path.is_file():
        return {}
    try:
        listed = Manifest.model_validate_json(path.read_bytes()).files
    except ValidationError:
        raise QuantriftError(f"{path}: damaged; name a new folder with --out") from None
    for name in listed:
        refuse(
            (
                not (parts := PurePosixPath(name).parts) or ".." in parts or PurePosixPath(name).is_absolute(),
                f"{path}: names '{name}', which is not in its folder; name a new folder with --out",
            )
        )
    files = {name: digest for name, digest in listed.items() if os.path.lexists(real / name)}
    for name, digest in files.items():
        way = [real / name, *(real / folder for folder in PurePosixPath(name).parents[:-1])]
        refuse(
            (
                any(one.is_symlink() for one in way) or not (real / name).is_file(),
                f"{out / name}: is not the file that an assessment wrote; name a new folder with --out",
            )
        )
        refuse(
            (
                sha256(real / name) != digest,
                f"{out / name}: was changed since an assessment wrote it; move it away, or name a new folder with "
                "--out",
            )
        )
    return files | {MANIFEST: sha256(path)}


def _left(real: Path, out: Path) -> list[str]:
    """Files of the earlier assessment that a killed run has not moved away yet.

    Raises:
        QuantriftError: a file of someone else stands in the way.
    """
    earlier = _earlier(real, out)
    refuse(
        *(
            (
                name not in earlier and os.path.lexists(real / name),
                f"{out / name}: stands in the way of an interrupted run's files; move it away",
            )
            for name in files_below(real / COMMIT / "new")
        )
    )
    return list(earlier)


def _keep_others(work: Path, real: Path, out: Path, earlier: Mapping[str, str]) -> None:
    """Refuse to replace files of someone else; the finished files stay under another name then."""
    for name in files_below(work):
        folders = [real / folder for folder in PurePosixPath(name).parents[:-1]]
        blocked = [real / name] if name not in earlier and os.path.lexists(real / name) else []
        blocked += [one for one in folders if one.is_symlink() or (one.exists() and not one.is_dir())]
        if blocked:
            names = (out.with_name(f"{out.name}-{count}") for count in range(1, 10**6))
            kept = next(one for one in names if not one.exists())
            shutil.copytree(work, kept)
            raise QuantriftError(
                f"{out / blocked[0].relative_to(real)}: no assessment wrote this file, so it stays; the new assessment "
                f"is in {kept}"
            )
