"""Parcel of a sweep for other machines: the files of its networks and target, and what evaluates them there."""

from __future__ import annotations

import os
import pickle
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ....compiler import Model
from ....dialects.core.machine.file import machine_path
from ....discovery import is_inside, loaded_files, target_folders
from ....errors import Diagnostic
from ....files import errors_in, read_regular
from ....plugins import load_passes
from .evaluate import Design, Evaluator

if TYPE_CHECKING:
    from .rows import PointJob
    from .sweep import DesignSweep


@dataclass(frozen=True)
class Parcel:
    """
    Networks and target of a sweep, by the content of their files.

    `networks`, `passes` and `machine` have paths of `files`; `machine` is empty for a target of the package. `shown`
    has what messages name for paths of files, and after them of folders.
    """

    target: str
    machine: str
    by: str
    varied: frozenset[str]
    networks: Mapping[str, Model]
    passes: tuple[str, ...]
    files: Mapping[str, bytes]
    shown: Mapping[str, str]


def packed(sweep: DesignSweep) -> bytes:
    """Return the parcel of a sweep as bytes. Raises Diagnostic where a file cannot be read or sent."""
    files: dict[str, bytes] = {}
    shown: dict[str, str] = {}
    folders: dict[str, str] = {}
    networks: dict[str, Model] = {}
    for number, (name, model) in enumerate(sweep.networks.items()):
        place = f"networks/{number}/{model.path.name}"
        networks[name], shown[place] = replace(model, path=Path(place)), str(model.path)
        folders[f"networks/{number}"] = str(model.path.parent)
        for file in _files_of(model):
            files[f"networks/{number}/{file.relative_to(model.path.parent).as_posix()}"] = read_regular(file)
    machine = _pack_machine(sweep.design, files, shown, folders)
    passes: list[str] = []
    for number, file in enumerate(loaded_files()):
        passes.append(f"passes/{number}/{file.name}")
        files |= {f"passes/{number}/{path.name}": path.read_bytes() for path in file.parent.glob("*.py")}
        folders[f"passes/{number}"] = str(file.parent)
    design = sweep.design
    return pickle.dumps(
        Parcel(design.target, machine, design.by, sweep.varied, networks, tuple(passes), files, shown | folders)
    )


def _files_of(model: Model) -> list[Path]:
    """Return the file of a network and those of its external data."""
    from onnx import ModelProto

    from ....frontend.tensors import external_files

    if model.path.suffix != ".onnx":
        return [model.path]
    with errors_in(model.path):
        proto = ModelProto.FromString(read_regular(model.path))
    return [model.path, *dict.fromkeys(external_files(proto, model.path.parent))]


def _pack_machine(design: Design, files: dict[str, bytes], shown: dict[str, str], folders: dict[str, str]) -> str:
    """Add the files of a target outside of the package, and return the path of its machine file, else empty."""
    if is_inside(design.path):
        return ""
    sources = list(dict.fromkeys(_machine_files(design.path)))
    root = Path(os.path.commonpath([file.parent for file in sources]))
    for file in sources:
        files[f"machine/{file.relative_to(root).as_posix()}"] = read_regular(file)
    place = f"machine/{design.path.relative_to(root).as_posix()}"
    shown[place], folders["machine"] = design.target, str(root)
    return place


def _machine_files(file: Path) -> Iterator[Path]:
    """
    Yield a machine file, those that it is based on, and those of their targets' folders.

    Raises Diagnostic for an absolute path, which is none on another machine.
    """
    yield file
    if file.parent in target_folders().values():
        paths = (path for path in file.parent.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        yield from sorted(paths)
    table = tomllib.loads(read_regular(file).decode())
    engines = table.get("engines", {}).values()
    bases = [table.get("include"), *(str(engine["like"]).rpartition(".")[0] for engine in engines if "like" in engine)]
    for base in filter(None, bases):
        path = machine_path(base, file.parent).resolve()
        if is_inside(path):
            continue
        if Path(base).is_absolute():
            expected = "a path relative to the file: workers have no other"
            raise Diagnostic("a machine file is based on an absolute path", str(file), expected, base)
        yield from _machine_files(path)


class UnpackedSweep:
    """
    Evaluator of a parcel, whose files are written to a folder.

    Raises Diagnostic where its passes cannot be loaded.
    """

    def __init__(self, content: bytes, folder: Path):
        parcel: Parcel = pickle.loads(content)
        for name, data in parcel.files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        for name in parcel.passes:
            load_passes(folder / name)
        networks = {name: replace(model, path=folder / model.path) for name, model in parcel.networks.items()}
        design = Design(str(folder / parcel.machine) if parcel.machine else parcel.target, parcel.by)
        (scratch := folder / "scratch").mkdir()
        self._evaluator = Evaluator(design, networks, parcel.varied, scratch)
        self._shown = {str(folder / place): text for place, text in parcel.shown.items()}

    def metrics(self, job: PointJob) -> dict[str, float]:
        """Return the costs of a job. Raises Diagnostic where it fails."""
        return self._evaluator.metrics(*job)

    def told(self, text: str) -> str:
        """Return the text of an error with the paths that the user knows."""
        for path, name in self._shown.items():
            text = text.replace(path, name)
        return text
