"""RV32IMC programs: built by any compiler that is here, run with their devices, and stopped where they go wrong."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from tilewright.errors import Diagnostic
from tilewright.runtime import rv32
from tilewright.runtime.rv32 import RAM, Rv32Machine, build_elf, read_elf, run_elf, rv32_compiler

START = """\
    .section .start, "ax"
    .globl begin
begin:
    lui sp, %hi(stack_end)
    addi sp, sp, %lo(stack_end)
    call main
    li a1, 0x100000
    beqz a0, 1f
    slli a0, a0, 16
    li a2, 0x3333
    or a0, a0, a2
    j 2f
1:  li a0, 0x5555
2:  sw a0, 0(a1)
3:  j 3b
    .section .stack, "aw", @nobits
    .space 4096
stack_end:
"""
SCRIPT = """\
ENTRY(begin)
MEMORY { RAM (rwx) : ORIGIN = 0x80000000, LENGTH = %s }
SECTIONS {
    .text : { KEEP(*(.start)) *(.text .text.*) } > RAM
    .rodata : { *(.rodata .rodata.* .srodata .srodata.*) } > RAM
    .stack ALIGN(4096) (NOLOAD) : { *(.stack) } > RAM
    .data : { *(.data .data.* .sdata .sdata.*) } > RAM
    .bss (NOLOAD) : { *(.bss .bss.* .sbss .sbss.*) } > RAM
    /DISCARD/ : { *(.eh_frame .eh_frame_hdr .comment .note .note.*) }
}
"""
HEAD = """\
#include <stdint.h>
#define WORD(address) (*(volatile uint32_t *)(address))
__attribute__((unused)) static void print(const char *text) { while (*text) *(volatile char *)0x10000000 = *text++; }
int main(void);
"""
COMPILERS = ["ziglang", *(name for name in rv32._GCC if shutil.which(name))]  # pyright: ignore[reportPrivateUsage]


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RV32_CC", "" if request.param == "ziglang" else request.param)
    return request.param


def build(folder: Path, code: str, *flags: str, length: str = "1M", uses_math: bool = False) -> Path:
    folder.mkdir(exist_ok=True)
    main, start, script = folder / "main.c", folder / "start.S", folder / "board.ld"
    main.write_text(HEAD + code)
    start.write_text(START)
    script.write_text(SCRIPT % length)
    flags = ("-Wall", "-Wextra", "-Werror", *([] if uses_math else ["-ffreestanding"]), *flags)
    return build_elf([main, start], script, folder / "main.elf", entry="begin", flags=flags, uses_math=uses_math)


def test_a_program_prints_and_ends(compiler: str, tmp_path: Path) -> None:
    done = run_elf(build(tmp_path, 'int main(void) { print("hello\\n"); return 0; }'))
    assert (done.console, done.exit_code) == ("hello\n", 0)
    assert run_elf(build(tmp_path, "int main(void) { return 7; }")).exit_code == 7


def test_arithmetic_that_the_processor_lacks(compiler: str, tmp_path: Path) -> None:
    """Division of 64 bits and floats are the compiler's library."""
    code = """
    volatile int64_t a = -1234567890123, b = 97;
    volatile float x = 1.5f;
    volatile double y = -2.25;
    int main(void) { return a / b == -12727504021 && a % b == -86 && x * (float)y == -3.375f ? 0 : 1; }
    """
    assert run_elf(build(tmp_path, code)).exit_code == 0


@pytest.mark.nightly
def test_the_mathematical_library(tmp_path: Path) -> None:
    code = "#include <math.h>\nvolatile float x = 1.0f;\nint main(void) { return expf(x) == 2.71828175f ? 0 : 1; }"
    elf = build(tmp_path, code, uses_math=True)
    assert run_elf(elf).exit_code == 0


def test_instructions_are_counted(tmp_path: Path) -> None:
    """Ten more turns of a loop of two instructions are twenty more."""
    loop = 'int main(void) { __asm__ volatile("li t0, %d\\n1: addi t0, t0, -1\\n bnez t0, 1b" ::: "t0"); return 0; }'
    counts = [run_elf(build(tmp_path, loop % turns)).instructions for turns in (100, 110)]
    assert counts[1] - counts[0] == 20
    assert 200 < counts[0] < 230


def test_the_clock_is_instructions(tmp_path: Path) -> None:
    code = """
    int main(void) {
        const uint32_t begin = WORD(0x0200bff8);
        for (int i = 0; i < 1000; ++i) __asm__ volatile("nop");
        const uint32_t taken = WORD(0x0200bff8) - begin;
        return taken > 1000u && taken < 8000u ? 0 : 1;
    }
    """
    assert run_elf(build(tmp_path, code)).exit_code == 0


def test_the_serial_line(tmp_path: Path) -> None:
    """A program waits for bytes, and goes on with them."""
    code = """
    static int get(void) {
        while (!(*(volatile char *)0x10000005 & 1)) {}
        return *(volatile char *)0x10000000;
    }
    int main(void) {
        for (int byte = get(); byte != '.'; byte = get()) *(volatile char *)0x10000000 = (char)(byte + 1);
        return 3;
    }
    """
    elf = build(tmp_path, code)
    machine = Rv32Machine(elf)
    assert [(done.console, done.is_waiting) for done in map(machine.run, (b"", b"ab", b"c"))] == [
        ("", True),
        ("bc", True),
        ("d", True),
    ]
    assert machine.run(b"x.").exit_code == 3
    with pytest.raises(Diagnostic, match="waits for the serial line"):
        run_elf(elf)


def test_compressed_and_long_instructions_are_told_apart() -> None:
    code = bytes([0x01, 0x00]) + (0x13).to_bytes(4, "little") + bytes([0x01, 0x00])  # c.nop, nop, c.nop
    assert rv32._instructions(code) == 3  # pyright: ignore[reportPrivateUsage]


# Programs that go wrong

WRONG = {
    "int main(void) { WORD(0x40000000) = 1; return 0; }": "4 bytes at 0x40000000",
    "int main(void) { return (int)WORD(8); }": "4 bytes at 0x00000008",
    "int main(void) { ((void (*)(void))0x20000000)(); return 0; }": "0x20000000",
    "static const char big[9000] = {1};\n"
    "int main(void) { *(volatile char *)(big + 5000) = 2; return big[5000]; }": "1 bytes",
    "__attribute__((noinline)) int deep(int n) { volatile char a[512]; a[0] = 1; return n ? deep(n - 1) + a[0] : 0; }"
    "int main(void) { return deep(2000); }": "bytes at 0x8000",
}


@pytest.mark.parametrize(("code", "found"), WRONG.items(), ids=["write", "read", "jump", "constant", "stack"])
def test_memory_that_is_not_the_programs(code: str, found: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="touches memory that is not its own") as error:
        run_elf(build(tmp_path, code, "-Wno-infinite-recursion"))
    assert found in error.value.found


@pytest.mark.parametrize(
    ("instruction", "said"),
    [(".insn r 0x57, 1, 0x5c, a0, a0, a0", "an illegal instruction"), ("ecall", "a call")],
)
def test_exceptions_name_the_place(instruction: str, said: str, tmp_path: Path) -> None:
    code = f'__attribute__((noinline)) void wrong(void) {{ __asm__ volatile("nop\\n {instruction}"); }}\n'
    elf = build(tmp_path, code + 'int main(void) { print("so far\\n"); wrong(); return 0; }')
    with pytest.raises(Diagnostic, match=f"the program met {said} at 0x") as error:
        run_elf(elf)
    assert "(wrong+" in error.value.message
    assert error.value.notes == ["the program printed:", "so far"]


def test_a_program_without_end(tmp_path: Path) -> None:
    elf = build(tmp_path, "int main(void) { for (;;) {} }")
    with pytest.raises(Diagnostic, match="has not ended after 5,000 instructions"):
        run_elf(elf, limit=5000)


def test_a_program_for_more_memory(tmp_path: Path) -> None:
    elf = build(tmp_path, "char big[3 << 20];\nint main(void) { return big[9]; }", length="16M")
    assert run_elf(elf).exit_code == 0
    with pytest.raises(Diagnostic, match="needs memory that the board has not"):
        run_elf(elf, ram=1 << 20)


def test_what_is_no_program(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="there is no program"):
        run_elf(tmp_path / "absent.elf")
    for content in (b"", b"#!/bin/sh", b"\x7fELF\x02\x01" + bytes(100), b"\x7fELF\x01\x01" + bytes(100)):
        (tmp_path / "other").write_bytes(content)
        with pytest.raises(Diagnostic, match="not a program for 32-bit RISC-V"):
            run_elf(tmp_path / "other")


# Building


def test_a_program_larger_than_memory(compiler: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match=r"does not fit in RAM: [\d,]+ bytes too many") as error:
        build(tmp_path, "char big[1 << 20];\nint main(void) { return big[9]; }", length="1M")
    lacks = int(error.value.message.split(": ")[-1].split()[0].replace(",", ""))
    length = f"0x{(1 << 20) + lacks:x}"
    build(tmp_path, "char big[1 << 20];\nint main(void) { return big[9]; }", length=length)


def test_an_error_of_the_compiler_is_shown(compiler: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="the C compiler for RISC-V failed") as error:
        build(tmp_path, "int main(void) { return undeclared; }")
    assert any("undeclared" in note for note in error.value.notes)


def test_binaries_that_assembly_includes_are_those_of_now(compiler: str, tmp_path: Path) -> None:
    """Where nothing else has changed, not even the time of a file."""
    byte, elf = tmp_path / "byte.bin", tmp_path / "main.elf"
    byte.write_bytes(b"\3")
    data = '__asm__(".section .rodata\\nbyte: .incbin \\"byte.bin\\"\\n.text");\nextern const char byte;\n'
    build(tmp_path, data + "int main(void) { return byte; }")
    for value in (4, 5):
        byte.write_bytes(bytes([value]))
        sources, flags = [tmp_path / "main.c", tmp_path / "start.S"], ["-ffreestanding"]
        assert run_elf(build_elf(sources, tmp_path / "board.ld", elf, entry="begin", flags=flags)).exit_code == value


def test_symbols_name_places(tmp_path: Path) -> None:
    elf = read_elf(build(tmp_path, "int main(void) { return 0; }"))
    assert elf.entry == elf.symbols["begin"] == RAM
    assert elf.address_text(elf.symbols["main"] + 2).endswith("(main+2)")
    assert elf.address_text(0) == "0x00000000"


def test_a_compiler_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RV32_CC", raising=False)
    assert rv32_compiler().is_zig
    monkeypatch.setenv("RV32_CC", "no-such-compiler -O1")
    with pytest.raises(Diagnostic, match="does not exist"):
        rv32_compiler()


def test_no_compiler_and_no_emulator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elf = build(tmp_path, "int main(void) { return 0; }")
    monkeypatch.setattr(rv32, "find_spec", lambda name: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.delenv("RV32_CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Diagnostic, match="there is no C compiler for RISC-V"):
        rv32_compiler()
    with pytest.raises(Diagnostic, match="there is no emulator for RISC-V"):
        run_elf(elf)
    gcc = tmp_path / "riscv64-unknown-elf-gcc"
    gcc.write_text("#!/bin/sh\n")
    gcc.chmod(0o755)
    rv32._compiler.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert rv32_compiler().command == (str(gcc),)
    rv32._compiler.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert importlib.util.find_spec("unicorn") is not None
