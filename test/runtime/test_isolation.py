"""Work in a process of its own: its result, its errors, and its death."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from tilewright.cli import main
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.runtime.isolation import isolated

pytestmark = pytest.mark.quick


def test_what_is_returned_and_what_is_said(capfd: pytest.CaptureFixture[str]):
    seen: list[int] = []

    def work() -> dict[str, np.ndarray]:
        seen.append(1)
        os.write(2, b"a word\n")
        return {"y": np.arange(3, dtype=np.int8)}

    np.testing.assert_array_equal(isolated(work, "the work")["y"], [0, 1, 2])
    assert not seen
    assert "a word" in capfd.readouterr().err


def test_its_errors_are_those_of_the_caller():
    def refuse() -> None:
        raise Diagnostic("it is refused", expected="more", notes=["a note"])

    with pytest.raises(Diagnostic, match="it is refused") as caught:
        isolated(refuse, "the work")
    assert (caught.value.expected, caught.value.notes) == ("more", ["a note"])
    with pytest.raises(Diagnostic, match="internal error in a run: ZeroDivisionError"):
        isolated(lambda: 1 // 0, "the work")


def test_a_signal_ends_it_alone():
    def die() -> None:
        os.write(2, b"last words\n")
        os.kill(os.getpid(), signal.SIGSEGV)

    with pytest.raises(Diagnostic, match="the work was ended by SIGSEGV") as caught:
        isolated(die, "the work")
    assert caught.value.notes == ["last words"]


def test_an_exit_ends_it_alone():
    with pytest.raises(Diagnostic, match=r"the work was ended by exit\(3\)"):
        isolated(lambda: os._exit(3), "the work")


@pytest.mark.long
def test_a_network_that_aborts_is_an_error_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.onnx").write_bytes(zoo.build("autoencoder").SerializeToString())
    np.savez(tmp_path / "in.npz", input=np.zeros((1, 640), np.float32))
    folder = tmp_path / "build"
    assert main(["compile", str(tmp_path / "net.onnx"), "-o", str(folder)]) == 0
    run = ["run", str(folder), "--inputs", str(tmp_path / "in.npz"), "--outputs", str(tmp_path / "out.npz")]
    assert main(run) == 0
    (tmp_path / "out.npz").unlink()
    source = folder / "network.c"
    text = source.read_text()
    begin = text.index("{", text.rindex("network_run(")) + 1
    source.write_text(text[:begin] + " __builtin_trap();" + text[begin:])
    assert main(run) == 1
    said = capsys.readouterr().err
    assert "error: the compiled network was ended by SIG" in said
    assert "run it on sanitizers" in said
    assert not (tmp_path / "out.npz").exists()
