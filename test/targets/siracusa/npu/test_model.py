"""The models of the NPU, in NumPy and in C, against each other and against a direct convolution."""

from __future__ import annotations

import ctypes
import struct
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.toolchain import STRICT, compile_executable, compile_shared
from tilewright.targets.siracusa.npu.geometry import L1_BASE, WEIGHT_MEMORY_BASE, ConvKind
from tilewright.targets.siracusa.npu.jobs import COUNT, NpuJob, NpuRegister, registers
from tilewright.targets.siracusa.npu.memory import RegionMemory
from tilewright.targets.siracusa.npu.model import LOCKED, NO_CONTEXT, NpuModel, Offset
from tilewright.test.targets.siracusa.npu.random_jobs import Case, case_of, cases

SOURCE = Path(__file__).parents[4] / "targets/siracusa/c/npu_model.c"
FAULTS = ("none", "register", "sequence", "job", "memory")
APART = {4, 8, 14, 16, 20, 21, 22, 23}
"""Registers whose change does not let outputs lie over operands or each other, where what they are is open."""
MANY = settings(max_examples=600, deadline=None)
SOME = settings(MANY, max_examples=200)


def run(model: NpuModel | CModel, words: tuple[int, ...]) -> None:
    """Do a job as software does: acquire, write, trigger, wait."""
    assert model.read(Offset.ACQUIRE) < 256
    for number, word in enumerate(words):
        model.write(Offset.JOB + 4 * number, word)
    model.write(Offset.TRIGGER, 0)
    while model.read(Offset.STATUS):
        pass


class _CMemory(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("base", ctypes.c_uint32), ("size", ctypes.c_uint32)]


@cache
def library() -> ctypes.CDLL:
    """Return the C model, compiled."""
    found = ctypes.CDLL(str(compile_shared([SOURCE], [*STRICT, "-O2"])))
    found.npu_model_read.restype = ctypes.c_uint32
    found.npu_model_address.restype = ctypes.c_uint32
    return found


class CModel:
    """The C model in front of copies of two memories."""

    _FAULT = 2 * ctypes.sizeof(_CMemory) + 2 * 4 * (COUNT + 2) + 5 * 4
    """Where `fault` lies in the structure."""

    def __init__(self, l1: Array, weights: Array):
        self.l1, self.weights = l1.copy(), weights.copy()
        self._state = ctypes.create_string_buffer(1 << 16)
        bases = (L1_BASE, self.l1), (WEIGHT_MEMORY_BASE, self.weights)
        library().npu_model_init(self._state, *(_CMemory(a.ctypes.data, base, len(a)) for base, a in bases))

    @property
    def fault(self) -> str:
        """What went wrong first."""
        return FAULTS[struct.unpack_from("<I", self._state, self._FAULT)[0]]

    def read(self, offset: int) -> int:
        return library().npu_model_read(self._state, ctypes.c_uint32(offset))

    def write(self, offset: int, value: int) -> None:
        library().npu_model_write(self._state, ctypes.c_uint32(offset), ctypes.c_uint32(value))

    def address(self, pointer: int) -> int:
        return library().npu_model_address(self._state, ctypes.c_void_p(pointer))


def by_c(case: Case, words: tuple[int, ...]) -> CModel:
    """Return the C model after a job."""
    model = CModel(case.l1, case.weight_memory)
    run(model, words)
    return model


def differences(a: Array, b: Array) -> Array:
    return np.nonzero(a != b)[0][:8]


@pytest.mark.sample(8)
@given(cases())
@MANY
def test_both_models_convolve(case: Case):
    words = registers(case.job)
    memory = case.memory()
    run(NpuModel(memory), words)
    l1 = memory.regions[L1_BASE]
    assert np.array_equal(l1, case.expected), differences(l1, case.expected)
    model = by_c(case, words)
    assert model.fault == "none"
    assert np.array_equal(model.l1, case.expected), differences(model.l1, case.expected)


@given(cases(), st.sampled_from(list(range(COUNT))), st.sampled_from([0, 1, 2, 3, 6, 7, 8, 9, 33, 1 << 16, 1 << 28]))
@SOME
def test_both_models_refuse_the_same(case: Case, register: int, change: int):
    words = list(registers(case.job))
    words[register] ^= change
    memory, model = case.memory(), by_c(case, tuple(words))
    if model.fault != "none":
        with pytest.raises(Diagnostic, match="outside of its memories" if model.fault == "memory" else "not support"):
            run(NpuModel(memory), tuple(words))
        return
    run(NpuModel(memory), tuple(words))
    assert register not in APART or np.array_equal(model.l1, memory.regions[L1_BASE])


def example(kind: ConvKind = ConvKind.DENSE, **fields: int) -> Case:
    job = NpuJob(kind, 7, 8, 30, 30, **fields)  # pyright: ignore[reportArgumentType]
    return case_of(job, np.random.default_rng(3))


@pytest.mark.parametrize("kind", list(ConvKind))
def test_a_fault_in_any_bit_of_the_weights_is_seen(kind: ConvKind):
    case = example(kind, scale_bits=0, output_bits=32)
    place = case.job.addresses.weights - WEIGHT_MEMORY_BASE
    for byte in (place, place + 31 - 28 * (kind is not ConvKind.POINTWISE)):
        memory = case.memory()
        memory.regions[WEIGHT_MEMORY_BASE][byte] ^= 1
        run(NpuModel(memory), registers(case.job))
        assert not np.array_equal(memory.regions[L1_BASE], case.expected)


# The queue


def commit(model: NpuModel | CModel, words: tuple[int, ...], *, trigger: int = 0) -> int:
    job = model.read(Offset.ACQUIRE)
    for number, word in enumerate(words):
        model.write(Offset.JOB + 4 * number, word)
    model.write(Offset.TRIGGER, trigger)
    return job


@pytest.mark.parametrize("language", ["python", "c"])
def test_two_jobs_are_queued_and_done_in_order(language: str):
    case = example()
    words = registers(case.job)
    memory = case.memory()
    model = NpuModel(memory) if language == "python" else CModel(case.l1, case.weight_memory)
    l1 = model.l1 if isinstance(model, CModel) else memory.regions[L1_BASE]
    assert commit(model, words) == 0
    assert model.read(Offset.ACQUIRE) == 1
    assert model.read(Offset.ACQUIRE) == LOCKED
    other = list(words)
    other[NpuRegister.OUTPUT] += 4096
    for number, word in enumerate(other):
        model.write(Offset.JOB + 4 * number, word)
    model.write(Offset.TRIGGER, 0)
    assert np.array_equal(l1, case.l1), "nothing is done before software looks"
    assert model.read(Offset.ACQUIRE) == NO_CONTEXT
    assert np.array_equal(l1, case.expected)
    assert model.read(Offset.RUNNING_JOB) == 0
    assert model.read(Offset.STATUS) == 0x100
    assert model.read(Offset.STATUS) == 0
    assert model.read(Offset.RUNNING_JOB) == 1
    assert commit(model, words) == 2


@pytest.mark.parametrize("language", ["python", "c"])
def test_a_job_that_is_only_committed_waits_for_the_next_trigger(language: str):
    case = example()
    memory = case.memory()
    model = NpuModel(memory) if language == "python" else CModel(case.l1, case.weight_memory)
    l1 = model.l1 if isinstance(model, CModel) else memory.regions[L1_BASE]
    commit(model, registers(case.job), trigger=1)
    assert [model.read(Offset.STATUS) for _ in range(3)] == [1, 1, 1]
    assert np.array_equal(l1, case.l1)
    commit(model, registers(case.job))
    assert [model.read(Offset.STATUS) for _ in range(3)] == [0x101, 0x100, 0]
    assert np.array_equal(l1, case.expected)


@pytest.mark.parametrize(
    ("offset", "value", "message", "fault"),
    [
        (0x20, 1, "without ACQUIRE", "sequence"),
        (0x00, 0, "without ACQUIRE", "sequence"),
        (0x00, 2, "TRIGGER is written", "register"),
        (0x14, 0, "not safe to use", "register"),
        (0x80, 0, "not safe to use", "register"),
        (0x21, 0, "not safe to use", "register"),
    ],
)
def test_misuse_is_refused(offset: int, value: int, message: str, fault: str):
    with pytest.raises(Diagnostic, match=message):
        NpuModel(RegionMemory()).write(offset, value)
    model = CModel(np.zeros(8, np.uint8), np.zeros(8, np.uint8))
    model.write(offset, value)
    assert model.fault == fault


def test_what_cannot_be_read_is_refused():
    with pytest.raises(Diagnostic, match="reads a register"):
        NpuModel(RegionMemory()).read(0x08)
    model = CModel(np.zeros(8, np.uint8), np.zeros(8, np.uint8))
    assert model.read(0x08) == 0
    assert model.fault == "register"


def test_constant_memory_is_not_written():
    case = example()
    memory = case.memory()
    memory.regions[L1_BASE].flags.writeable = False
    with pytest.raises(Diagnostic, match="constant memory"):
        run(NpuModel(memory), registers(case.job))


def test_pointers_become_addresses():
    model = CModel(np.zeros(64, np.uint8), np.zeros(32, np.uint8))
    assert model.address(model.l1.ctypes.data + 63) == L1_BASE + 63
    assert model.address(model.weights.ctypes.data + 5) == WEIGHT_MEMORY_BASE + 5
    assert model.address(0) == 0


# Under the sanitisers

_DRIVER = """\
#include "npu_model.h"
#include <stdio.h>

static uint8_t l1[1 << 18], weights[1 << 18];
static struct npu_model model;

static uint32_t number(void) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value |= (uint32_t)(getchar() & 255) << 8 * i;
    return value;
}

int main(void) {
    for (uint32_t jobs = number(); jobs > 0; jobs--) {
        uint32_t near = number(), far = number();
        if (fread(l1, 1, near, stdin) != near || fread(weights, 1, far, stdin) != far) return 1;
        struct npu_memory a = {l1, NPU_L1_BASE, near}, b = {weights, NPU_WEIGHT_MEMORY_BASE, far};
        npu_model_init(&model, a, b);
        if (npu_model_read(&model, NPU_ACQUIRE) != 0) return 2;
        for (uint32_t i = 0; i < NPU_JOB_REGISTERS; i++) npu_model_write(&model, NPU_JOB + 4 * i, number());
        npu_model_write(&model, NPU_TRIGGER, 0);
        while (npu_model_read(&model, NPU_STATUS) != 0) {}
        putchar((int)model.fault);
        fwrite(l1, 1, near, stdout);
    }
    return 0;
}
"""


def test_the_c_model_is_clean_under_the_sanitisers(tmp_path: Path):
    random = np.random.default_rng(5)
    kinds = [example(kind, scale_bits=bits, output_bits=out) for kind in ConvKind for bits, out in ((8, 8), (0, 32))]
    trials = [(case, list(registers(case.job))) for case in kinds for _ in range(5)]
    for number, (_, words) in enumerate(trials):
        if number % 5:
            words[random.integers(COUNT)] = int(random.choice([0, 1, 31, 0x10001, 0x70007, 0xFFFFFFF0, 0x7FFFFFFF]))
    driver = tmp_path / "driver.c"
    driver.write_text(_DRIVER)
    flags = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{SOURCE.parent}"]
    program = compile_executable([SOURCE, driver], [*STRICT[:3], "-Werror", *flags])
    data = struct.pack("<I", len(trials))
    for case, words in trials:
        data += struct.pack("<II", len(case.l1), len(case.weight_memory)) + case.l1.tobytes()
        data += case.weight_memory.tobytes() + struct.pack(f"<{COUNT}I", *words)
    done = subprocess.run([program], input=data, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    size = len(kinds[0].l1) + 1
    for number, (case, words) in enumerate(trials):
        fault, l1 = done.stdout[number * size], done.stdout[number * size + 1 : (number + 1) * size]
        model = by_c(case, tuple(words))
        assert (FAULTS[fault], l1) == (model.fault, model.l1.tobytes())
        assert number % 5 or l1 == case.expected.tobytes()
