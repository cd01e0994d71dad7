"""Networks that are larger than the chip: weights and buffers in external RAM, which only transfers reach."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, NodeProto, TensorProto

from tilewright import cli, load
from tilewright.compiler import Model, compile_model, write_compilation
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.emitc.text.external import FILE
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.rv32 import run_elf
from tilewright.runtime.toolchain import compile_executable
from tilewright.targets.siracusa import emulation
from tilewright.targets.siracusa.bare import SIRACUSA, Board, build_bare, read_console, run_bare
from tilewright.test.small_models import model, node, requant
from tilewright.test.targets.siracusa.runtime_networks import NETWORKS

MACHINE = """
include = "siracusa/l3"
description = "little memory on the chip"

[levels.L2]
size = "3KiB"

[levels.L1]
size = "8KiB"
"""
CLUSTER = MACHINE + "\n[levels]\nWMEM = false\n\n[engines]\nnpu = false\n"
OPENING = """
#include <stdio.h>
#include <stdlib.h>
#include "network.h"
#include "tw_ram.h"

static void break_a_rule(const char *rule) {
    static unsigned char here[8];
    uintptr_t place;
    if (*rule == 'o') tw_ram_open(here, 8, &place);
    tw_ram_open(NULL, 8, &place);
    if (*rule == 'd') *(unsigned char *volatile)place = 1;
    if (*rule != 'g') tw_ram_begin();
    if (*rule == 'w') tw_ram_wait(3);
    tw_ram_in(here, (const void *)(place + 1u), 8, 1, 8);
}

__attribute__((constructor)) static void prepare(void) {
    static unsigned char image[NETWORK_RAM_WEIGHTS_BYTES];
    if (getenv("RULE") != NULL) break_a_rule(getenv("RULE"));
    FILE *file = fopen(IMAGE, "rb");
    if (network_open(NULL) != 0 || file == NULL || fread(image, 1, sizeof image, file) != sizeof image) abort();
    fclose(file);
    network_load(32, image + 32, sizeof image - 32);
    network_load(0, image, 32);
}
"""


def built() -> ModelProto:
    """Return three convolutions, the middle one with strides, with an intermediate that is larger than all of L2."""
    random = np.random.default_rng(11)
    nodes: list[NodeProto] = []
    constants: dict[str, Any] = {}
    x = "x"
    for index, (shape, stride, pad) in enumerate(
        (((16, 3, 3, 3), 1, 1), ((16, 16, 3, 3), 2, 1), ((8, 16, 1, 1), 1, 0))
    ):
        constants[f"w{index}"] = random.integers(-9, 10, shape).astype(np.float32)
        constants[f"mul{index}"] = random.integers(5, 20, (shape[0], 1, 1)).astype(np.float32)
        constants[f"add{index}"] = random.integers(-99, 99, (shape[0], 1, 1)).astype(np.float32)
        pads, strides = [pad] * 4, [stride, stride]
        nodes.append(node("Conv", [x, f"w{index}"], [f"c{index}"], name=f"conv{index}", pads=pads, strides=strides))
        x = "y" if index == 2 else f"r{index}"
        shift = requant(f"c{index}", x, name=f"rq{index}")
        shift.input[1:] = [f"mul{index}", f"add{index}"]
        nodes.append(shift)
    return model(nodes, inputs={"x": (1, 3, 16, 16)}, outputs={"y": (1, 8, 8, 8)}, weights=constants)


@dataclass(frozen=True)
class Case:
    """A network with inputs and outputs, and the folder that it was compiled to for the cluster alone."""

    root: Path
    folder: Path
    inputs: list[Array]
    outputs: list[Array]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    root = tmp_path_factory.mktemp("l3")
    made = built()
    (root / "network.onnx").write_bytes(made.SerializeToString())
    (root / "cluster.toml").write_text(CLUSTER)
    x = np.random.default_rng(2).integers(0, 256, (1, 3, 16, 16), np.uint8)
    y = run_module(import_model(made), {"x": x.astype(np.float32)})["y"]
    np.savez(root / "inputs.npz", allow_pickle=False, x=x)
    np.savez(root / "outputs.npz", allow_pickle=False, y=y)
    write_compilation(compile_model(Model(root / "network.onnx"), str(root / "cluster.toml")), root / "out")
    return Case(root, root / "out", [x], [y.astype(np.int8)])


@pytest.mark.nightly
def test_interpreter_simulator_and_threads(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = tmp_path / "small.toml"
    machine.write_text(MACHINE)
    places = [word for place in ("interpreter", "simulator", "host") for word in ("--on", place)]
    assert cli.main(["check", str(case.root), "--target", str(machine), *places]) == 0
    assert "1 passed, 0 failed" in capsys.readouterr().out


def test_buffers_go_to_external_ram_and_ports_do_not(case: Case) -> None:
    source, header = (case.folder / "network.c").read_text(), (case.folder / "network.h").read_text()
    assert "tw_ram_in(" in source
    assert "tw_ram_out(" in source
    assert "#define network_arena ((uint8_t *)(network_ram + " in source
    image = (case.folder / FILE).read_bytes()
    assert f"#define NETWORK_RAM_WEIGHTS_BYTES {len(image)} " in header
    assert "void network_run(const uint8_t x[768], int8_t y[512]);" in header


def test_a_network_of_copies_alone_stays_where_programs_address_it(tmp_path: Path) -> None:
    """Its buffers go through no kernel, so that no transfer would bring them from the external RAM."""
    nodes = [node("Concat", ["x", "x"], ["both"], axis=1), node("Transpose", ["both"], ["y"], perm=[1, 0])]
    file = tmp_path / "network.onnx"
    copies = model(nodes, inputs={"x": (1, 16)}, outputs={"y": (32, 1)}, element=TensorProto.INT8)
    copies.graph.output[0].type.tensor_type.elem_type = TensorProto.INT8
    file.write_bytes(copies.SerializeToString())
    x = np.arange(16, dtype=np.int8).reshape(1, 16)
    for place in ("interpreter", "host"):
        (found,) = load(file, "siracusa/l3", on=place).run({"x": x}).values()
        np.testing.assert_array_equal(found, np.concatenate([x, x], axis=1).T)


@pytest.mark.nightly
def test_under_the_sanitisers(case: Case) -> None:
    np.testing.assert_array_equal(HostNetwork(case.folder, sanitize=True).run(case.inputs)[0], case.outputs[0])


def test_networks_in_one_process_have_rams_of_their_own(case: Case) -> None:
    one, other = HostNetwork(case.folder), HostNetwork(case.folder)
    for network in (one, other, one):
        np.testing.assert_array_equal(network.run(case.inputs)[0], case.outputs[0])


def program(case: Case, folder: Path, *flags: str, waits: bool = True) -> Path:
    """Compile the network with a driver; it may be one that never waits for external RAM."""
    source = (case.folder / "network.c").read_text()
    (folder / "network.c").write_text(source if waits else source.replace("tw_ram_wait(", "(void)("))
    (folder / "opening.c").write_text(OPENING)
    weights = [file for name in ("weights.c", "weights.S") if (file := case.folder / name).exists()]
    sources = [folder / "network.c", *weights, folder / "opening.c", NETWORKS / "driver.c"]
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", *flags, f"-I{case.folder}"]
    return compile_executable(sources, [*options, f'-DIMAGE="{case.folder / FILE}"', *emulation.flags()])


def run(file: Path, case: Case, folder: Path, **settings: str) -> tuple[int, str, bool]:
    """Run a program; return its status, what it printed, and whether its output is right."""
    (folder / "inputs.bin").write_bytes(case.inputs[0].tobytes())
    command = [str(file), str(folder / "inputs.bin"), str(folder / "outputs.bin")]
    environment = os.environ | {"TSAN_OPTIONS": "atexit_sleep_ms=0"} | settings
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    right = done.returncode == 0 and (folder / "outputs.bin").read_bytes() == case.outputs[0].tobytes()
    return done.returncode, done.stderr, right


@pytest.fixture(scope="module")
def threads(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The network with its driver."""
    return program(case, tmp_path_factory.mktemp("threads"))


def test_every_order_gives_the_same(case: Case, threads: Path, tmp_path: Path) -> None:
    for order in ("early", "late", "mixed"):
        assert run(threads, case, tmp_path, TW_EMULATION_ORDER=order) == (0, "", True)


@pytest.mark.parametrize(
    ("rule", "status", "message"),
    [
        ("open", signal.SIGABRT, "on a PC there is no device"),
        ("group", signal.SIGABRT, "tw_ram_in is called without an open group"),
        ("wait", signal.SIGABRT, "tw_ram_wait: group 3 is not open"),
        ("place", signal.SIGABRT, "tw_ram_in: 8 bytes are not in external RAM"),
        ("dereference", signal.SIGSEGV, ""),
    ],
)
def test_broken_rules_end_the_run(
    case: Case, threads: Path, rule: str, status: int, message: str, tmp_path: Path
) -> None:
    ended, printed, _ = run(threads, case, tmp_path, RULE=rule)
    assert ended == -status
    assert message in printed


def test_no_race_and_the_race_of_a_missing_wait(case: Case, tmp_path: Path) -> None:
    assert run(program(case, tmp_path, "-fsanitize=thread"), case, tmp_path) == (0, "", True)
    assert "data race" in run(program(case, tmp_path, "-fsanitize=thread", waits=False), case, tmp_path)[1]


def test_one_hart(case: Case) -> None:
    done = run_bare(case.folder, case.inputs, runs=2, flags=("-Wall", "-Wextra", "-Werror"))
    np.testing.assert_array_equal(done.outputs[0], case.outputs[0])


def test_the_chip_without_an_sdk_is_refused(case: Case, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="needs external RAM") as caught:
        build_bare(case.folder, tmp_path / "a.elf", SIRACUSA)
    assert "-DTW_PULP_SDK" in caught.value.remedy


def test_by_the_sdk(case: Case, tmp_path: Path) -> None:
    """With calls that copy when they are waited for, and check their requests."""
    shutil.copy(NETWORKS / "pmsis.h", tmp_path)
    shutil.copytree(NETWORKS / "bsp", tmp_path / "bsp")
    board = Board("portable.ld", ("portable.S", "program.c", "string.c"), ("TW_PULP_SDK",))
    flags = [f"-I{tmp_path}", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    done = run_elf(build_bare(case.folder, tmp_path / "sdk.elf", board, inputs=case.inputs, runs=2, flags=flags))
    assert done.exit_code == 0
    np.testing.assert_array_equal(read_console(done.console, HostNetwork(case.folder).outputs)[0][0], case.outputs[0])
