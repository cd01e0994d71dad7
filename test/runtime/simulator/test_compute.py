"""Programs with time and data: right ones compute what the interpreter does, races compute something else."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import AffineMapAttr, MemRefType, ModuleOp, i8
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import Rewriter

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.layout_arrays import laid_out, part_of
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import DmaWaitOp
from tilewright.errors import Diagnostic
from tilewright.frontend.zoo import llama
from tilewright.ir import Array
from tilewright.passes.expand_grid import ExpandGridPass
from tilewright.passes.pipeline_dma import PipelineDmaPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import Session, random_inputs, run_module
from tilewright.runtime.simulator import TimedSession
from tilewright.runtime.simulator.effects import poison
from tilewright.runtime.testing.programs.explicit import arena_program, expanded_program, grid_program
from tilewright.test.faults.mutation_faults import FAULTS, Fault
from tilewright.test.machines.make import FOLDER, machine
from tilewright.test.runtime.simulator.copied_grids import GRID, OWN, SHARED
from tilewright.test.runtime.simulator.programs import planned
from tilewright.test.small_models import save_case

quick = pytest.mark.quick
KIB = 1024
TRANSFERS = [fault for fault in FAULTS if fault.name.startswith(("grid: address", "transfers:", "arena:"))]


def timed(module: ModuleOp, inputs: Mapping[str, Array], near: Machine | None = None) -> dict[str, Array]:
    return TimedSession(module, machine=near).run(inputs)


def same(found: Mapping[str, Array], wanted: Mapping[str, Array]) -> bool:
    return list(found) == list(wanted) and all(np.array_equal(found[name], wanted[name]) for name in wanted)


def near_for(seed: int) -> Machine:
    """Return a machine with a slow or a fast link, of one channel or two."""
    return machine(bandwidth=(1, 8)[seed % 2], channels=1 + seed // 2 % 2)


# Programs that are right


@pytest.mark.sample(1)
@pytest.mark.parametrize(("network", "channels"), [("ds-cnn", 2), ("mlp", 1), ("mlp", 2)])
def test_networks_compute_what_the_interpreter_does(network: str, channels: int) -> None:
    module = planned(network, machine(8 * KIB, channels=channels, bandwidth=2))
    inputs = random_inputs(module, 0)
    before = str(module)
    assert same(timed(module, inputs), run_module(module, inputs))
    assert str(module) == before


@pytest.mark.parametrize("own", [False, True])
def test_copies_of_an_engine_compute_what_the_interpreter_does(own: bool) -> None:
    module = planned("mlp", machine(64 * KIB, copies=4, own=["L1"] * own, channels=2))
    inputs = random_inputs(module, 0)
    assert same(timed(module, inputs), run_module(module, inputs))


@pytest.mark.sample(1)
@pytest.mark.parametrize("program", [grid_program, expanded_program, arena_program])
def test_random_programs_compute_what_the_interpreter_does(program: Callable[[random.Random], ModuleOp]) -> None:
    for seed in range(25):
        module = program(random.Random(seed))
        inputs = random_inputs(module, seed)
        assert same(timed(module, inputs, near_for(seed)), run_module(module, inputs)), seed


def test_state_outlives_a_call(tmp_path: Path) -> None:
    path = tmp_path / "llama.onnx"
    config = llama.Config(layers=1, dim=8, heads=2, hidden=8, vocabulary=16, context=16)
    path.write_bytes(llama.step(5, config=config).SerializeToString())
    module = compile_model(Model(path, context=4), "siracusa", explicit=True).module
    simulated, interpreted = TimedSession(module), Session(module)
    given = random_inputs(module, 0)
    steps = [{name: np.full_like(array, step) for name, array in given.items()} for step in range(3)]
    outputs = [simulated.run(step) for step in steps]
    assert all(same(found, interpreted.run(step)) for found, step in zip(outputs, steps, strict=True))
    simulated.reset()
    assert same(simulated.run(steps[0]), outputs[0])


# Programs that are wrong

PROGRAM = """
"memref.global"() <{sym_name = "near", type = memref<256xi8, "L1">, initial_value}> : () -> ()
func.func @network(%a: memref<2x64xi8> {onnx.name = "a"},
                   %b: memref<2x64xi8> {onnx.name = "b", tilewright.output}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %second = arith.constant SECOND : index
  %result = arith.constant 128 : index
  %memory = memref.get_global @near : memref<256xi8, "L1">
  %x = memref.view %memory[%zero][] : memref<256xi8, "L1"> to memref<1x64xi8, "L1">
  %y = memref.view %memory[%second][] : memref<256xi8, "L1"> to memref<1x64xi8, "L1">
  %r = memref.view %memory[%result][] : memref<256xi8, "L1"> to memref<1x64xi8, "L1">
  %fetch = hier.dma_start %a[%zero, %zero] to %x : memref<2x64xi8>, memref<1x64xi8, "L1">
  hier.dma_wait %fetch
  %next = hier.dma_start %a[%one, %zero] to %y : memref<2x64xi8>, memref<1x64xi8, "L1">
  KERNEL(%x)
  %write = hier.dma_start %b[%zero, %zero] from %r : memref<2x64xi8>, memref<1x64xi8, "L1">
  hier.dma_wait %next
  hier.dma_wait %write
  KERNEL(%y)
  %last = hier.dma_start %b[%one, %zero] from %r : memref<2x64xi8>, memref<1x64xi8, "L1">
  hier.dma_wait %last
  func.return
}
"""
KERNEL = """linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(INPUT : memref<1x64xi8, "L1">) outs(%r : memref<1x64xi8, "L1">) {
  ^bb0(%p: i8, %q: i8):
    %s = arith.addi %p, %p : i8
    linalg.yield %s : i8
  }"""


def program(*missing: str, second: int = 64) -> ModuleOp:
    """Return the program, with the second tile at an address, and without waits for some of the transfers."""
    text = PROGRAM.replace("SECOND", str(second))
    for name in missing:
        assert f"hier.dma_wait %{name}\n" in text
        text = text.replace(f"hier.dma_wait %{name}\n", "\n")
    for name in ("%x", "%y"):
        text = text.replace(f"KERNEL({name})", KERNEL.replace("INPUT", name))
    return parse_module(new_context(), text)


INPUTS = {"a": np.arange(128, dtype=np.int8).reshape(2, 64)}
POISON = np.int8(-91)  # 0xA5


@quick
def test_a_program_by_hand() -> None:
    assert np.array_equal(timed(program(), INPUTS, machine())["b"], INPUTS["a"] * np.int8(2))


@pytest.mark.parametrize("second", [0, 32, 63])
def test_overlapping_addresses_show_though_the_interpreter_is_right(second: int) -> None:
    """The second tile is on its way while the first is worked on: the interpreter moves it at the wait, too late."""
    wanted = INPUTS["a"] * np.int8(2)
    assert np.array_equal(run_module(program(second=second), INPUTS)["b"], wanted)
    found = timed(program(second=second), INPUTS, machine())["b"]
    assert np.array_equal(found[0, :second], wanted[0, :second]) == (second == 0)
    assert np.array_equal(found[1], wanted[1])
    assert np.array_equal(found, timed(program(second=second), INPUTS, machine())["b"])


@quick
@pytest.mark.parametrize(("waits", "rows"), [(["fetch"], [0]), (["next", "write"], [0, 1]), (["last"], [1])])
def test_a_missing_wait_shows(waits: Sequence[str], rows: Sequence[int]) -> None:
    """With a link that is slower than the kernel; the wait for the first write is one for what was fetched before."""
    found = timed(program(*waits), INPUTS, slow())["b"]
    wanted = INPUTS["a"] * np.int8(2)
    for row in range(2):
        equal = np.count_nonzero(found[row] == wanted[row])
        assert equal <= 1 if row in rows else equal == 64


@quick
def test_what_is_under_way_in_the_end_is_not_there() -> None:
    assert (timed(program("last"), INPUTS, slow())["b"][1] == POISON).all()


@quick
def test_what_is_written_over_on_its_way_shows() -> None:
    """The second kernel writes to the buffer that is still being read: nobody knows what has gone out."""
    found = timed(program("write"), INPUTS, slow())["b"]
    assert (found[0] == POISON).all()
    assert np.array_equal(found[1], INPUTS["a"][1] * np.int8(2))


def slow() -> Machine:
    """Return a machine whose engine is faster than its link."""
    near = machine()
    return replace(near, links=tuple(replace(link, startup=4000) for link in near.links))


@quick
@pytest.mark.parametrize("joined", [True, False])
def test_kernels_beside_the_program_are_waited_for(joined: bool) -> None:
    """What is sent out before a launched kernel is done is poison; the interpreter runs it at the join."""
    text = PROGRAM.replace("SECOND", "64").replace("KERNEL(%y)", KERNEL.replace("INPUT", "%y"))
    launch = f"%job = hier.launch {{\n{KERNEL.replace('INPUT', '%x')}\n  }}\n"
    text = text.replace("KERNEL(%x)", launch + "hier.join %job" * joined)
    found = timed(parse_module(new_context(), text), INPUTS, machine())["b"]
    assert np.array_equal(found[0], INPUTS["a"][0] * np.int8(2)) == joined


@quick
def test_memory_holds_poison_at_first() -> None:
    """Where nothing is written, the interpreter finds zeros."""
    text = PROGRAM.partition("%fetch")[0] + "%last" + PROGRAM.partition("%last")[2]
    module = parse_module(new_context(), text.replace("SECOND", "64"))
    assert not run_module(module, INPUTS)["b"].any()
    assert (timed(module, INPUTS, machine())["b"] == POISON).all()


@pytest.mark.parametrize("spatial", [SHARED, OWN])
def test_copies_that_lie_in_each_other_show(spatial: str) -> None:
    """Copies take turns in the interpreter, which finds nothing wrong."""
    near = machine(copies=2, own=["L1"] * (spatial == OWN))
    inputs = {"arg0": np.random.default_rng(0).integers(-128, 128, (8, 64)).astype(np.int8)}
    right = parse_module(new_context(), GRID.replace("SPATIAL", spatial))
    wanted = run_module(right, inputs)
    assert same(timed(right, inputs, near), wanted)
    wrong = parse_module(new_context(), GRID.replace("SPATIAL", spatial.replace("256", "64")))
    assert same(run_module(wrong, inputs), wanted)
    assert same(timed(wrong, inputs, near), wanted) == (spatial == OWN)


@pytest.mark.sample(2)
@pytest.mark.parametrize("fault", TRANSFERS, ids=lambda fault: fault.name)
def test_what_computes_something_else_is_refused_by_the_proofs(fault: Fault) -> None:
    """A planted fault may do no harm at the times of one machine; where it does, verify-memory has found it."""
    wrong = 0
    for seed in range(12):
        draw = random.Random(f"{fault.name} {seed}")
        module = fault.program(draw)
        mutant = module.clone()
        if not fault.plant(mutant, draw) or not is_valid(mutant):
            continue
        inputs = random_inputs(module, seed)
        wanted = run_module(module, inputs)
        if is_right(mutant, inputs, wanted, near_for(seed)):
            continue
        wrong += 1
        with pytest.raises(Diagnostic):
            verify_memory(mutant)
    assert wrong or fault.name == "transfers: swapped tokens"


def is_valid(module: ModuleOp) -> bool:
    try:
        verify(module)
    except Diagnostic:
        return False
    return True


def is_right(module: ModuleOp, inputs: Mapping[str, Array], wanted: Mapping[str, Array], near: Machine) -> bool:
    try:
        return same(timed(module, inputs, near), wanted)
    except Diagnostic:
        return False


def test_waits_of_a_pipelined_network_count() -> None:
    """Transfers on one channel follow each other, so that not every wait shows alone."""
    module = planned("mlp", machine(8 * KIB, bandwidth=1))
    ExpandGridPass().apply(new_context(), module)
    PipelineDmaPass().apply(new_context(), module)
    inputs = random_inputs(module, 0)
    wanted = timed(module, inputs)
    waits = range(sum(isinstance(op, DmaWaitOp) for op in module.walk()))
    assert not same(timed(without_waits(module, waits), inputs), wanted)
    assert not all(same(timed(without_waits(module, [number]), inputs), wanted) for number in waits)


def without_waits(module: ModuleOp, numbers: Sequence[int]) -> ModuleOp:
    copy = module.clone()
    for number, op in enumerate([op for op in copy.walk() if isinstance(op, DmaWaitOp)]):
        if number in numbers:
            Rewriter.erase_op(op)
    return copy


# What cannot be done

LOADED = """
func.func @network(%a: memref<2x64xi8> {onnx.name = "a"}, %at: memref<1xi64> {onnx.name = "at"},
                   %b: memref<2x64xi8> {onnx.name = "b", tilewright.output}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %own = memref.alloc() : memref<1xi64>
  "LOOP"(%0, %2, %1) ({
  ^bb0(%i: index):
    "memref.copy"(%a, %b) : (memref<2x64xi8>, memref<2x64xi8>) -> ()
    "memref.copy"(%at, %own) : (memref<1xi64>, memref<1xi64>) -> ()
    %n = memref.load %own[%0] : memref<1xi64>
    %k = arith.index_cast %n : i64 to index
    %row = memref.subview %a[%k, 0] [1, 64] [1, 1]
        : memref<2x64xi8> to memref<1x64xi8, strided<[64, 1], offset: ?>>
    %to = memref.subview %b[%i, 0] [1, 64] [1, 1]
        : memref<2x64xi8> to memref<1x64xi8, strided<[64, 1], offset: ?>>
    "memref.copy"(%row, %to) : (memref<1x64xi8, strided<[64, 1], offset: ?>>,
                                memref<1x64xi8, strided<[64, 1], offset: ?>>) -> ()
    END
  }) SEGMENTS : (index, index, index) -> ()
  func.return
}
"""


@quick
def test_loaded_indices_are_those_of_their_time() -> None:
    inputs = INPUTS | {"at": np.array([1], np.int64)}
    loop = LOADED.replace("LOOP", "scf.for").replace("END", "scf.yield").replace("SEGMENTS", "")
    module = parse_module(new_context(), loop)
    assert np.array_equal(timed(module, inputs, machine())["b"], INPUTS["a"][[0, 1]])
    segments = "<{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>"
    together = LOADED.replace('"LOOP"(%0, %2, %1)', f'"scf.parallel"(%0, %2, %1) {segments}')
    together = together.replace("END", "scf.reduce").replace("SEGMENTS", "")
    with pytest.raises(Diagnostic, match="an index is loaded in a parallel loop"):
        timed(parse_module(new_context(), together), inputs, machine(copies=2))


def test_check_on_the_simulator(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = save_case(tmp_path / "case")
    words = ["check", str(case.folder), "--on", "simulator", "--target", str(FOLDER / "two_level.toml")]
    assert cli.main(words) == 0
    assert "1 passed, 0 failed, on simulator" in capsys.readouterr().out
    golden = dict(np.load(case.folder / "outputs.npz"))
    np.savez(case.folder / "outputs.npz", **{name: array + 1 for name, array in golden.items()})
    assert cli.main(words) == 1
    assert "simulator: output" in capsys.readouterr().err


@quick
def test_poison_of_a_part_in_blocks_leaves_the_rest() -> None:
    rows, columns = AffineExpr.dimension(0), AffineExpr.dimension(1)
    blocks = AffineMapAttr(AffineMap(2, 0, (columns // 4, rows, columns % 4)))
    whole = laid_out(np.zeros(16, np.int8), MemRefType(i8, [2, 8], blocks))
    poison(part_of(whole, (slice(0, 1), slice(2, 6))))
    assert np.flatnonzero(whole[...]).tolist() == [2, 3, 4, 5]
