"""
Random jobs of Siracusa's NPU on GVSoC beside our model of it, register by register.

    GVSOC=... python benchmarks/siracusa/jobs.py [--jobs 300] [--seed 0] [--contested]

Each job has random registers, in memories of random bytes, and is compared by a checksum of the near memory after it.
The table shows for each field of the registers how many jobs had it other than at its most common value, over which
values, and how many of them differ. With --contested each job has one field that our model refuses: what it would
compute is compared all the same, to show where GVSoC reads a field otherwise. Exit code 1 where an accepted job
differs.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.rv32 import build_elf
from tilewright.targets.siracusa.bare import RUNTIME, SIRACUSA
from tilewright.targets.siracusa.npu.datapath import Decoded, check, compute
from tilewright.targets.siracusa.npu.geometry import L1_BASE, WEIGHT_MEMORY_BASE, ConvKind, packed_shape
from tilewright.targets.siracusa.npu.jobs import (
    MOST_PADDING,
    Conf,
    JobAddresses,
    NpuJob,
    NpuRegister,
    Padding,
    registers,
)
from tilewright.targets.siracusa.npu.memory import RegionMemory
from tilewright.targets.siracusa.simulators.gvsoc import PROGRAM, release

WINDOW = 24 << 10
"""Bytes of the near memory that a job works in, and of the weight memory: few, as a core fills them."""
PLACE = L1_BASE + 0x4000
"""Start of the window: behind it lies what the NPU reads of padding, before it writes over that."""
STEPS = 500
"""Words of weights that a job multiplies at most: the simulator takes about a millisecond for each."""
BATCH = 100
"""Jobs of a program."""

_MAIN = """\
#include "program.h"
#include "tw_cluster.h"

enum { WINDOW = @WINDOW@, JOBS = @JOBS@ };
struct record { uint32_t seed, words[24], place, count; };
extern const uint32_t records[];

static uint32_t next(uint32_t state) {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ state << 5;
}

static void fill(volatile uint32_t *at, uint32_t state) {
    for (uint32_t i = 0; i < WINDOW / 4; ++i) at[i] = state = next(state);
}

int main(void) {
    volatile uint32_t *const near = (volatile uint32_t *)@PLACE@u;
    const uint32_t *at = records;
    tw_start();
    fill((volatile uint32_t *)0x10400000u, 1u);
    for (uint32_t job = 0; job < JOBS; ++job) {
        const struct record *const record = (const struct record *)at;
        uint32_t sum = 0;
        at += sizeof(*record) / 4;
        fill(near, record->seed);
        for (uint32_t i = 0; i < record->count; ++i) near[record->place + i] = *at++;
        (void)tw_npu_acquire();
        for (uint32_t i = 0; i < 24u; ++i) tw_npu_write(i, record->words[i]);
        tw_npu_trigger();
        tw_npu_wait();
        for (uint32_t i = 0; i < WINDOW / 4; ++i) sum = (sum ^ near[i]) * 16777619u;
        tw_put_text("job ");
        tw_put_decimal(sum);
        tw_put('\\n');
    }
    tw_exit(0u);
}
"""


@dataclass(frozen=True)
class Trial:
    """A job: its registers, the seed of the bytes before it, and a patch of scales and biases in them."""

    words: tuple[int, ...]
    seed: int
    place: int
    patch: bytes
    changed: str = ""
    """Field that the model refuses, empty for a job that it accepts."""

    @cached_property
    def job(self) -> Decoded:
        """The registers, decoded."""
        return Decoded(self.words)

    def record(self) -> bytes:
        """Return the job as the program reads it."""
        return np.array([self.seed, *self.words, self.place, len(self.patch) // 4], "<u4").tobytes() + self.patch


def draw_job(random: np.random.Generator) -> NpuJob:
    """Draw a job without addresses."""
    kind = ConvKind(int(random.integers(3)))
    bits = int(random.integers(2, 9))
    height, width = (int(each) for each in random.integers(1, 15, 2))
    blocks = -(-height // 6) * -(-width // 6) * (1 if kind is ConvKind.POINTWISE else bits)
    channels = int(random.integers(1, 70))
    depth = 1 if kind is ConvKind.DEPTHWISE else -(-channels // kind.channels)
    features = int(min(random.integers(1, 70), max(1, STEPS // (blocks * depth))))
    if kind is ConvKind.DEPTHWISE:
        channels = features = min(channels, max(1, 2 * STEPS // blocks))
    wide = bool(random.integers(2))
    job = NpuJob(
        kind,
        height,
        width,
        channels,
        features,
        padding=_draw_padding(random, kind, height, width),
        weight_bits=bits,
        weight_offset=(-(1 << bits - 1), 0, int(random.integers(-256, 256)))[random.integers(3)],
        output_bits=32 if wide else 8,
        scale_bits=0 if wide else int(random.choice([8, 32])),
        shift=int(random.integers(32)),
        bias=bool(random.integers(2)),
        relu=bool(random.integers(2)),
        signed=bool(random.integers(2)),
        accumulate=wide and kind is not ConvKind.DEPTHWISE and bool(random.integers(2)),
        prefetch=bool(random.integers(2)),
    )
    return _with_strides(random, job) if random.integers(2) else job


def _draw_padding(random: np.random.Generator, kind: ConvKind, height: int, width: int) -> Padding:
    if kind is ConvKind.POINTWISE:
        return Padding()
    top, left = (int(min(n, random.integers(MOST_PADDING + 1))) for n in (height, width))
    sides: list[int] = []
    for extent, before in ((height, top), (width, left)):
        most = min(MOST_PADDING, extent + 1 - before, MOST_PADDING if extent <= 6 else (extent - 1) % 6 + 1)
        sides.append(int(random.integers(max(0, most) + 1)))
    value = (0, 0, int(random.integers(1, 256)))[random.integers(3)]
    bottom, right = (0, 0) if value else sides
    return Padding(top, right, bottom, left, value)


def _with_strides(random: np.random.Generator, job: NpuJob) -> NpuJob:
    gaps = [int(each) for each in random.integers(0, 9, 4)]
    pixel, out = job.input_strides[0] + gaps[0], job.output_strides[0] + gaps[1]
    rows = pixel * job.input_width + gaps[2], out * job.width + gaps[3]
    strides = {"input_pixel_stride": pixel, "input_row_stride": rows[0]}
    return replace(job, **strides, output_pixel_stride=out, output_row_stride=rows[1])


def draw_trial(random: np.random.Generator) -> Trial:
    """Draw a job with operands in random places of the memories."""
    while True:
        job, in_weight_memory = draw_job(random), bool(random.integers(2))
        features, scales = job.features, job.scale_bits // 8
        # The NPU reads biases in lines of 32, the scales of the last block in words.
        rows, size = packed_shape(job.kind, features, job.channels, job.weight_bits)
        weights = rows * size
        scale_at = int(random.integers(4))
        bias_at = scale_at + features * scales + int(random.integers(4))
        patch = bias_at + 4 * features + 128 & ~3
        image = job.input_strides[1] * job.input_height
        output = job.output_strides[1] * job.height
        start = patch + int(random.integers(1, 40))
        weights_at = int(random.integers(64)) if in_weight_memory else start + image + int(random.integers(9))
        output_at = start + image + int(random.integers(9)) + (0 if in_weight_memory else weights + 9)
        if max(output_at + output, weights_at + weights) + 64 < WINDOW:
            break
    base = WEIGHT_MEMORY_BASE if in_weight_memory else PLACE
    places = JobAddresses(base + weights_at, PLACE + start, PLACE + output_at, PLACE + scale_at, PLACE + bias_at)
    words = registers(replace(job, addresses=places))
    content = np.zeros(patch, np.uint8)
    scale, bias = _numbers(random, job)
    content[scale_at : scale_at + features * scales] = scale.view(np.uint8)
    content[bias_at : bias_at + 4 * features] = bias.view(np.uint8)
    return Trial(words, int(random.integers(1, 1 << 32)), 0, content.tobytes())


def _numbers(random: np.random.Generator, job: NpuJob) -> tuple[Array, Array]:
    """Return scales and biases whose results mostly fit a byte, and some that overflow 32 bits."""
    depth = job.kind.taps**2 * (1 if job.kind is ConvKind.DEPTHWISE else job.channels)
    sums = 128 * (1 << job.weight_bits) * depth**0.5
    top = 255 if job.scale_bits == 8 else min((1 << 32) - 1, max(1, int((1 << job.shift) * 128 / sums)))
    if random.integers(8) == 0 and job.scale_bits == 32:
        top = (1 << 32) - 1
    scale = random.integers(0, top + 1, job.features).astype("<u4" if job.scale_bits == 32 else np.uint8)
    limit = min((1 << 31) - 1, 200 << job.shift if random.integers(4) else 1 << 31)
    return scale[: job.features if job.scale_bits else 0], random.integers(-limit, limit, job.features).astype("<i4")


# Fields that have no effect on the result, and those that the model refuses


def _ignored(random: np.random.Generator, words: list[int]) -> None:
    """Write registers and bits of CONF0 that nothing reads in this job."""
    job = Decoded(tuple(words))
    for register in (NpuRegister.INPUT_STRIDES + 2, NpuRegister.WEIGHT_STRIDES + 2):
        words[register] = int(random.integers(1 << 32))
    if job.kind is ConvKind.DEPTHWISE:
        words[NpuRegister.WEIGHT_STRIDES + 1] = int(random.integers(1 << 32))
    if not job.field(Conf.REQUANTIZE):
        loose = 1 << Conf.BIAS | 1 << Conf.NO_RELU | 31 << Conf.SHIFT | 2 << Conf.SCALE_SIZE
        words[NpuRegister.CONF0] ^= int(random.integers(1 << 32)) & loose


def _pad(words: list[int], random: np.random.Generator) -> None:
    """Pad below and right of the image by another number than 0."""
    words[NpuRegister.PADDING] |= int(random.integers(1, 256))


def _upper_byte(words: list[int], random: np.random.Generator) -> None:
    words[NpuRegister.PADDING] |= int(random.integers(1, 256)) << 8


def _flip(register: int, bits: int) -> Callable[[list[int], np.random.Generator], None]:
    def flip(words: list[int], random: np.random.Generator) -> None:
        words[register] ^= bits

    return flip


def _stride(words: list[int], random: np.random.Generator) -> None:
    words[NpuRegister.WEIGHT_STRIDES + 1] += 32


def _has_late_padding(job: Decoded) -> bool:
    return max(job.padding[1:3]) > 0


def _is_dense(job: Decoded) -> bool:
    return job.kind is not ConvKind.DEPTHWISE


def _is_wide_depthwise(job: Decoded) -> bool:
    return job.kind is ConvKind.DEPTHWISE and not job.field(Conf.REQUANTIZE)


def _any(job: Decoded) -> bool:
    return True


CONTESTED: Mapping[str, tuple[Callable[[Decoded], bool], Callable[[list[int], np.random.Generator], None]]] = {
    "padding below, right: value": (_has_late_padding, _pad),
    "padding: upper byte of the value": (lambda job: max(job.padding) > 0, _upper_byte),
    "weights: row stride": (_is_dense, _stride),
    "accumulate, depthwise": (_is_wide_depthwise, _flip(NpuRegister.CONF0, 1 << Conf.ACCUMULATE)),
    "no offset of the layer": (_any, _flip(NpuRegister.CONF0, 1 << Conf.LAYER_OFFSET)),
    "CONF0 bit 11: rounding": (_any, _flip(NpuRegister.CONF0, 1 << 11)),
    "CONF0 bit 7: linear": (lambda job: job.kind is ConvKind.POINTWISE, _flip(NpuRegister.CONF0, 1 << 7)),
    "register 4: shifts": (_any, _flip(NpuRegister.SCALE_SHIFT, PLACE)),
}
"""Field that the model refuses -> the jobs that have it, and what changes it."""


def draw_contested(random: np.random.Generator, number: int) -> Trial:
    """Draw a job with one field that the model refuses, in turn."""
    name = list(CONTESTED)[number % len(CONTESTED)]
    has, change = CONTESTED[name]
    while True:
        trial = draw_trial(random)
        if has(trial.job):
            words = list(trial.words)
            change(words, random)
            return replace(trial, words=tuple(words), changed=name)


# Expected and measured results


def filled(seed: Array) -> Array:
    """Return the random bytes of the window for each seed."""
    state, found = seed.astype(np.uint32), np.zeros((len(seed), WINDOW // 4), np.uint32)
    for index in range(WINDOW // 4):
        for shift in (13, -17, 5):
            state = state ^ (state << np.uint32(shift) if shift > 0 else state >> np.uint32(-shift))
        found[:, index] = state
    return found.view(np.uint8)


def expected(trials: Sequence[Trial]) -> Array:
    """Return the checksums of the window after each job, by our model."""
    windows = filled(np.array([trial.seed for trial in trials]))
    (weights,) = filled(np.array([1]))
    for trial, window in zip(trials, windows, strict=True):
        window[trial.place * 4 :][: len(trial.patch)] = np.frombuffer(trial.patch, np.uint8)
        if not trial.changed:
            check(trial.job)
        compute(trial.job, RegionMemory({PLACE: window, WEIGHT_MEMORY_BASE: weights}))
    sums = np.zeros(len(trials), np.uint32)
    for column in windows.view(np.uint32).T:
        sums = (sums ^ column) * np.uint32(16777619)
    return sums


def measured(trials: Sequence[Trial], seconds: float) -> Array:
    """Return the checksums on GVSoC. Raises Diagnostic where it fails."""
    with tempfile.TemporaryDirectory(prefix="tilewright-") as name:
        folder = Path(name)
        numbers = {"WINDOW": WINDOW, "JOBS": len(trials), "PLACE": PLACE}
        main, data, elf = folder / "main.c", folder / "data.S", folder / "jobs.elf"
        main.write_text(re.sub("@(.*?)@", lambda found: str(numbers[found[1]]), _MAIN))
        (folder / "records.bin").write_bytes(b"".join(trial.record() for trial in trials))
        data.write_text(
            "    .section .rodata\n    .balign 16\n    .globl records\n"
            f'records:\n    .incbin "{folder / "records.bin"}"\n'
        )
        sources = [main, data, *(RUNTIME / source for source in SIRACUSA.sources)]
        flags = ["-ffreestanding", f"-I{RUNTIME}", "-isystem", str(RUNTIME / "freestanding"), *SIRACUSA.flags]
        flags += [f"-D{macro}" for macro in SIRACUSA.macros]
        build_elf(sources, RUNTIME / SIRACUSA.script, elf, entry="tw_start_program", flags=flags)
        done = PROGRAM.execute(["--target", "siracusa", "--binary", str(elf), "run"], folder, seconds=seconds)
    PROGRAM.check(done)
    return np.array(re.findall(r"^job (\d+)$", done.printed, re.MULTILINE), np.uint32)


# The table


def fields(trial: Trial) -> dict[str, int | str]:
    """Return the value of each field of the registers of a job, by name."""
    job, words = trial.job, trial.words
    top, right, bottom, left = job.padding
    names = "features", "channels", "rows", "columns"
    found: dict[str, int | str] = {"kind": job.kind.name.lower()}
    found |= {f"blocks of {name}": len(job.blocks[name]) for name in names}
    found |= {f"last block of {name}": job.blocks[name][-1] for name in names}
    found |= {"padding above": top, "padding left": left, "padding below": bottom, "padding right": right}
    found |= {"padding value": words[NpuRegister.PADDING] & 0xFFFF, "weight offset": job.weight_offset}
    found |= {
        f"CONF0 {field.name.lower()}": job.field(field) for field in Conf if field not in (Conf.KIND, Conf.LAYER_OFFSET)
    }
    strides = range(NpuRegister.INPUT_STRIDES, NpuRegister.CHANNEL_REMAINDERS)
    return found | {f"stride, register {number}": words[number] for number in strides}


def shown(trials: Sequence[Trial], differ: Sequence[bool]) -> Table:
    """Return the table of the fields of jobs, and how many differ."""
    table = Table("field", "values", "jobs", "differ")
    every = [fields(trial) for trial in trials]
    for name in every[0]:
        values = [each[name] for each in every]
        common = Counter(values).most_common(1)[0][0]
        others = [index for index, value in enumerate(values) if value != common]
        span = sorted(set(values), key=lambda value: (isinstance(value, str), value))
        text = ", ".join(map(str, span)) if len(span) <= 9 else f"{len(span)} from {span[0]} to {span[-1]}"
        table.add_row(name, text, str(len(others)), str(sum(differ[index] for index in others)))
    return table


def shown_contested(trials: Sequence[Trial], differ: Sequence[bool]) -> Table:
    """Return the table of fields that the model refuses."""
    table = Table("refused field", "jobs", "GVSoC reads it otherwise")
    for name in CONTESTED:
        chosen = [wrong for trial, wrong in zip(trials, differ, strict=True) if trial.changed == name]
        table.add_row(name, str(len(chosen)), str(sum(chosen)))
    return table


def drawn(arguments: Any) -> list[Trial]:
    """Return the jobs of a run."""
    random = np.random.default_rng(arguments.seed)
    if arguments.contested:
        return [draw_contested(random, number) for number in range(arguments.jobs)]
    found: list[Trial] = []
    for _ in range(arguments.jobs):
        trial = draw_trial(random)
        words = list(trial.words)
        _ignored(random, words)
        found.append(replace(trial, words=tuple(words)))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=300, help="number of jobs")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first")
    parser.add_argument("--contested", action="store_true", help="jobs that the model refuses")
    parser.add_argument("--time-limit", type=float, default=1200, help="seconds for a program of 100 jobs")
    arguments = parser.parse_args()
    trials = drawn(arguments)
    differ: list[bool] = []
    try:
        for start in range(0, len(trials), BATCH):
            part = trials[start : start + BATCH]
            found = measured(part, arguments.time_limit)
            differ += [*(found != expected(part))]
            print(f"{len(differ)} jobs, {sum(differ)} differ", file=sys.stderr)
    except Diagnostic as error:
        print(error, file=sys.stderr)
        return 1
    show = shown_contested if arguments.contested else shown
    version = release(PROGRAM.find().resolve().parent.parent / "generators")
    Console().print(show(trials, differ))
    print(f"{len(trials)} jobs, {sum(differ)} differ, on GVSoC {version}")
    for trial in [trial for trial, wrong in zip(trials, differ, strict=True) if wrong][:5]:
        print(trial.words)
    return 0 if arguments.contested else int(any(differ))


if __name__ == "__main__":
    sys.exit(main())
