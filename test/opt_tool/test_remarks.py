"""Remarks: output only, so that the IR is the same with and without; JSON that is read again; one line in a pass."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i32

import tilewright
from tilewright.errors import Diagnostic
from tilewright.opt_tool import main
from tilewright.passes.core.base import Pass
from tilewright.passes.core.remark_log import collected
from tilewright.passes.core.remarks import Remark, analysis, heard_by, missed, passed, wanted
from tilewright.runtime.driver.driver import Registries
from tilewright.runtime.remarks.records import as_json, chosen, from_json

MACHINE = Path(__file__).parents[1] / "machines" / "two_level.toml"
ADDITION = """\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32 loc("Add_0")
  func.return %a : i32
}
"""


@dataclass(frozen=True)
class CountUsesPass(Pass):
    """Remark on additions."""

    name = "count-uses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for addition in (inner for inner in op.walk() if isinstance(inner, arith.AddiOp)):
            analysis(addition, "uses", "{uses} uses", uses=len(list(addition.result.uses)))


def remark_of(**arguments: object) -> Remark:
    """Return the remark that a listener hears, with these arguments."""
    remarks: list[Remark] = []
    with heard_by(remarks.append):
        passed(arith.ConstantOp.from_int_and_width(0, i32), "size", "", **arguments)
    return remarks[0]


def test_nothing_is_formatted_without_a_listener():
    class Failing:
        def __format__(self, spec: str) -> str:
            raise AssertionError("formatted")

    assert not wanted()
    missed(ModuleOp([]), "size", "{failing}", failing=Failing())


def test_arguments_are_data():
    array, kind = np.arange(3), i32
    remark = remark_of(size=array[2], shape=tuple(array), types={"in": kind}, names={"b", "a"}, ratio=float("inf"))
    assert json.loads(as_json([remark]))[0]["args"] == {
        "size": 2,
        "shape": [0, 1, 2],
        "types": {"in": "i32"},
        "names": ["a", "b"],
        "ratio": "inf",
    }


def test_remarks_of_a_pass_are_collected(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, output = tmp_path / "f.mlir", tmp_path / "remarks.json"
    file.write_text(ADDITION)
    registries = Registries(passes={"count-uses": lambda: CountUsesPass})
    assert main([str(file), "-p", "count-uses", "--remarks", str(output)], registries) == 0
    (remark,) = from_json(output.read_text(), "remarks.json")
    assert (remark.pass_name, remark.pass_number, remark.function) == ("count-uses", 1, "f")
    assert str(remark) == "node \"Add_0\": remark: [count-uses] analysis uses of 'arith.addi': 1 uses"
    assert as_json([remark]) == output.read_text()
    capsys.readouterr()


def test_opt_collects_remarks():
    remarks: list[Remark] = []
    assert tilewright.opt(ADDITION, "cse", remarks=remarks) == tilewright.opt(ADDITION, "cse")
    assert remarks == []
    assert not wanted()


def test_without_a_list_nobody_listens():
    with collected(None) as observers:
        assert not observers
        assert not wanted()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "no JSON"),
        ("{}", "no list"),
        ("[1]", "'kind' with a value of type str"),
        ('[{"kind": "passed"}]', "'pass' with a value of type str"),
        (as_json([remark_of()]).replace('"passed"', '"failed"'), "no kind 'failed'"),
        (as_json([remark_of()]).replace('"number": 0', '"number": true'), "'number' with a value of type int"),
    ],
)
def test_malformed_files_are_refused(text: str, message: str):
    with pytest.raises(Diagnostic) as error:
        from_json(text, "a.json")
    assert message in str(error.value)
    assert "a.json" in str(error.value)


def test_a_pattern_chooses_by_kind_pass_and_name():
    remark = remark_of()
    assert chosen([remark], "^passed .*size$") == [remark]
    assert chosen([remark], "missed") == []


@st.composite
def products(draw: st.DrawFn) -> str:
    """Draw a chain of matrix products on buffers, each of the result of the one before."""
    rows, *sizes = draw(st.lists(st.integers(1, 40), min_size=3, max_size=5))
    names = [f"%t{number}" for number in range(len(sizes))]
    types = [f"memref<{rows}x{size}xi8>" for size in sizes]
    weights = [f"memref<{one}x{two}xi8>" for one, two in pairwise(sizes)]
    arguments = [f"%w{number}: {kind}" for number, kind in enumerate(weights)]
    ends = [f"{names[0]}: {types[0]}", f"{names[-1]}: {types[-1]}"]
    lines = [f"  {name} = memref.alloc() : {kind}" for name, kind in zip(names[1:-1], types[1:-1], strict=True)]
    for number, weight in enumerate(weights):
        ins = f"ins({names[number]}, %w{number} : {types[number]}, {weight})"
        outs = f"outs({names[number + 1]} : {types[number + 1]})"
        lines.append(f"  nn.matmul {ins} {outs} {{accumulator = i8}}")
    return "\n".join([f"func.func @f({', '.join([*ends, *arguments])}) {{", *lines, "  func.return", "}"])


def planned(program: str, level_bytes: int, remarks: list[Remark] | None) -> str:
    """Return the plan of a program for a level of some bytes, or the error where none fits."""
    options = f"level-bytes={level_bytes} time-budget=0"
    try:
        passes = f"attach-machine{{target={MACHINE}}},map-engines,plan-memory{{{options}}}"
        return tilewright.opt(program, passes, remarks=remarks)
    except Diagnostic as error:
        return str(error)


@settings(max_examples=12, deadline=None)
@given(products(), st.integers(64, 4096))
def test_plans_are_the_same_with_and_without(program: str, level_bytes: int):
    remarks: list[Remark] = []
    plan = planned(program, level_bytes, remarks)
    assert plan == planned(program, level_bytes, None)
    kinds = {(remark.kind, remark.name) for remark in remarks}
    assert ("passed", "engine") in kinds
    assert (("passed", "tile") in kinds) == ("hier.grid" in plan)
