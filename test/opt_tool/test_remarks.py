"""Remarks: output only, so that the IR is the same with and without; JSON that is read again; one line in a pass."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i32

import tilewright
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.opt_tool import main
from tilewright.passes.core.base import Pass
from tilewright.passes.core.remark_log import collected
from tilewright.passes.core.remarks import Remark, analysis, heard_by, missed, passed, wanted
from tilewright.runtime.driver.driver import Registries
from tilewright.runtime.remarks.records import as_json, chosen, from_json
from tilewright.runtime.testing.programs.program import RandomProgram
from tilewright.testing import programs

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


@settings(max_examples=15, deadline=None)
@given(programs("kernels", "tensors", "mixed"))
def test_random_programs_are_the_same_with_and_without(program: RandomProgram):
    passes = "canonicalize,fuse-epilogues,bufferize,canonicalize"
    remarks: list[Remark] = []
    assert tilewright.opt(program.text, passes, remarks=remarks) == tilewright.opt(program.text, passes)


@pytest.mark.parametrize("target", ["siracusa", "gemmini"])
def test_a_planned_network_is_the_same_with_and_without(target: str, tmp_path: Path):
    model, plain, remarked = (tmp_path / name for name in ("net.onnx", "plain.mlir", "remarked.mlir"))
    model.write_bytes(zoo.build("mlp").SerializeToString())
    words = [str(model), "-p", f"{target}-pipeline", "--stop-after=plan-memory", "--mlir-print-debuginfo"]
    assert main([*words, "-o", str(plain)]) == 0
    assert main([*words, "-o", str(remarked), "--remarks", str(tmp_path / "remarks.json")]) == 0
    assert plain.read_bytes() == remarked.read_bytes()
    remarks = from_json((tmp_path / "remarks.json").read_text(), "remarks.json")
    assert {"fuse-epilogues", "map-engines", "plan-memory"} <= {remark.pass_name for remark in remarks}
