"""
Modules found by where their files lie, so that nothing lists passes, dialects, targets or rules.

A target's folder may lie anywhere: `adopt` makes it the package `<package>.targets.<name>`, as if it lay in `targets/`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, TypeVar

from .errors import Diagnostic

K = TypeVar("K")
T = TypeVar("T")

F = TypeVar("F", bound=Callable[..., object])

_PACKAGE = __name__.rpartition(".")[0]
_ROOT = Path(__file__).parent
TARGETS = _ROOT / "targets"
TEMPLATES = TARGETS / "template"
"""The templates of new targets, a folder for each kind."""

_DESCRIPTIONS = ("machine.toml", "pipeline.txt")
_PARTS = ("pipeline.txt", "costs.py", "passes", "dialects", "emulation.py", "c")
"""A target's folder outside of the package has one of _DESCRIPTIONS and one of _PARTS."""

_adopted: dict[str, Path] = {}
"""Target outside of the package -> its folder."""
_loaded: dict[Path, ModuleType] = {}
"""File named by --load-pass -> its module."""
_on_forget: list[Callable[[Collection[str]], object]] = []


def registering(table: dict[K, Any], keys: Iterable[K]) -> Callable[[F], F]:
    """Return a decorator that enters a function in a table of rules under these keys."""

    def register(rule: F) -> F:
        table.update(dict.fromkeys(keys, rule))
        return rule

    return register


def on_forget(drop: Callable[[Collection[str]], object]) -> None:
    """Let `drop` be called with the names of targets that are no longer known, of which it has facts."""
    _on_forget.append(drop)


# Inside the package


def files(pattern: str) -> list[Path]:
    """Return the files of the package that match a pattern, but for `__init__.py`, sorted."""
    return [file for file in _matching(_ROOT, pattern) if file.stem != "__init__"]


def packages(pattern: str) -> Sequence[Path]:
    """Return the `__init__.py` of the package's folders that match a pattern, sorted."""
    return _matching(_ROOT, f"{pattern}__init__.py")


def _matching(folder: Path, pattern: str) -> Sequence[Path]:
    """Return the paths in a folder that match a pattern, sorted; those of the package are looked up once."""
    return _own(folder, pattern) if is_inside(folder) else sorted(folder.glob(pattern))


@cache
def _own(folder: Path, pattern: str) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob(pattern)))


def module_at(file: Path) -> ModuleType:
    """
    Import the module of the package, or of an adopted target, that a file holds.

    Raises Diagnostic where that of an adopted target cannot be imported.
    """
    name = _module_name(file)
    if is_inside(file):
        return import_module(name)
    return imported(partial(import_module, name), file)


def is_inside(file: Path) -> bool:
    """Return whether a file is the package's own, not one of an adopted target."""
    return file.is_relative_to(_ROOT)


def _module_name(file: Path) -> str:
    for target, folder in _adopted.items():
        if file.is_relative_to(folder):
            return ".".join((_PACKAGE, TARGETS.name, target, *_parts(file.relative_to(folder))))
    return ".".join((_PACKAGE, *_parts(file.relative_to(_ROOT))))


def _parts(file: Path) -> tuple[str, ...]:
    return file.parent.parts if file.stem == "__init__" else file.with_suffix("").parts


@cache
def import_folder(folder: Path) -> None:
    """Import every module of a folder of the package, whose rules then are in their tables."""
    for file in files(f"{folder.relative_to(_ROOT).as_posix()}/*.py"):
        module_at(file)


# Targets


def target_folders() -> dict[str, Path]:
    """Return the folder of each target, those outside of the package included, by name."""
    return folders_in(TARGETS) | _adopted


def folders_in(root: Path) -> dict[str, Path]:
    """Return the folders in `root` that describe a machine or a pipeline, by name, sorted."""
    folders = {file.parent for name in _DESCRIPTIONS for file in _matching(root, f"*/{name}")}
    return {folder.name: folder for folder in sorted(folders)}


def target_files(pattern: str) -> list[Path]:
    """Return the files of all targets that match a pattern, but for `__init__.py`, sorted by target."""
    folders = target_folders().values()
    return [file for folder in folders for file in _matching(folder, pattern) if file.stem != "__init__"]


def target_packages(pattern: str) -> list[Path]:
    """Return the `__init__.py` of folders of all targets that match a pattern, sorted by target."""
    return [file for folder in target_folders().values() for file in _matching(folder, f"{pattern}__init__.py")]


def adopt(path: Path) -> None:
    """
    Make known the target in a folder, or in that of a machine file, unless it is known.

    A folder that does not describe a target, or has no part of one beside machine files, is none. Raises Diagnostic
    where another target has its name, and where the name cannot be that of a Python package.
    """
    folder = (path if path.is_dir() else path.parent).resolve()
    is_described = any((folder / name).exists() for name in _DESCRIPTIONS)
    if folder.parent == TARGETS.resolve() or not is_described or not any((folder / name).exists() for name in _PARTS):
        return
    name = folder.name
    if _adopted.get(name) == folder:
        return
    other = _adopted.get(name) or (TARGETS / name if (TARGETS / name).exists() else None)
    if other is not None:
        raise Diagnostic(
            f"two targets have the name '{name}'",
            where=str(folder),
            expected="a folder whose name no other target has",
            found=f"the target in {other}",
            remedy="rename the folder",
        )
    if not name.isidentifier():
        raise Diagnostic(
            f"'{name}' cannot be the name of a target",
            where=str(folder),
            expected="letters, digits and '_', as in the name of a Python package",
            remedy="rename the folder",
        )
    _adopted[name] = folder
    try:
        package = f"{_PACKAGE}.{TARGETS.name}.{name}"
        imported(partial(_import_file, package, folder / "__init__.py", folder), folder)
    except Diagnostic:
        del _adopted[name]
        raise


# Files


def load_file(path: Path) -> ModuleType:
    """
    Import a file from anywhere, once; it may import its neighbours relatively.

    Raises Diagnostic where it is no Python file, or cannot be imported.
    """
    file = path.resolve()
    if file not in _loaded:
        if file.suffix != ".py" or not file.is_file():
            raise Diagnostic("there is no such Python file", where=str(path), expected="a file that ends in .py")
        package = f"{_PACKAGE}._files{len(_loaded)}"
        _import_file(package, file.parent / "__init__.py", file.parent)
        _loaded[file] = imported(partial(_import_file, f"{package}.{file.stem}", file), file)
    return _loaded[file]


def loaded_files() -> Mapping[Path, ModuleType]:
    """Return the modules of the files that `load_file` has imported, by path."""
    return _loaded


def _import_file(name: str, file: Path, folder: Path | None = None) -> ModuleType:
    """Import a file under a name, as the package of `folder` if that is given; the file may then be missing."""
    if folder is not None and not file.is_file():
        module = ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
        return module
    spec = spec_from_file_location(name, file, submodule_search_locations=[str(folder)] if folder else None)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def imported(load: Callable[[], T], origin: Path | str) -> T:
    """
    Import by `load` and return its result. Raises Diagnostic, with file, line and cause, for any exception in the code.
    """
    try:
        return load()
    except Diagnostic:
        raise
    except (Exception, SystemExit) as error:
        text = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}".rstrip(": ")
        raise Diagnostic(
            "the plug-in cannot be imported",
            where=_place(error, origin),
            found=text,
            remedy="mend the file; --debug shows the traceback",
        ) from error


def _place(error: BaseException, origin: Path | str) -> str:
    """Return file:line of an error: of its syntax, or else of the innermost frame in a plug-in's own code."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{shown(error.filename)}:{error.lineno}"
    own = ""
    folder = origin if isinstance(origin, Path) and origin.is_dir() else Path(origin).parent
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        is_own = Path(file).is_relative_to(folder) if isinstance(origin, Path) else not _is_machinery(file)
        own = f"{shown(file)}:{traceback.tb_lineno}" if is_own else own
        traceback = traceback.tb_next
    return own or str(origin)


def shown(file: str) -> str:
    """Return a path as a user in the working directory writes it."""
    return str(Path(file).relative_to(Path.cwd())) if Path(file).is_relative_to(Path.cwd()) else file


def _is_machinery(file: str) -> bool:
    return file.startswith("<frozen") or file == __file__ or "importlib" in Path(file).parts


# Scope


def version() -> Hashable:
    """Return a value that differs wherever other things from outside of the package are known."""
    return tuple(_adopted.items()), tuple(_loaded)


@contextmanager
def scope() -> Generator[None]:
    """Forget, at the end, the targets and files that became known inside."""
    targets, loaded = dict(_adopted), dict(_loaded)
    try:
        yield
    finally:
        gone = _adopted.keys() - targets.keys()
        packages = [f"{_PACKAGE}.{TARGETS.name}.{name}" for name in gone]
        packages += [_loaded[file].__name__.rpartition(".")[0] for file in _loaded.keys() - loaded.keys()]
        prefixes = tuple(f"{package}." for package in packages)
        for name in [name for name in sys.modules if f"{name}.".startswith(prefixes)]:
            del sys.modules[name]
        _restore(_adopted, targets)
        _restore(_loaded, loaded)
        for drop in _on_forget if packages else ():
            drop(gone)


def _restore(entries: dict[K, T], before: dict[K, T]) -> None:
    entries.clear()
    entries.update(before)


def unique(origins: Mapping[str, Mapping[str, T]], kind: str) -> dict[str, T]:
    """Return the entries of all origins by name. Raises Diagnostic where two have the same name."""
    merged: dict[str, T] = {}
    owner: dict[str, str] = {}
    for origin, entries in origins.items():
        for name, entry in entries.items():
            if name in owner:
                raise Diagnostic(
                    f"two {kind} have the name '{name}'",
                    where=origin,
                    expected=f"a name that no other of the {kind} has",
                    found=f"the one of {owner[name]}",
                    remedy="rename one of them, or leave one of the two out",
                )
            merged[name], owner[name] = entry, origin
    return merged
