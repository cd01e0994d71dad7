"""Code of the controller that runs once in a call is marked, so that it is compiled to be short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilewright.compiler import Model, compile_model, write_compilation
from tilewright.frontend import zoo
from tilewright.runtime.rv32 import read_elf
from tilewright.targets.siracusa.bare import SIRACUSA, build_bare

MARK = "TW_SEQUENCE "


def written(folder: Path, name: str = "autoencoder", context: int = 0, target: str = "siracusa") -> Path:
    (folder / "net.onnx").write_bytes(zoo.build(name).SerializeToString())
    write_compilation(compile_model(Model(folder / "net.onnx", context=context), target), folder / "build")
    return folder / "build"


def marked(text: str) -> list[str]:
    return re.findall(rf"^{MARK}.*?(\w+)\(", text, re.MULTILINE)


def test_what_waits_for_transfers_is_marked(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert marked((folder / "network.c").read_text()) == ["network_run"]
    assert MARK.strip() not in (folder / "network.h").read_text()


def test_a_single_core_has_no_mark(tmp_path: Path) -> None:
    """Its kernels are calls of the same code, of which a C compiler would make them a part."""
    assert marked((written(tmp_path, target="siracusa/one-core") / "network.c").read_text()) == []


def test_the_mark_shortens_the_code(tmp_path: Path) -> None:
    folder = written(tmp_path)
    text = (folder / "network.c").read_text()

    def length(source: str) -> int:
        (folder / "network.c").write_text(source)
        symbols = read_elf(build_bare(folder, folder / "network.elf", SIRACUSA)).symbols
        start = symbols["network_run"]
        return min(place for place in symbols.values() if place > start) - start

    assert length(text) < 0.7 * length(text.replace(MARK, ""))


@pytest.mark.nightly
def test_a_step_with_state_is_marked(tmp_path: Path) -> None:
    assert marked((written(tmp_path, "llama", context=16) / "network.c").read_text()) == ["network_step"]


def test_kernels_of_a_single_core_keep_their_arguments(tmp_path: Path) -> None:
    """They are functions of the program, of which the compiler makes none part of its caller."""
    folder = written(tmp_path, target="siracusa/one-core")
    text = (folder / "network.c").read_text()
    apart = re.findall(r"^TW_APART static .*?(\w+)\(", text, re.MULTILINE)
    assert apart
    assert not [name for name in apart if name.startswith(("read_", "write_"))]
    assert set(apart) <= read_elf(build_bare(folder, folder / "network.elf", SIRACUSA)).symbols.keys()
    (folder / "network.c").write_text(text.replace("TW_APART ", ""))
    assert not set(apart) <= read_elf(build_bare(folder, folder / "network.elf", SIRACUSA)).symbols.keys()


def test_jobs_and_forked_kernels_are_not_apart(tmp_path: Path) -> None:
    assert "TW_APART" not in (written(tmp_path) / "network.c").read_text()
