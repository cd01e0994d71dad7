"""Networks on every target: levels hold what lies there, buffers are aligned, and what runs is proved."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.rewriter import Rewriter

from tilewright import compiler
from tilewright.compiler import Model, compile_model, machine_named, pipeline_of
from tilewright.dialects.core.machine.file import find_machine, variants
from tilewright.dialects.core.machine.targets import machines
from tilewright.dialects.hier import DmaNoneOp, DmaWaitOp
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.passes.verify_memory import verify_memory
from tilewright.test.oracles.memory_properties import explicit_program, violations
from tilewright.test.small_models import chain, save

TARGETS = [*machines(), *variants()]
MOST_INSTANCES = 64
"""Instances of an engine, of which each has a program: more are the same program once more."""


def is_small(target: str) -> bool:
    return all(prod(engine.count) <= MOST_INSTANCES for engine in find_machine(target).engines)


SMALL = [target for target in TARGETS if is_small(target)]
CASES = [(name, target) for name in ("ds-cnn", "mlp") for target in SMALL if name == "mlp" or target.count("/") == 0]


def prove(module: ModuleOp) -> None:
    verify_memory(module, plain=False, tiles=False)


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "target"), [*CASES, ("ds-cnn", "siracusa/l3")])
def test_networks_of_the_zoo(name: str, target: str):
    assert list(violations(explicit_program(import_model(zoo.build(name)), target))) == []


@pytest.mark.sample(4)
@pytest.mark.parametrize("target", TARGETS)
def test_a_chain_of_convolutions(target: str):
    assert list(violations(explicit_program(import_model(chain()), target))) == []


@pytest.mark.nightly
@pytest.mark.parametrize("rows", ["row_bytes = 96\nalignment = 96\nsize = 11520", "alignment = 64\nsize = 12288"])
def test_stages_and_tiles_lie_in_rows(rows: str, tmp_path: Path):
    (tmp_path / "rows.toml").write_text(f'include = "siracusa/cluster"\n[levels.L1]\n{rows}\n')
    program = explicit_program(import_model(zoo.build("ds-cnn")), str(tmp_path / "rows.toml"))
    assert list(violations(program)) == []


def test_memory_of_a_level_is_aligned_in_c(tmp_path: Path):
    save(chain(), tmp_path / "net.onnx")
    (tmp_path / "wide.toml").write_text('include = "host"\n[levels.RAM]\nalignment = 256\n')
    program = compile_model(Model(tmp_path / "net.onnx"), str(tmp_path / "wide.toml")).program()
    assert {weight.alignment for weight in program.weights} == {256}
    assert re.findall(r"static _Alignas\((\d+)\) uint8_t \w+_arena", program.body) == ["256"]


@pytest.mark.parametrize("target", ["host", "native"])
def test_too_little_memory_is_refused(target: str, tmp_path: Path):
    save(zoo.build("ds-cnn"), tmp_path / "net.onnx")
    (tmp_path / "tiny.toml").write_text(f'include = "{target}"\n[levels.RAM]\nsize = "4KiB"\n')
    with pytest.raises(Diagnostic, match=r"the network does not fit RAM: [\d,]+ bytes short") as error:
        compile_model(Model(tmp_path / "net.onnx"), str(tmp_path / "tiny.toml"))
    assert "give RAM" in error.value.remedy


@pytest.mark.sample(2)
@pytest.mark.parametrize(("target", "level"), [("host", "RAM"), ("native", "RAM"), ("siracusa", "L2")])
def test_too_little_memory_is_refused_before_the_program_is_proved(target: str, level: str, tmp_path: Path):
    (tmp_path / "tiny.toml").write_text(f'include = "{target}"\n[levels.{level}]\nsize = "8KiB"\n')
    with pytest.raises(Diagnostic, match=f"the network does not fit {level}"):
        explicit_program(import_model(zoo.build("ds-cnn")), str(tmp_path / "tiny.toml"))


@pytest.mark.quick
@pytest.mark.parametrize("proof", list(compiler.PROOFS))
@pytest.mark.parametrize("target", list(machines()))
def test_a_pipeline_without_proofs_is_refused(target: str, proof: str):
    machine = machine_named(target)
    assert pipeline_of(machine)
    without = [replace(phase, text=re.sub(proof + r"(\{[^}]*\})?", "cse", phase.text)) for phase in machine.phases]
    with pytest.raises(Diagnostic, match="proves nothing of what") as error:
        pipeline_of(replace(machine, phases=tuple(without)))
    assert proof in error.value.remedy


# Planted faults


@pytest.fixture(scope="module")
def explicit(tmp_path_factory: pytest.TempPathFactory) -> ModuleOp:
    """Return a program with stages: the near memory is smaller than some layers."""
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text('include = "siracusa"\n[levels.L1]\nsize = "12KiB"\n')
    return explicit_program(import_model(zoo.build("ds-cnn")), str(path))


def waits_of(module: ModuleOp) -> list[DmaWaitOp]:
    """Return the waits for transfers."""
    return [op for op in module.walk() if isinstance(op, DmaWaitOp) and not isinstance(op.token.owner, DmaNoneOp)]


@pytest.mark.nightly
def test_each_dropped_wait_is_refused(explicit: ModuleOp):
    for number in range(0, len(waits_of(explicit)), 6):
        module = explicit.clone()
        Rewriter.erase_op(waits_of(module)[number])
        with pytest.raises(Diagnostic, match=r"rule '(race|token)'"):
            prove(module)


@pytest.mark.parametrize(("by", "rule"), [(4096, "initialised|disjoint|inside|race"), (1, "aligned"), (2, "aligned")])
def test_a_shifted_stage_is_refused(by: int, rule: str, explicit: ModuleOp):
    module = explicit.clone()
    views = [
        op for op in module.walk() if isinstance(op, memref.ViewOp) and isinstance(op.byte_shift.owner, arith.AddiOp)
    ]
    assert views
    shift = views[0].byte_shift.owner
    assert isinstance(shift, arith.AddiOp)
    more = arith.ConstantOp(IntegerAttr(by, IndexType()))
    moved = arith.AddiOp(shift.result, more)
    block = views[0].parent
    assert block is not None
    block.insert_ops_before([more, moved], views[0])
    views[0].operands[1] = moved.result
    with pytest.raises(Diagnostic, match=rf"rule '({rule})'"):
        prove(module)
