"""The C compiler: found, told apart from none, run, and its results kept."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright.errors import Diagnostic
from tilewright.runtime import toolchain

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(folder))
    return folder


def source(folder: Path, value: str) -> Path:
    file = folder / "code.c"
    file.write_text(f'#include "value.h"\nint value(void) {{ return {value}; }}\n')
    (folder / "value.h").write_text("#define BASE 40\n")
    return file


def finds(result: object) -> Callable[[str], object]:
    return lambda name: result


def value_of(library: Path) -> int:
    return ctypes.CDLL(str(library)).value()


def test_a_library_is_built_once(tmp_path: Path, own_cache: Path) -> None:
    file = source(tmp_path, "BASE + 2")
    first = toolchain.compile_shared([file])
    stamp = first.stat().st_mtime_ns
    assert value_of(first) == 42
    assert toolchain.compile_shared([file]) == first
    assert (first.stat().st_mtime_ns, len(list(own_cache.iterdir()))) == (stamp, 1)


def test_a_changed_header_builds_anew(tmp_path: Path) -> None:
    file = source(tmp_path, "BASE + 2")
    first = toolchain.compile_shared([file])
    (tmp_path / "value.h").write_text("#define BASE 50\n")
    second = toolchain.compile_shared([file])
    assert (value_of(first), value_of(second)) == (42, 52)


def test_the_least_recently_used_is_evicted(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, kept = (toolchain.compile_shared([source(tmp_path, f"BASE + {i}")]) for i in range(2))
    for hours, built in enumerate((kept, old), 1):
        used = time.time() - 3600 * hours
        os.utime(built, (used, used))
    monkeypatch.setattr(toolchain, "CACHE_BYTES", kept.stat().st_size * 2)
    new = toolchain.compile_shared([source(tmp_path, "BASE + 2")])
    assert set(own_cache.iterdir()) == {kept, new}
    monkeypatch.setattr(toolchain, "CACHE_BYTES", 0)
    toolchain.compile_shared([source(tmp_path, "BASE + 1")])  # a hit, which is a use
    last = toolchain.compile_shared([source(tmp_path, "BASE + 3")])
    assert set(own_cache.iterdir()) == {kept, new, last}, "recent files stay"


@pytest.mark.long
def test_sources_among_flags_are_compiled_once(tmp_path: Path, own_cache: Path) -> None:
    (tmp_path / "emulation").mkdir()
    (tmp_path / "emulation" / "more.c").write_text("int more(void) { return FLAG; }\n")
    (tmp_path / "code.h").write_text("extern int more(void);\n")
    stamps: set[int] = set()
    file, flags = tmp_path / "code.c", ["-DFLAG=7", str(tmp_path / "emulation" / "more.c")]
    for number in range(2):
        file.write_text(f'#include "code.h"\nint value(void) {{ return more() + {number}; }}\n')
        assert value_of(toolchain.compile_shared([file], flags)) == 7 + number
        stamps |= {each.stat().st_mtime_ns for each in own_cache.glob("*.o")}
    assert (len(stamps), len(list(own_cache.iterdir()))) == (1, 3)
    (tmp_path / "emulation" / "more.c").write_text("int more(void) { return FLAG + 1; }\n")
    assert value_of(toolchain.compile_shared([file], flags)) == 9


def test_flags_reach_the_compiler(tmp_path: Path) -> None:
    assert value_of(toolchain.compile_shared([source(tmp_path, "FLAG")], ["-DFLAG=7"])) == 7


def test_an_error_of_the_compiler_is_shown(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="unknown_name"):
        toolchain.compile_shared([source(tmp_path, "unknown_name")])


def test_cc_chooses_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "sh -c")
    assert toolchain.compiler() == ("sh", "-c")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(Diagnostic, match="does not exist"):
        toolchain.compiler()


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "find_spec", finds(None))
    with pytest.raises(Diagnostic, match="there is no C compiler"):
        toolchain.compiler()


def test_ziglang_serves_where_there_is_no_cc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(toolchain, "find_spec", finds(object()))
    assert toolchain.compiler()[1:] == ("-m", "ziglang", "cc")
