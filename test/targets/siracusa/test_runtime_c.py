"""The C runtime on a PC: right results in every order of events, faults found, and what the other back ends share."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.rv32 import build_elf, read_elf, run_elf, rv32_compiler
from tilewright.runtime.toolchain import STRICT, compile_executable, compile_shared
from tilewright.targets.siracusa import emulation
from tilewright.targets.siracusa.bare import RUNTIME, Board, build_bare, read_console
from tilewright.test.targets.siracusa.runtime_networks import NETWORKS, Example, example

WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-O1")
COMMON = Path(__file__).parents[3] / "runtime" / "c"
ORDERS = ("mixed", "early", "late")
SANITIZERS = {
    "plain": (),
    "address": ("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "thread": ("-fsanitize=thread",),
}
NAMES = ("matmul", "npu", "transfers")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Example]:
    return {name: example(name, tmp_path_factory.mktemp("networks") / name) for name in NAMES}


@cache
def program(folder: Path, kind: str, fault: str = "") -> Path:
    """Compile a network with its driver."""
    sources = [folder / name for name in ("network.c", "weights.c", "driver.c") if (folder / name).exists()]
    flags = [*WARNINGS, *SANITIZERS[kind], *([f"-D{fault}"] if fault else []), *emulation.flags()]
    return compile_executable(sources, flags)


def run(file: Path, case: Example, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    (folder / "inputs.bin").write_bytes(b"".join(array.tobytes() for array in case.inputs))
    quiet = {"TSAN_OPTIONS": "atexit_sleep_ms=0", "ASAN_OPTIONS": "detect_leaks=0"}
    command = [str(file), str(folder / "inputs.bin"), str(folder / "outputs.bin")]
    return subprocess.run(command, env=os.environ | quiet | settings, capture_output=True, text=True, check=False)


def is_right(case: Example, folder: Path) -> bool:
    return (folder / "outputs.bin").read_bytes() == b"".join(array.tobytes() for array in case.outputs)


def emulated(cores: int, order: str, seed: int = 0) -> dict[str, str]:
    return {"TW_EMULATION_CORES": str(cores), "TW_EMULATION_ORDER": order, "TW_EMULATION_SEED": str(seed)}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", SANITIZERS)
def test_every_order_gives_the_same(name: str, kind: str, examples: dict[str, Example], tmp_path: Path) -> None:
    file = program(examples[name].folder, kind)
    for cores, order in product((1, 2, 8), ORDERS):
        done = run(file, examples[name], tmp_path, **emulated(cores, order, cores))
        assert (done.returncode, done.stderr) == (0, "")
        assert is_right(examples[name], tmp_path)


def test_more_cores_than_work(examples: dict[str, Example], tmp_path: Path) -> None:
    case = examples["matmul"]
    for cores in (3, 5, 7, 32):
        assert run(program(case.folder, "plain"), case, tmp_path, **emulated(cores, "mixed")).returncode == 0
        assert is_right(case, tmp_path)


FAULTS = [("matmul", "FORGET_INPUT"), ("matmul", "FORGET_OUTPUT"), ("npu", "FORGET_NPU")]
"""Waits that are missing."""
RACES = [*FAULTS, ("matmul", "FORGET_BARRIER"), ("matmul", "OVERLAP")]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "fault"), RACES)
def test_races_are_found(name: str, fault: str, examples: dict[str, Example], tmp_path: Path) -> None:
    """ThreadSanitizer forgets accesses by chance, hence several tries."""
    file = program(examples[name].folder, "thread", fault)
    for seed in range(5):
        done = run(file, examples[name], tmp_path, **emulated(8, "mixed", seed))
        if done.returncode == 66 and "data race" in done.stderr:
            return
    pytest.fail("no race is found")


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_late_work_shows_missing_waits(name: str, fault: str, examples: dict[str, Example], tmp_path: Path) -> None:
    file = program(examples[name].folder, "plain", fault)
    assert run(file, examples[name], tmp_path, **emulated(8, "late")).returncode in (0, 4)
    assert not is_right(examples[name], tmp_path)


def test_early_work_shows_a_buffer_that_is_used_too_soon(examples: dict[str, Example], tmp_path: Path) -> None:
    """The next tile overwrites the one that is worked on."""
    folder = tmp_path / "soon"
    case = example("matmul", folder)
    source = folder / "network.c"
    text = source.read_text()
    source.write_text(text.replace("AT_A + step % 2u * TILE_M * K, input", "AT_A, input"))
    assert source.read_text() != text
    source.write_text(source.read_text().replace("network_L1 + AT_A + step % 2u * TILE_M * K,", "network_L1 + AT_A,"))
    results: dict[str, bool] = {}
    for order in ("early", "late"):
        assert run(program(folder, "plain"), case, tmp_path, **emulated(8, order)).returncode == 0
        results[order] = is_right(case, tmp_path)
    assert results == {"early": False, "late": True}


def test_a_library_runs_under_python_and_after_a_fork(examples: dict[str, Example]) -> None:
    case = examples["matmul"]
    network = HostNetwork(case.folder)
    np.testing.assert_array_equal(network.run(case.inputs)[0], case.outputs[0])
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(network.run(case.inputs)[0], case.outputs[0]) else 1)
    assert os.waitpid(child, 0)[1] == 0


# Rules that are broken

RULES = {
    "tw_dma_wait(3);": "group 3 is not open",
    "tw_dma_wait(tw_dma_begin()); tw_dma_in(near, far, 1, 1, 0);": "without an open group",
    "for (;;) tw_dma_begin();": "all 16 groups of transfers are open",
    "tw_dma_begin(); tw_dma_in(far, near, 1, 1, 0);": "the near side of 1 bytes is not in L1",
    "tw_dma_begin(); tw_dma_out(far, near + 60, 1, 5, 1);": "the near side of 5 bytes is not in L1",
    "tw_dma_begin(); tw_dma_in(near, near + 8, 1, 1, 0);": "the far side is in L1",
    "tw_dma_begin(); tw_dma_in(near, far, 1, -1, 1);": "a size is negative",
    "tw_fork(forks, near);": "tw_fork is called by a worker",
    "tw_barrier();": "tw_barrier is called outside of a fork",
    "tw_core();": "tw_core is called outside of a fork",
    "tw_npu_write(0, 0);": "no job has been acquired",
    "tw_npu_trigger();": "no job has been acquired",
    "tw_npu_acquire(); tw_npu_acquire();": "has not been triggered",
    "tw_npu_acquire(); tw_npu_write(24, 0);": "no register 24",
    "tw_npu_acquire(); tw_npu_trigger(); tw_npu_wait();": "the NPU does not support a job",
    "tw_npu_address(far);": "the NPU does not see this place",
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cases = "\n".join(f"    if (number == {index}) {{ {code} }}" for index, code in enumerate(RULES))
    source = tmp_path_factory.mktemp("rules") / "rules.c"
    source.write_text(
        '#include <stdlib.h>\n#include "tw_cluster.h"\nTW_L1 static uint8_t near[64];\nstatic uint8_t far[64];\n'
        "static void forks(void *nothing) { tw_fork(forks, nothing); }\n"
        "int main(int argc, char **argv) {\n"
        f"    int number = argc > 1 ? atoi(argv[1]) : -1;\n{cases}\n    return 0;\n}}\n"
    )
    return compile_executable([source], [*WARNINGS, *emulation.flags()])


@pytest.mark.parametrize("index", range(len(RULES)), ids=list(RULES.values()))
def test_broken_rules_end_the_run(index: int, rules: Path) -> None:
    done = subprocess.run([rules, str(index)], capture_output=True, text=True, check=False)
    assert done.returncode < 0
    assert list(RULES.values())[index] in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("ORDER", "soon"), ("CORES", "0"), ("CORES", "33"), ("SEED", "-1"), ("CORES", "2x"), ("SEED", "")],
)
def test_wrong_settings_end_the_run(name: str, value: str, rules: Path) -> None:
    environment = os.environ | {f"TW_EMULATION_{name}": value}
    done = subprocess.run([rules, "0"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode < 0
    assert f"TW_EMULATION_{name} is '{value}', expected" in done.stderr


def test_arrays_larger_than_l1_end_the_run(tmp_path: Path) -> None:
    source = tmp_path / "large.c"
    source.write_text(
        '#include "tw_cluster.h"\nTW_L1 static uint8_t near[241700];\n'
        "int main(void) { tw_dma_begin(); return near[0]; }\n"
    )
    done = subprocess.run(
        [compile_executable([source], [*WARNINGS, *emulation.flags()])], capture_output=True, text=True
    )
    assert "L1 is 36 bytes too small for its arrays" in done.stderr


def test_arrays_larger_than_l1_do_not_compile(tmp_path: Path) -> None:
    stacks = 20 << 10
    for size in (256 << 10) - stacks, (256 << 10) - stacks + 1:
        file = tmp_path / f"room_{size}.c"
        lines = ["tilewright.h", "tw_cluster.h"]
        include = "\n".join(f'#include "{name}"' for name in lines)
        file.write_text(f"{include}\nTW_LEVEL(L1) uint8_t array[{size}];\nTW_LEVEL_HOLDS(L1, sizeof array);\n")
        flags = [*STRICT, f"-I{RUNTIME}", f"-I{COMMON}", "-pthread"]
        if size + stacks <= 256 << 10:
            compile_shared([file], flags)
            continue
        with pytest.raises(Diagnostic, match="L1 is too small for the arrays"):
            compile_shared([file], flags)


# Sums of products

KINDS = {"ss": (True, True), "us": (False, True), "uu": (False, False)}
WIDTHS = {4: 8, 8: 4, 16: 2}


@pytest.fixture(scope="module")
def dots(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    functions = [f"tw_dot{count}_{kind}" for count in WIDTHS for kind in KINDS]
    source = tmp_path_factory.mktemp("dots") / "dots.c"
    rows = [f"int32_t call_{f}(uint32_t a, uint32_t b, int32_t sum) {{ return {f}(a, b, sum); }}" for f in functions]
    rows += ["int32_t call_tw_mac(int32_t a, int32_t b, int32_t sum) { return tw_mac_i32(a, b, sum); }"]
    prototypes = [row[: row.index("{")].strip() + ";" for row in rows]
    source.write_text("\n".join(['#include "tw_dot.h"', *prototypes, *rows, ""]))
    source.with_name("tw_dot.h").write_bytes((RUNTIME / "tw_dot.h").read_bytes())
    return ctypes.CDLL(str(compile_shared([source], [*STRICT, "-O2"])))


def numbers(word: int, bits: int, is_signed: bool) -> Array:
    values = np.array([word >> at & ((1 << bits) - 1) for at in range(0, 32, bits)])
    return np.where(is_signed & (values >> (bits - 1) == 1), values - (1 << bits), values)


WORDS = st.one_of(st.integers(0, 2**32 - 1), st.sampled_from([0, 0xFFFF_FFFF, 0x8080_8080, 0x7F7F_7F7F, 0x8888_8888]))


@settings(max_examples=200, deadline=None)
@given(a=WORDS, b=WORDS, start=st.integers(-(2**31), 2**31 - 1))
def test_sums_of_products(dots: ctypes.CDLL, a: int, b: int, start: int) -> None:
    for (count, bits), (kind, (is_a_signed, is_b_signed)) in product(WIDTHS.items(), KINDS.items()):
        found = getattr(dots, f"call_tw_dot{count}_{kind}")(ctypes.c_uint32(a), ctypes.c_uint32(b), start)
        expected = start + int(numbers(a, bits, is_a_signed) @ numbers(b, bits, is_b_signed))
        assert (found - expected) % 2**32 == 0
    assert (dots.call_tw_mac(ctypes.c_int32(a), ctypes.c_int32(b), start) - start - a * b) % 2**32 == 0


ENCODINGS = {
    "tw_dot4_ss": (0xB8001057, 0xFE00707F),  # pv.sdotsp.b
    "tw_dot4_us": (0xA8001057, 0xFE00707F),  # pv.sdotusp.b
    "tw_dot4_uu": (0xA0001057, 0xFE00707F),  # pv.sdotup.b
    "tw_dot8_ss": (0xB8002057, 0xFE00707F),  # pv.sdotsp.n
    "tw_dot8_us": (0xA8002057, 0xFE00707F),  # pv.sdotusp.n
    "tw_dot8_uu": (0xA0002057, 0xFE00707F),  # pv.sdotup.n
    "tw_dot16_ss": (0xBA002057, 0xFE00707F),  # pv.sdotsp.c
    "tw_dot16_us": (0xAA002057, 0xFE00707F),  # pv.sdotusp.c
    "tw_dot16_uu": (0xA2002057, 0xFE00707F),  # pv.sdotup.c
    "tw_mac_i32": (0x42000033, 0xFE00707F),  # p.mac
    "tw_min_i32": (0x04004033, 0xFE00707F),  # p.min
    "tw_min_u32": (0x04005033, 0xFE00707F),  # p.minu
    "tw_max_i32": (0x04006033, 0xFE00707F),  # p.max
    "tw_max_u32": (0x04007033, 0xFE00707F),  # p.maxu
    "tw_event_load": (0x00006003, 0xFFF0707F),  # p.elw
    "tw_core": (0xF1402073, 0xFFFFF07F),  # csrrs mhartid
    "tw_cycles": (0xB0002073, 0xFFFFF07F),  # csrrs mcycle
}
"""The instruction that a call becomes, and the bits that are its own, not those of its registers."""


def test_instructions_are_encoded_as_the_machine_knows_them(tmp_path: Path) -> None:
    rows: list[str] = []
    for name in ENCODINGS:
        sums = "a, b, (int32_t)c" if "dot" in name else "(int32_t)a, (int32_t)b, (int32_t)c"
        inputs = {"dot": sums, "mac": sums, "min": "a, b", "max": "a, b", "load": "a"}
        arguments = next((given for part, given in inputs.items() if part in name), "")
        prototype = f"uint32_t call_{name}(uint32_t a, uint32_t b, uint32_t c)"
        rows += [f"{prototype};", f"{prototype} {{ (void)a; (void)b; (void)c; return (uint32_t){name}({arguments}); }}"]
    source, script, target = tmp_path / "calls.c", tmp_path / "calls.ld", tmp_path / "calls.elf"
    source.write_text("\n".join(['#include "tw_cluster.h"', *rows, ""]))
    script.write_text("SECTIONS { .text 0x1c010000 : { KEEP(*(.text .text.*)) } /DISCARD/ : { *(.eh_frame*) } }")
    macros = [
        "-DTW_BARE_METAL",
        "-DTW_XPULP",
        "-DTW_XPULPNN",
        f"-I{RUNTIME}",
        "-ffreestanding",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]
    elf = read_elf(build_elf([source], script, target, entry="call_tw_core", flags=macros))
    base, code, _ = elf.segments[0]
    starts = sorted(value - base for name, value in elf.symbols.items() if name.startswith("call_"))
    for name, (word, mask) in ENCODINGS.items():
        start = elf.symbols[f"call_{name}"] - base
        end = next((other for other in starts if other > start), len(code))
        words = [int.from_bytes(code[at : at + 4], "little") for at in range(start, end - 3, 2)]
        assert [each & mask for each in words].count(word) == 1, name


# Transfers, cut into commands

Command = tuple[int, int, int, int, int]


@pytest.fixture(scope="module")
def splitter(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    source = tmp_path_factory.mktemp("split") / "split.c"
    source.write_text(
        '#include "tw_dma_split.h"\n'
        "uint32_t commands[100000][5], count;\n"
        "static void tw_dma_command(\n"
        "    uint32_t near, uint32_t far, uint32_t bytes, uint32_t row_bytes, uint32_t stride, int to_l1) {\n"
        "    const uint32_t words[5] = {near, far, bytes, row_bytes, stride};\n"
        "    (void)to_l1;\n"
        "    for (int i = 0; i < 5; ++i) commands[count][i] = words[i];\n"
        "    ++count;\n"
        "}\n"
        "void split(uint32_t row_bytes, uint32_t rows, uint32_t stride, uint32_t most);\n"
        "void split(uint32_t row_bytes, uint32_t rows, uint32_t stride, uint32_t most) {\n"
        "    count = 0;\n"
        "    tw_dma_split(0x1000, 0x100000, row_bytes, rows, stride, most, 1);\n"
        "}\n"
    )
    source.with_name("tw_dma_split.h").write_bytes((RUNTIME / "tw_dma_split.h").read_bytes())
    return ctypes.CDLL(str(compile_shared([source], [*STRICT, "-O2"])))


def moved(commands: Sequence[Command]) -> list[tuple[int, int]]:
    """Return the far and near places of all bytes, as the DMA engine steps through them."""
    return [
        (far + at // row * stride + at % row, near + at)
        for near, far, size, row, stride in commands
        for at in range(size)
    ]


@settings(max_examples=200, deadline=None)
@given(row_bytes=st.integers(0, 300), rows=st.integers(0, 40), gap=st.integers(0, 100), most=st.integers(1, 200))
def test_transfers_are_cut_into_commands(splitter: ctypes.CDLL, row_bytes: int, rows: int, gap: int, most: int) -> None:
    stride = row_bytes + gap
    splitter.split(row_bytes, rows, stride, most)
    count = ctypes.c_uint32.in_dll(splitter, "count").value
    table = ((ctypes.c_uint32 * 5) * 100000).in_dll(splitter, "commands")
    commands = [(row[0], row[1], row[2], row[3], row[4]) for row in (table[i] for i in range(count))]
    assert all(0 < size <= most and row > 0 for _, _, size, row, _ in commands)
    wanted = [(0x100000 + r * stride + i, 0x1000 + r * row_bytes + i) for r in range(rows) for i in range(row_bytes)]
    assert moved(commands) == wanted
    assert count <= 2 * -(-row_bytes * rows // most) + (rows if row_bytes > most else 0)


# The SDK's calls, as far as the network sees them


@pytest.fixture
def sdk(tmp_path: Path) -> list[str]:
    shutil.copy(NETWORKS / "pmsis.h", tmp_path)
    return [f"-I{tmp_path}", "-Wall", "-Wextra", "-Werror"]


@pytest.mark.parametrize("name", NAMES)
def test_networks_compile_for_the_sdk(name: str, examples: dict[str, Example], sdk: list[str], tmp_path: Path) -> None:
    compiler = rv32_compiler()
    before, _ = compiler.arguments(uses_math=False)
    source, target = examples[name].folder / "network.c", tmp_path / "network.o"
    flags = ["-std=c11", "-O2", "-ffreestanding", "-DTW_PULP_SDK", f"-I{RUNTIME}", *sdk, "-c"]
    done = subprocess.run([*compiler.command, *before, *flags, source, "-o", target], capture_output=True, text=True)
    warnings = [line for line in done.stderr.splitlines() if "unused" not in line]
    assert (done.returncode, warnings) == (0, [])


def test_transfers_by_the_sdk(examples: dict[str, Example], sdk: list[str], tmp_path: Path) -> None:
    """With calls that check how they are called: counters, and sizes of 16 bits."""
    case, board = examples["transfers"], Board("portable.ld", ("portable.S", "program.c", "string.c"), ("TW_PULP_SDK",))
    elf = build_bare(case.folder, tmp_path / "sdk.elf", board, inputs=case.inputs, runs=2, flags=sdk)
    done = run_elf(elf)
    assert done.exit_code == 0
    network = HostNetwork(case.folder)
    np.testing.assert_array_equal(read_console(done.console, network.outputs)[0][0], case.outputs[0])
