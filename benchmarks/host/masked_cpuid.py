"""ONNX Runtime on this machine as on one with fewer vector instructions: its `cpuid` instructions trap."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tilewright.runtime.toolchain import compile_shared

# A trapped `cpuid` is `ud2`, which has as many bytes. It answers what the machine does, but for vectors beyond AVX2:
# AVX-512, AMX and, where it is hidden, AVX-VNNI. Bits by https://www.intel.com/sdm, volume 2A, CPUID.
HANDLER = """
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
static uint8_t *low, *high;
static int hides_vnni;
static struct sigaction before;
static void answer(int number, siginfo_t *info, void *context) {
    greg_t *const registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint8_t *const at = (uint8_t *)registers[REG_RIP];
    if (at < low || at >= high || at[0] != 0x0F || at[1] != 0x0B) {
        sigaction(number, &before, NULL);
        return;
    }
    const uint32_t leaf = (uint32_t)registers[REG_RAX], part = (uint32_t)registers[REG_RCX];
    uint32_t a, b, c, d;
    __cpuid_count(leaf, part, a, b, c, d);
    if (leaf == 7 && part == 0) {
        b &= ~(1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31);
        c &= ~(1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14);
        d &= ~(1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25);
    } else if (leaf == 7 && part == 1) {
        a &= ~(1u << 5 | 1u << 21 | 1u << 23);
        d &= ~(1u << 8 | 1u << 19);
        if (hides_vnni) a &= ~(1u << 4), d &= ~(1u << 4 | 1u << 10);
    }
    registers[REG_RAX] = a, registers[REG_RBX] = b, registers[REG_RCX] = c, registers[REG_RDX] = d;
    registers[REG_RIP] += 2;
    (void)info;
}
int trap(uint8_t *const *places, int count, int without_vnni) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = answer, action.sa_flags = SA_SIGINFO;
    hides_vnni = without_vnni, low = places[0], high = places[count - 1] + 2;
    for (int i = 0; i < count; ++i) {
        if (places[i][0] != 0x0F || places[i][1] != 0xA2) return 1;
        uint8_t *const start = (uint8_t *)((uintptr_t)places[i] / page * page);
        const size_t size = (size_t)(places[i] + 2 - start);
        if (mprotect(start, size, PROT_READ | PROT_WRITE)) return 2;
        places[i][1] = 0x0B;
        if (mprotect(start, size, PROT_READ | PROT_EXEC)) return 3;
    }
    return sigaction(SIGILL, &action, &before) ? 4 : 0;
}
"""


def load(isa: str) -> Any:
    """
    Import ONNX Runtime as it is on a processor with the vectors of `isa`: native, avx-vnni or avx2.

    Its kernels are those that it takes there, at this processor's speed. Restricted, it must not have been imported yet
    in this process, and `objdump` must be there. Raises RuntimeError where it cannot be restricted.
    """
    if isa != "native":
        _restrict(isa == "avx2")
    return import_module("onnxruntime")


def _restrict(hides_vnni: bool) -> None:
    spec = find_spec("onnxruntime")
    if "onnxruntime" in sys.modules or spec is None or spec.submodule_search_locations is None:
        raise RuntimeError("ONNX Runtime must be installed, and not imported yet")
    (library,) = Path(spec.submodule_search_locations[0], "capi").glob("onnxruntime_pybind11_state*.so")
    # Loaded, it stays where it is; what it asks of the processor it asks as Python imports it.
    ctypes.CDLL(str(library))
    base = _base(str(library.resolve()))
    places = [base + offset for offset in _instructions(library)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "handler.c")
        source.write_text(HANDLER)
        handler = ctypes.CDLL(str(compile_shared([source], ["-std=gnu11", "-O2"])))
    status = handler.trap((ctypes.c_void_p * len(places))(*places), len(places), int(hides_vnni))
    if status:
        raise RuntimeError(f"cannot trap the cpuid instructions of {library}: step {status}")


def _instructions(library: Path) -> list[int]:
    """Return the addresses of the `cpuid` instructions of a library, in order."""
    command = ["objdump", "-d", "--no-show-raw-insn", str(library)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    words = (line.split() for line in text.splitlines() if line.endswith("\tcpuid"))
    return sorted(int(line[0].rstrip(":"), 16) for line in words)


def _base(library: str) -> int:
    """Return the address that a library is loaded at."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return min(int(line.split("-")[0], 16) for line in lines if line.endswith(library))
