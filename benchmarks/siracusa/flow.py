"""
Modelled time of networks in the published flow for Siracusa: operator by operator, tile by tile.

For each operator Deeploy (arXiv:2408.04413, section III) fetches a tile of each input, waits, forks its kernel, and
writes the result before it goes on. `--doublebuffer` is an option that the measured networks of its documentation do
not take, and of which the paper does not say whether its own do; it changes little, since most operators are one tile.
Transfers, forks and jobs of the NPU take what targets/siracusa/machine.toml says, kernels what library.py
says. Nothing was fitted to a network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import prod

from tilewright.benchmarks.siracusa import library
from tilewright.benchmarks.siracusa.library import Work
from tilewright.benchmarks.siracusa.operators import Operator
from tilewright.benchmarks.siracusa.tiles import Tile, tiles
from tilewright.dialects.core.machine.file import find_machine
from tilewright.targets.siracusa.cost.jobs import job_cycles
from tilewright.targets.siracusa.npu.geometry import pixel_grids

MACHINE = find_machine("siracusa")
FORK, JOB = MACHINE.engine("cluster").setup, MACHINE.engine("npu").setup
FAR_ACCESS = MACHINE.far.latency - 1
"""What an access by a core to L2 takes more than one to L1."""
ISSUE = 9
"""The core's time to issue a transfer by the SDK's calls (references of docs/siracusa-costs.md: 5 to 9 cycles)."""
CLOSURES = 4 * 8 * 2
"""Four nested closures for each tile, each with some eight arguments that are stored and loaded (section III-D)."""
COLD_LINE, LINE = 17.8, 16
"""Cycles to fetch a line of code from L2, and its bytes: 512 bytes take 884 cycles, and 314 where they are cached."""
CODE = (194_800 - 42_400) / (8 - 1) / 28
"""
Bytes of code of an operator, which is its own and so never cached: Table I, where a layer has 32 operators, of which 4
are reshapes, which are none here.
"""
KERNEL = 464 * 4 / 3
"""
Bytes of a kernel's code, which is fetched when the operator before called another: PULPSoftmax, UniformRequantShift,
RQiHardswish and gemv have 254 to 818, 464 on average, as gcc 12 -O3 compiles them for rv32imc, and a third more for
rv32im: the flow's toolchain file names no compressed instructions (cmake/pulp/toolchain_llvm.cmake).
"""
L1 = 64_000
"""The bytes of L1 that the flow's tests give it."""


@dataclass(frozen=True)
class Scenario:
    """
    Limits of the flow. `l1` is 0 where nothing is tiled and the cores work in L2. With two `stages` a tile is moved
    while another is worked on (`--doublebuffer`).
    """

    cores: int = 8
    npu: bool = False
    weight_memory: bool = False
    strides: bool = False
    l1: int = L1
    stages: int = 1


@dataclass(frozen=True)
class Times:
    """Cycles of an operator or a network: kernels and jobs, transfers, and what starts them."""

    kernels: float = 0.0
    transfers: float = 0.0
    starts: float = 0.0

    @property
    def total(self) -> float:
        """All of them."""
        return self.kernels + self.transfers + self.starts

    @property
    def overhead(self) -> float:
        """The part in which no kernel runs."""
        return 1 - self.kernels / self.total

    def plus(self, other: Times, times: int = 1) -> Times:
        """Return the sum of these cycles and a multiple of the other's."""
        kernels, transfers = self.kernels + times * other.kernels, self.transfers + times * other.transfers
        return Times(kernels, transfers, self.starts + times * other.starts)


def network_times(operators: Sequence[Operator], scenario: Scenario) -> Times:
    """Return the time of all operators."""
    total, before = Times(), ""
    for operator in operators:
        if _is_left_out(operator, operators, scenario):
            continue
        kernel = "npu" if on_npu(operator, scenario) else operator.kind
        fetched = CODE + (KERNEL if kernel != before else 0)
        total = total.plus(operator_times(operator, scenario)).plus(Times(starts=fetched / LINE * COLD_LINE))
        before = kernel
    return total


def _is_left_out(operator: Operator, operators: Sequence[Operator], scenario: Scenario) -> bool:
    """Return whether planes are not needed, since the NPU does the depthwise convolution behind them."""
    if operator.kind != "transpose":
        return False
    behind = next((other for other in operators if operator.name == f"{other.name} (planes)"), None)
    return behind is not None and behind.kind == "depthwise" and on_npu(behind, scenario)


def on_npu(operator: Operator, scenario: Scenario) -> bool:
    """Return whether the flow gives an operator to the NPU: whatever that can do."""
    if not scenario.npu or not operator.weights:
        return False
    window = operator.window
    return window is None or (window.taps in ((1, 1), (3, 3)) and (scenario.strides or window.strides == (1, 1)))


@cache
def operator_times(operator: Operator, scenario: Scenario) -> Times:
    """Return the time of an operator."""
    if not scenario.l1:
        work = cluster_work(operator, scenario.cores)
        return Times(work.cycles + FAR_ACCESS * work.accesses, 0, FORK)
    all_tiles = _tiles(operator, scenario)
    total = Times()
    for tile in all_tiles:
        total = total.plus(_tile_times(tile, scenario), tile.count)
    return total if scenario.stages == 1 else replace(total, transfers=_exposed(all_tiles, scenario))


def _exposed(all_tiles: Sequence[Tile], scenario: Scenario) -> float:
    """
    Return the cycles of transfers beside which no kernel runs, where tiles are moved while another is worked on.

    The first is fetched, and the last written, by itself. Between them a kernel hides the fetching of the next tile
    and the writing of the one before, which run at once.
    """
    steps = [(tile, *_moves(tile, scenario)) for tile in all_tiles for _ in range(tile.count)]
    inward, outward = [step[1] for step in steps], [step[2] for step in steps]
    exposed = inward[0] + outward[-1]
    for (tile, _, _), following, before in zip(steps, [*inward[1:], 0], [0, *outward[:-1]], strict=True):
        exposed += max(0.0, max(following, before) - _tile_times(tile, scenario).kernels)
    return exposed


def _tiles(operator: Operator, scenario: Scenario) -> list[Tile]:
    is_job = on_npu(operator, scenario)
    in_place = is_job and scenario.weight_memory
    return tiles(operator, scenario.l1, is_job=is_job, in_place=in_place, stages=scenario.stages)


def l1_bytes(operators: Sequence[Operator], scenario: Scenario) -> int:
    """Return the bytes of L1 that the largest tile of all operators takes with the buffers of its kernel."""
    return max(
        _resident(tile, scenario)
        for operator in operators
        if not _is_left_out(operator, operators, scenario)
        for tile in _tiles(operator, scenario)
    )


def _resident(tile: Tile, scenario: Scenario) -> int:
    if not on_npu(tile.part, scenario):
        return scenario.stages * tile.bytes + tile.part.scratch
    return scenario.stages * (tile.bytes - (tile.part.weights if scenario.weight_memory else 0))


def _moves(tile: Tile, scenario: Scenario) -> tuple[float, float]:
    """Return the cycles of a tile's transfers in and out."""
    in_place = on_npu(tile.part, scenario) and scenario.weight_memory
    fetched = tile.fetched[:-1] if in_place else tile.fetched
    inward, outward = (MACHINE.link(name) for name in ("dma_in", "dma_out"))
    incoming = sum(inward.cycles(block.row, (block.rows,)) + ISSUE for block in fetched)
    return incoming, outward.cycles(tile.written.row, (tile.written.rows,)) + ISSUE


@cache
def _tile_times(tile: Tile, scenario: Scenario) -> Times:
    part, transfers = tile.part, sum(_moves(tile, scenario))
    if on_npu(part, scenario):
        return Times(npu_cycles(part, scenario.weight_memory), transfers, JOB + CLOSURES)
    return Times(cluster_work(part, scenario.cores).cycles, transfers, FORK + CLOSURES)


def npu_cycles(operator: Operator, in_weight_memory: bool) -> int:
    """
    Return the cycles of a job.

    The rows of a product are pixels (section V-B), of an image that fills the NPU's blocks as far as it can: Deeploy's
    pass NeurekaReshapePointwiseConvolution.
    """
    window, product = operator.window, operator.product
    if product is not None:
        size = (product.depth, product.features)
        images = pixel_grids(product.batch * product.rows)
        return sum(job_cycles("1x1", *image, *size, weights_in_wmem=in_weight_memory) for image in images)
    assert window is not None
    kind = "depthwise" if operator.kind == "depthwise" else "1x1" if window.taps == (1, 1) else "3x3"
    dense = kind == "1x1"  # which reads the pixels that it needs; others make all and keep some
    rows, columns = (n if dense else n * step for n, step in zip(window.out, window.strides, strict=True))
    size = (rows, columns, window.channels, window.features)
    # A depthwise job reads a word for each bit of a weight, wherever they lie (pulp-platform/neureka 01b4b73d,
    # rtl/ctrl/neureka_ctrl.sv: tot_len_weights). GVSoC's model has it read one for each channel and bit from the
    # weight memory.
    in_turn = in_weight_memory and kind != "depthwise"
    return job_cycles(kind, *size, pad=(window.pads[2], window.pads[3]), weights_in_wmem=in_turn)


def cluster_work(operator: Operator, cores: int) -> Work:
    """Return the work of the busiest core for an operator."""
    window, product, shape = operator.window, operator.product, operator.shape
    length = shape[-1] if shape else 1
    if product is not None:
        return library.product(product, cores)
    if window is not None:
        return _WINDOWS[operator.kind](window, cores)
    elements = prod(shape)
    if operator.kind == "softmax":
        return library.softmax(elements // length, length, cores)
    if operator.kind == "norm":
        return library.norm(elements // length, length, cores)
    if operator.kind == "transpose":
        return library.transpose(shape, cores)
    if operator.kind == "concatenate":
        return library.concatenate(shape[0], operator.lengths)
    return library.elements(elements, _EACH[operator.kind], cores)


_WINDOWS = {
    "convolution": library.convolution,
    "depthwise": library.depthwise,
    "maximum": library.maximum,
}
_EACH = {
    "requantise": library.REQUANTISE,
    "add": library.ADD,
    "multiply": library.MULTIPLY,
    "swish": library.SWISH,
}
