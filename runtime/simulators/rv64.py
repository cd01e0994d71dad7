"""Programs for 64-bit RISC-V (RV64GC) without an operating system: a network, its calls, and counted instructions."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ...errors import Diagnostic
from ...passes.emitc.text.files import Files
from ..host import HostEntry, emitted_text, machine_flags, sources_in
from ..rv32 import Rv32Compiler, build_elf

BASE = 0x2000_0000
"""Address of the memory; below 2 GiB, as compiled C libraries use absolute addresses of 32 bits (code model medlow)."""

INPUTS, OUTPUTS, COUNTS, CALLS = "inputs.bin", "outputs.bin", "counts.bin", "calls.bin"
"""
Files of a program: its calls, the outputs of the last one, and two 64-bit counts of instructions for each; where calls
of kernels are counted, instructions and executions of each, twice for each call of the program.
"""

REFUSED, DIFFERS, FAILED = 64, 2, 1
"""Exit status: 64 more than that of a network that refuses its inputs; outputs of a repeated call differ; no files."""

_HERE = Path(__file__).parent
_FREESTANDING = _HERE / "freestanding"
_ISA = re.compile(r"rv64(?:g|imafd)c(?P<letters>[a-z]*)(?P<named>(?:_[a-z0-9]+)*)\Z")

_SCRIPT = """\
OUTPUT_ARCH(riscv)
ENTRY(tw_start)
MEMORY { memory (rwx) : ORIGIN = @BASE@, LENGTH = @BYTES@ }
SECTIONS {
  .text : { KEEP(*(.text.start)) *(.text .text.*) } > memory
  .htif : ALIGN(64) { KEEP(*(.htif)) . = ALIGN(64); } > memory
  .rodata : ALIGN(64) { *(.rodata .rodata.* .srodata .srodata.*) } > memory
  .eh_frame : { *(.eh_frame .eh_frame.*) } > memory
  .data : ALIGN(64) { __global_pointer$ = . + 0x800; *(.sdata .sdata.*) *(.got .got.*) *(.data .data.*) } > memory
  .tdata : ALIGN(64) { . += 1024; tw_thread = .; *(.tdata .tdata.*) } > memory
  .tbss : { *(.tbss .tbss.*) } > memory
  .bss : ALIGN(64) { *(.sbss .sbss.*) *(.bss .bss.*) *(COMMON) } > memory
  .stack (NOLOAD) : ALIGN(64) { . += 4M; tw_stack_end = .; } > memory
}
"""

_HEAD = """\
#include <string.h>
#include "rv64.h"
#include "@HEADER@"

static int take(long file, void *to, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        const long done = tw_read(file, (char *)to + at, bytes - at);
        if (done <= 0) return 0;
        at += (size_t)done;
    }
    return 1;
}

static int give(long file, const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        const long done = tw_write(file, (const char *)from + at, bytes - at);
        if (done <= 0) return 0;
        at += (size_t)done;
    }
    return 1;
}
"""

_ENTRY = """
@DECLARATIONS@
static int step_@INDEX@(long file, uint64_t counts[2]) {
    int status = 0;
    (void)file;
@READS@    for (int again = 0; again < 2; ++again) {
@STARTS@        const uint64_t before = tw_instructions();
        @CALL@
        counts[again] = tw_instructions() - before;
@ENDS@        if (status != 0) return @REFUSED@ + status;
        if (again == 0) {
@SAVES@        }
    }
@COMPARES@    return 0;
}

static int save_@INDEX@(long file) {
    (void)file;
@WRITES@    return 0;
}
"""

_MAIN = """
int main(void) {
    static int (*const steps[])(long, uint64_t *) = {@STEPS@};
    static int (*const saves[])(long) = {@SAVES@};
    const long inputs = tw_open("@INPUTS@", 0), counts = tw_open("@COUNTS@", 1);
    if (inputs < 0 || counts < 0) return @FAILED@;
@OPENS@    unsigned char next = 0, last = 0;
    while (take(inputs, &next, 1)) {
        uint64_t count[2];
        last = next;
        const int status = steps[last](inputs, count);
        if (status != 0) return status;
        if (!give(counts, count, sizeof count)) return @FAILED@;
    }
    const long outputs = tw_open("@OUTPUTS@", 1);
    return outputs < 0 ? @FAILED@ : saves[last](outputs);
}
"""


@dataclass(frozen=True)
class Rv64Compiler(Rv32Compiler):
    """A command that compiles and links C for an ISA that RV64GC is part of; it has a C library."""

    isa: str = "rv64gc"

    def arguments(self, uses_math: bool) -> tuple[list[str], list[str]]:
        """Return the compiler's arguments before and after the sources."""
        common = ["-mcmodel=medany", "-static", "-fno-pic", "-fno-pie", "-ffp-contract=off"]
        if not self.is_zig:
            before = [f"-march={self.isa}_zicsr", "-mabi=lp64d", "-nostartfiles", "-Wl,--no-warn-rwx-segments"]
            return [*before, *common], ["-lm", "-lc", "-lgcc"]
        cpu = "+".join(["-mcpu=baseline_rv64", "zicsr", *extensions_of(self.isa)])
        # Zig compiles all of its C library before the first program that needs it, which takes a minute.
        library = ["riscv64-linux-musl"] if uses_math else ["riscv64-freestanding-none", "-isystem", str(_FREESTANDING)]
        return ["-target", *library, cpu, "-fno-sanitize=all", *common], []


def extensions_of(isa: str) -> list[str]:
    """Return the extensions of an ISA string beside rv64gc. Raises Diagnostic where it does not begin with that."""
    if (match := _ISA.match(isa)) is None:
        raise Diagnostic(
            "the ISA is none that programs can be built for",
            expected="rv64gc, and extensions behind it: rv64gcv, rv64gc_zba_zbb",
            found=isa,
        )
    return [*match["letters"], *filter(None, match["named"].split("_"))]


def rv64_compiler(isa: str) -> Rv64Compiler:
    """
    Return the command that compiles C for an ISA: $RV64_CC, which has a C library, else the package `ziglang`.

    Raises Diagnostic if there is none.
    """
    extensions_of(isa)
    if words := shlex.split(os.environ.get("RV64_CC", "")):
        if shutil.which(words[0]) is None:
            raise Diagnostic("the compiler that $RV64_CC names does not exist", where="$RV64_CC", found=words[0])
        return Rv64Compiler(tuple(words), any("zig" in word for word in words), isa)
    if find_spec("ziglang") is None:
        raise Diagnostic(
            "there is no C compiler for 64-bit RISC-V",
            expected="the package ziglang, or the variable RV64_CC with a compiler that has a C library",
            remedy="pip install 'tilewright[cc]'",
        )
    return Rv64Compiler((sys.executable, "-m", "ziglang", "cc"), True, isa)


_COUNTED = """
struct tw_counted tw_counted[TW_COUNTED];
struct tw_counting tw_counting;
static long calls_file;
"""
_STARTS = """\
        memset(tw_counted, 0, sizeof tw_counted);
        tw_counting.depth = 0;
        tw_counting.since = tw_instructions();
"""
_ENDS = """\
        tw_count_flush();
        if (!give(calls_file, tw_counted, sizeof tw_counted)) return @FAILED@;
"""
_OPENS = """\
    if ((calls_file = tw_open("@CALLS@", 1)) < 0) return @FAILED@;
"""


def build_program(
    folder: Path, files: Files, entries: Sequence[HostEntry], target: Path, isa: str, memory: int, calls: int = 0
) -> Path:
    """
    Build a program that makes calls of the network in a folder, as the ELF file `target`, for `memory` bytes.

    `calls` are the marked calls of kernels in the network's C, whose instructions the program counts.

    Raises Diagnostic where the compiler fails, and where the program does not fit into the memory.
    """
    driver, script = target.with_suffix(".c"), target.with_suffix(".ld")
    driver.write_text(program_text(files.header, entries, is_counted=calls > 0))
    script.write_text(_SCRIPT.replace("@BASE@", hex(BASE)).replace("@BYTES@", str(memory)))
    sources = sources_in(folder, files)
    flags = [f"-I{folder.resolve()}", f"-I{_HERE}", *machine_flags(sources[0])]
    flags += [f"-DTW_COUNTED={calls + 1}", "-include", str(_HERE / "rv64_count.h")] if calls else []
    compiled = [*sources, driver, _HERE / "rv64.c"]
    # <math.h>, <stdlib.h> and <stdio.h> come with a C library alone.
    uses_library = any(header in emitted_text(sources[0]) for header in ("tilewright_math.h", "tilewright_threads.h"))
    return build_elf(
        compiled, script, target, entry="tw_start", flags=flags, uses_math=uses_library, compiler=rv64_compiler(isa)
    )


def program_text(header: str, entries: Sequence[HostEntry], *, is_counted: bool = False) -> str:
    """
    Return a program that makes each call twice in a row, and counts the instructions of both.

    A call is a byte, the number of its function, and its raw inputs. The outputs of the two have to be equal.
    """
    steps = ", ".join(f"step_{index}" for index in range(len(entries)))
    names = {"STEPS": steps, "SAVES": steps.replace("step_", "save_")}
    parts = {"STARTS": _STARTS, "ENDS": _ENDS, "OPENS": _OPENS}
    parts = parts if is_counted else dict.fromkeys(parts, "")
    names |= {"INPUTS": INPUTS, "OUTPUTS": OUTPUTS, "COUNTS": COUNTS, "CALLS": CALLS, "FAILED": str(FAILED)}
    functions = [_entry(index, entry) for index, entry in enumerate(entries)]
    text = "".join([_HEAD, _COUNTED if is_counted else "", *functions, _MAIN])
    return _filled(_filled(text, parts), {"HEADER": header, **names})


_DECLARATION = "static {macro}_TYPE {name}[{macro}_SIZE > 0 ? {macro}_SIZE : 1] __attribute__((aligned(64)));\n"
_READ = f"    if (!take(file, {{name}}, {{macro}}_BYTES)) return {FAILED};\n"
_SAVE = "            memcpy(first_{name}, {name}, {macro}_BYTES);\n            memset({name}, 0x5a, sizeof {name});\n"
_COMPARE = f"    if (memcmp(first_{{name}}, {{name}}, {{macro}}_BYTES) != 0) return {DIFFERS};\n"
_WRITE = f"    if (!give(file, {{name}}, {{macro}}_BYTES)) return {FAILED};\n"


def _for_each(arrays: Iterable[tuple[str, str]], statement: str) -> str:
    """Return a C statement for each array, given by the macro of its type and size, and its name."""
    return "".join(statement.format(macro=macro, name=name) for macro, name in arrays)


def _entry(index: int, entry: HostEntry) -> str:
    ins = [(f"{entry.prefix}_INPUT_{i}", f"input_{index}_{i}") for i in range(len(entry.inputs))]
    outs = [(f"{entry.prefix}_OUTPUT_{i}", f"output_{index}_{i}") for i in range(len(entry.outputs))]
    kept = [(macro, f"first_{name}") for macro, name in outs]
    call = f"{entry.function}({', '.join(name for _, name in (*ins, *outs))});"
    texts = {
        "DECLARATIONS": _for_each((*ins, *outs, *kept), _DECLARATION),
        "READS": _for_each(ins, _READ),
        "SAVES": _for_each(outs, _SAVE),
        "COMPARES": _for_each(outs, _COMPARE),
        "WRITES": _for_each(outs, _WRITE),
    }
    words = {"CALL": f"status = {call}" if entry.returns else call, "INDEX": str(index), "REFUSED": str(REFUSED)}
    return _filled(_ENTRY, texts | words)


def _filled(template: str, parts: dict[str, str]) -> str:
    for key, text in parts.items():
        template = template.replace(f"@{key}@", text)
    return template
