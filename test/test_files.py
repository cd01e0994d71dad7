"""Outputs of several files appear whole or not at all, and nothing that others can write to is loaded."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tilewright import cli, files, opt_tool
from tilewright.compiler import Model, compile_model, write_compilation
from tilewright.errors import Diagnostic
from tilewright.files import check_places, read_regular, write_folder
from tilewright.runtime import toolchain
from tilewright.test.small_models import save, small

pytestmark = pytest.mark.quick

OLD = {"a": "old a", "b": "old b", "stale": "old", "mine": "mine", "folder/mine": "mine"}
NEW = {"a": "new a", "b": "new b", "c": "new c", "mine": "mine", "folder/mine": "mine"}


def write(folder: Path, contents: dict[str, str]) -> None:
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def held(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*") if file.is_file()}


def put(folder: Path) -> list[Path]:
    """Write `NEW` to a folder that may hold `OLD`."""
    return write_folder(folder, lambda new: write(new, dict(list(NEW.items())[:3])), lambda each: each.name == "stale")


@pytest.fixture(params=["whole", "each"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an old output, which can be renamed or, as the working directory, cannot."""
    write(tmp_path / "parent" / "out", OLD)
    if request.param == "each":
        monkeypatch.chdir(tmp_path / "parent" / "out")
    return tmp_path / "parent" / "out"


def test_a_folder_is_replaced_and_keeps_what_is_not_of_it(folder: Path):
    folder.chmod(0o750)
    assert put(folder) == [folder / name for name in "abc"]
    assert held(folder) == NEW
    assert folder.stat().st_mode & 0o777 == 0o750
    assert os.listdir(folder.parent) == ["out"]


def test_a_new_folder(tmp_path: Path):
    put(tmp_path / "x" / "y")
    assert sorted(held(tmp_path)) == ["x/y/a", "x/y/b", "x/y/c"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none/a", "there is no such folder"),
        ("mine/a", "Not a directory"),
        ("folder", "Is a directory"),
        ("long" * 100, "File name too long"),
    ],
)
def test_a_place_that_no_file_can_have(name: str, reason: str, tmp_path: Path):
    write(tmp_path, OLD)
    with pytest.raises(Diagnostic, match=f"the file cannot be written: {reason}"):
        check_places({"--html": tmp_path / name})


def test_places_are_of_one_file_each(tmp_path: Path):
    write(tmp_path, OLD)
    check_places({"-o": tmp_path / "a", "--html": tmp_path / "new", "--json": None})
    check_places({"-o": Path(os.devnull), "--html": Path(os.devnull)})
    for name in ("a", "new"):
        with pytest.raises(Diagnostic, match="two files have one place") as caught:
            check_places({"-o": tmp_path / name, "--html": tmp_path / "folder" / ".." / name})
        assert caught.value.found == "-o and --html"


def test_no_place_is_that_of_an_input(tmp_path: Path):
    write(tmp_path, OLD)
    given = tmp_path / "a"
    os.link(given, tmp_path / "hard")
    (tmp_path / "soft").symlink_to(given)
    check_places({"-o": tmp_path / "new"}, [given, None, tmp_path / "missing", tmp_path / "folder"])
    check_places({"-o": Path(os.devnull)}, [Path(os.devnull)])
    for name in ("a", "hard", "soft", "folder/../a"):
        with pytest.raises(Diagnostic, match="a file has the place of an input") as caught:
            check_places({"-o": tmp_path / name}, [None, given])
        assert caught.value.found == f"-o and {given}"


@pytest.mark.parametrize("failing", range(7))
def test_a_rename_that_fails_leaves_the_old_output(failing: int, folder: Path, monkeypatch: pytest.MonkeyPatch):
    rename, count = os.rename, iter(range(100))

    def failing_once(source: Path, target: Path) -> None:
        if next(count) == failing:
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing_once)
    try:
        put(folder)
    except OSError:
        assert held(folder) == OLD
    else:
        assert held(folder) == NEW
    assert os.listdir(folder.parent) == ["out"]


def test_a_kill_at_any_moment_leaves_the_old_output_or_the_new_one(tmp_path: Path):
    """A process is killed at each audited access to a file in turn, and before and after the exchange."""
    seen: set[str] = set()
    last, is_killed = 0, True
    while is_killed:
        folder = tmp_path / str(last) / "out"
        write(folder, OLD)
        child = os.fork()
        if child == 0:
            count = iter(range(1000))
            setattr(files, "_exchange", stopping_around(getattr(files, "_exchange"), count, last))
            sys.addaudithook(lambda event, _: stop_at(count, last) if event.startswith(("os.", "shutil.")) else None)
            put(folder)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert held(folder) in (OLD, NEW)
        seen.add("new" if held(folder) == NEW else "old")
        last, is_killed = last + 1, os.waitstatus_to_exitcode(status) != 0
    assert last > 10
    assert seen == {"old", "new"}


def stop_at(count: Iterator[int], last: int) -> None:
    if next(count) == last:
        os._exit(1)


def stopping_around(exchange: Callable[[Path, Path], bool], count: Iterator[int], last: int):
    def run(one: Path, other: Path) -> bool:
        stop_at(count, last)
        is_done = exchange(one, other)
        stop_at(count, last)
        return is_done

    return run


@pytest.mark.parametrize("missing", ["_exchange", "_link"])
def test_without_exchange_or_links_entries_are_replaced(missing: str, folder: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: Path) -> bool:
        if missing == "_link":
            raise OSError(1, "Operation not permitted")
        return False

    monkeypatch.setattr(files, missing, refused)
    put(folder)
    assert held(folder) == NEW
    assert os.listdir(folder.parent) == ["out"]


def test_a_failure_to_fill_leaves_the_old_output(folder: Path):
    def fail(new: Path) -> None:
        (new / "a").write_text("half")
        raise Diagnostic("no")

    with pytest.raises(Diagnostic):
        write_folder(folder, fail, lambda _: False)
    assert held(folder) == OLD
    assert os.listdir(folder.parent) == ["out"]


@pytest.mark.long
def test_folders_of_another_origin_stay(tmp_path: Path):
    """A folder `runtime` that no compilation wrote is neither removed nor replaced."""
    save(small(), tmp_path / "net.onnx")
    write(tmp_path / "out", {"runtime/mine.py": "mine", "weights.onnx": "mine"})
    write_compilation(compile_model(Model(tmp_path / "net.onnx"), "host"), tmp_path / "out")
    assert held(tmp_path / "out").items() >= {"runtime/mine.py": "mine", "weights.onnx": "mine"}.items()
    before = held(tmp_path / "out")
    with pytest.raises(Diagnostic, match="cannot be written") as caught:
        write_compilation(compile_model(Model(tmp_path / "net.onnx"), "siracusa"), tmp_path / "out")
    assert caught.value.found == "runtime holds files of another origin"
    assert held(tmp_path / "out") == before
    write_compilation(compile_model(Model(tmp_path / "net.onnx"), "siracusa"), tmp_path / "chip")
    (tmp_path / "chip" / "network-portable.elf").write_text("of an earlier network")
    write_compilation(compile_model(Model(tmp_path / "net.onnx"), "host"), tmp_path / "chip")
    assert not {"runtime/tw_cluster.h", "network-portable.elf"} & held(tmp_path / "chip").keys()


def test_programs_that_cannot_be_built_leave_nothing(tmp_path: Path):
    save(small(), tmp_path / "net.onnx")
    compilation = compile_model(Model(tmp_path / "net.onnx"), "host")

    def fail(_: Path) -> None:
        raise Diagnostic("does not fit")

    with pytest.raises(Diagnostic, match="does not fit"):
        write_compilation(compilation, tmp_path / "out", also=fail)
    assert os.listdir(tmp_path) == ["net.onnx"]


# Empty paths


@pytest.mark.parametrize(
    "words",
    [
        ["tilewright", "compile", "net.onnx", "-o", ""],
        ["tilewright", "compile", "net.onnx", "--output="],
        ["tilewright", "compile", "", "-o", "out"],
        ["tilewright", "compile", "net.onnx", "-o", "out", "--target", ""],
        ["tilewright", "run", "net.onnx", "--inputs", ""],
        ["tilewright", "run", "net.onnx", "--inputs", "in.npz", "--outputs", ""],
        ["tilewright", "check", ""],
        ["tilewright", "profile", "net.onnx", "--html", ""],
        ["tilewright", "generate", "", "--prompt", "1"],
        ["tilewright", "import", "net.onnx", "-o", ""],
        ["opt-tool", ""],
        ["opt-tool", "net.onnx", "-o", ""],
        ["opt-tool", "net.onnx", "--dump-dir", ""],
        ["opt-tool", "net.onnx", "--reproducer", ""],
        ["opt-tool", "net.onnx", "--interpret-each", "--inputs", ""],
    ],
)
def test_an_empty_text_is_no_path(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    save(small(), tmp_path / "net.onnx")
    assert {"tilewright": cli.main, "opt-tool": opt_tool.main}[words[0]](words[1:]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "error: " in err
    assert os.listdir(tmp_path) == ["net.onnx"]


# The cache


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "code.c").write_text("int value(void) { return 42; }\n")
    return tmp_path / "code.c"


def value_of(library: Path) -> int:
    return ctypes.CDLL(str(library)).value()


def theirs(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file be another user's."""
    own = file.lstat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)


def open_to_all(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.chmod(0o777)


def link(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.rename(file.with_name("other"))
    file.symlink_to("other")


@pytest.mark.parametrize("change", [open_to_all, link])
def test_a_library_that_others_may_have_written_is_built_anew(
    change: Callable[[Path, pytest.MonkeyPatch], None], source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    built = toolchain.compile_shared([source])
    built.write_bytes(b"planted")
    change(built, monkeypatch)
    assert value_of(toolchain.compile_shared([source])) == 42
    assert not built.is_symlink()


def test_a_cache_of_another_user_is_refused(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    theirs(tmp_path, monkeypatch)
    with pytest.raises(Diagnostic, match="the cache of what is built cannot be used") as caught:
        toolchain.compile_shared([source])
    assert "it belongs to the user" in caught.value.found


def test_a_folder_that_others_can_guess_is_no_cache(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TILEWRIGHT_CACHE", raising=False)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(toolchain.tempfile, "tempdir", str(tmp_path / "temporary"))
    guessed = tmp_path / "temporary" / f"tilewright-{os.getuid()}"
    guessed.mkdir(parents=True)
    toolchain._own_folder.cache_clear()  # pyright: ignore[reportPrivateUsage]
    built = toolchain.compile_shared([source])
    assert value_of(built) == 42
    assert built.parent != guessed
    assert built.parent.stat().st_mode & 0o077 == 0
    assert toolchain.compile_shared([source]) == built
    toolchain._own_folder.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_a_cache_is_closed_to_others(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o777)
    (tmp_path / "cache").chmod(0o777)
    toolchain.compile_shared([source])
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0


def test_a_file_is_read_within_its_size(tmp_path: Path):
    """A read of all bytes that a model may have takes them from the system, however small the file."""
    file, script = tmp_path / "network.onnx", tmp_path / "read.py"
    file.write_bytes(bytes(3_000_000))
    script.write_text(
        "import resource, sys\n"
        "from tilewright.files import read_regular, read_text\n"
        "resource.setrlimit(resource.RLIMIT_AS, (500_000_000, 500_000_000))\n"
        "print(len(read_regular(sys.argv[1])), len(read_regular('/proc/self/status')) > 0, len(read_text('-')))\n"
    )
    words = "x" * 3_000_000
    command = [sys.executable, str(script), str(file)]
    ran = subprocess.run(command, input=words, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("3000000 True 3000000\n", "")


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "growing"
    file.write_bytes(b"abc")
    size = os.fstat

    def grown(handle: int) -> os.stat_result:
        status = size(handle)
        with file.open("ab") as stream:
            stream.write(b"more")
        return status

    monkeypatch.setattr(os, "fstat", grown)
    assert read_regular(file, 20).startswith(b"abcmore")
    with pytest.raises(OSError, match="more than the 12 that are read"):
        read_regular(file, 12)
