from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilewright.dialects.core.machine.targets import Machine, Phase, machine_at, machines, parse_phases
from tilewright.errors import Diagnostic
from tilewright.grammar import UsageError, parse_items
from tilewright.passes.core.pipeline import Pipeline, parse_pipeline

pytestmark = pytest.mark.quick


@dataclass(frozen=True)
class TilePass(ModulePass):
    name = "tile"

    sizes: tuple[int, ...] = ()
    memory: str = "L1"
    scale: float = 1.0
    dry_run: bool = False
    limit: int | None = None
    order: Literal["row", "column"] = "row"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@dataclass(frozen=True)
class NeedsPass(ModulePass):
    name = "needs"

    size: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


@dataclass(frozen=True)
class PlainPass(ModulePass):
    name = "plain"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


PASSES = {"tile": lambda: TilePass, "needs": lambda: NeedsPass, "plain": lambda: PlainPass}
TOY = Machine(
    "toy", Path("toy"), "", (Phase("front", "plain,tile{sizes=1}", 1), Phase("back", "needs{size=3},plain", 2))
)


def parse(text: str, named: Mapping[str, Machine] | None = None) -> Pipeline:
    return parse_pipeline(text, PASSES, named or {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "builtin.module()"),
        ("builtin.module()", "builtin.module()"),
        ("plain", "builtin.module(plain)"),
        (" plain ,\n tile ", "builtin.module(plain,tile)"),
        ("builtin.module(func.func(plain,tile),plain)", "builtin.module(func.func(plain,tile),plain)"),
        ("func.func(plain),func.func(tile)", "builtin.module(func.func(plain,tile))"),
        ("builtin.module(builtin.module(func.func(plain)))", "builtin.module(builtin.module(func.func(plain)))"),
        ("tile{sizes=4,8 memory=L2}", "builtin.module(tile{sizes=4,8 memory=L2})"),
        ("tile{sizes=[4, 8]}", "builtin.module(tile{sizes=4,8})"),
        ("tile{sizes=4 sizes=[]}", None),
        ("tile{sizes=[] dry-run}", "builtin.module(tile{dry-run=true})"),
        ("tile{dry_run=false}", "builtin.module(tile)"),
        ("tile{memory='a b'}", 'builtin.module(tile{memory="a b"})'),
        ('tile{memory="a \\"b\\" {c}"}', 'builtin.module(tile{memory="a \\"b\\" {c}"})'),
        ("tile{memory={a=1,b}}", 'builtin.module(tile{memory="a=1,b"})'),
        ("tile{memory=7}", 'builtin.module(tile{memory="7"})'),
        ("tile{scale=2}", "builtin.module(tile{scale=2.0})"),
        ("tile{limit=0x10 order=column}", "builtin.module(tile{limit=16 order=column})"),
    ],
)
def test_text_and_its_normal_form(text: str, expected: str | None):
    if expected is None:
        with pytest.raises(UsageError, match="given twice"):
            parse(text)
        return
    assert str(parse(text)) == expected
    assert parse(expected) == parse(text)


def test_a_pipeline_in_brackets_is_the_arguments_of_mlir_opt():
    pipeline = "func.func(cse,canonicalize{region-simplify=normal}),inline"
    arguments = f"'--mlir-print-op-generic','--allow-unregistered-dialect','-p','builtin.module({pipeline})'"
    (item,) = parse_items(f"mlir-opt[{pipeline}]")
    (option,) = item.options
    (spelled,) = parse_items(f"mlir-opt{{arguments={arguments}}}")[0].options
    assert (option.name, [value.text for value in option.values or ()]) == (
        spelled.name,
        [value.text for value in spelled.values or ()],
    )


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("plain,", "a pass is missing", 6),
        ("plain tile", "the pipeline goes on after its end", 6),
        ("builtin.module(plain", "'builtin.module(' is not closed", 20),
        ("tile{sizes=", "the value is missing", 11),
        ("tile{sizes=[1,2}", "the list is not closed", 15),
        ("plain,mlir-opt[cse", "the bracket is not closed", 14),
        ("plain[cse]", "the pipeline goes on after its end", 5),
        ("tile{=3}", "an option of 'tile' is malformed", 5),
        ('tile{memory="a}', "the quoted text is not closed", 12),
        ("tile{memory={a}", "an option of 'tile' is malformed", 15),
        ("plain,tiel", "no pass 'tiel'", 6),
        ("builtin.module", "no pass 'builtin.module'", 0),
        ("func.fun(plain)", "no op 'func.fun'", 0),
        ("scf.for(plain)", "no passes can be run on 'scf.for' alone", 0),
        ("tile{size=1}", "'tile' has no option 'size'", 5),
        ("plain{a}", "'plain' has no option 'a'", 6),
        ("needs", "'needs' needs the option 'size'", 0),
        ("needs{size}", "the option 'size' of 'needs' has the wrong type", 6),
        ("needs{size=x}", "the option 'size' of 'needs' has the wrong type", 11),
        ("needs{size=1,2}", "the option 'size' of 'needs' has the wrong type", 11),
        ('needs{size="1"}', "the option 'size' of 'needs' has the wrong type", 11),
        ("tile{sizes=1,x}", "the option 'sizes' of 'tile' has the wrong type", 11),
        ("tile{dry-run=yes}", "the option 'dry-run' of 'tile' has the wrong type", 13),
        ("tile{order=diagonal}", "the option 'order' of 'tile' has the wrong type", 11),
    ],
)
def test_errors_point_into_the_text(text: str, message: str, column: int):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert caught.value.message.startswith(message)
    assert caught.value.snippet == (text, " " * column + "^")


def test_wrong_type_names_expected_and_found():
    with pytest.raises(UsageError) as caught:
        parse("tile{sizes=1,x}")
    assert (caught.value.expected, caught.value.found) == ("a list of: an integer", "1,x")


def test_misspelt_names_are_corrected():
    with pytest.raises(UsageError, match="did you mean 'sizes'"):
        parse("tile{size=1}")
    with pytest.raises(UsageError, match="did you mean 'toy-pipeline'"):
        parse("toy-pipelin", {"toy": TOY})


def test_long_pipelines_show_only_what_is_near_the_caret():
    with pytest.raises(UsageError) as caught:
        parse(",".join(["plain"] * 100 + ["wrong"]))
    line, caret = caught.value.snippet
    assert line[caret.index("^") :] == "wrong"
    assert len(line) <= 110


def test_machine_pipeline_keeps_its_phases():
    steps = parse("plain,toy-pipeline,tile", {"toy": TOY}).steps
    assert [step.phase for step in steps] == ["", "front", "front", "back", "back", ""]
    assert [step.name for step in steps] == ["plain", "plain", "tile", "needs", "plain", "tile"]


@pytest.mark.parametrize(
    ("start", "stop", "names"),
    [
        ("", "front", "plain tile"),
        ("back", "", "needs plain"),
        ("tile", "needs", "tile needs"),
        ("plain#2", "", "plain"),
        ("front", "back", "plain tile needs plain"),
    ],
)
def test_select(start: str, stop: str, names: str):
    part = parse("toy-pipeline", {"toy": TOY}).select(start, stop)
    assert " ".join(step.name for step in part.steps) == names


@pytest.mark.parametrize(
    ("start", "stop", "message"),
    [
        ("", "bakc", "did you mean 'back'"),
        ("plain", "", "'plain' occurs 2 times"),
        ("plain#3", "", "plain#1, plain#2"),
        ("back", "front", "comes before"),
    ],
)
def test_select_refuses(start: str, stop: str, message: str):
    with pytest.raises(UsageError, match=message):
        parse("toy-pipeline", {"toy": TOY}).select(start, stop)


def test_machine_pipeline_errors_name_the_file():
    machine = Machine("bad", Path("bad"), "", (Phase("front", "plain,tiel", 7),))
    with pytest.raises(UsageError) as caught:
        parse("bad-pipeline", {"bad": machine})
    assert caught.value.where == "bad/pipeline.txt:7"


def test_machine_pipeline_that_contains_itself():
    machine = Machine("loop", Path("loop"), "", (Phase("front", "loop-pipeline", 1),))
    with pytest.raises(UsageError, match="contains itself"):
        parse("loop-pipeline", {"loop": machine})


def test_phases_of_a_file():
    text = "# about it\nfront: plain, # the first\n  tile{sizes=1}\n\nback:\n  plain\n"
    assert parse_phases(text, "f") == (Phase("front", "plain, tile{sizes=1}", 2), Phase("back", "plain", 5))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("front plain", "f:1: error: not a phase"),
        ("front: plain\nfront: tile", "f:2: error: the phase 'front' occurs twice"),
        ("front:\nback: plain", "f:1: error: the phase 'front' has no pass"),
    ],
)
def test_malformed_phases(text: str, message: str):
    with pytest.raises(Diagnostic) as caught:
        parse_phases(text, "f")
    assert str(caught.value).startswith(message)


def test_machines_are_discovered(tmp_path: Path):
    (tmp_path / "chip").mkdir()
    (tmp_path / "chip" / "pipeline.txt").write_text("front: plain\n")
    (tmp_path / "chip" / "machine.toml").write_text('description = "A chip."\n')
    (tmp_path / "board").mkdir()
    (tmp_path / "board" / "machine.toml").write_text("# A board.\n[levels]\n")
    (tmp_path / "other").mkdir()
    found = machines(tmp_path)
    assert {name: each.summary for name, each in found.items()} == {"board": "A board.", "chip": "A chip."}
    assert found["chip"].phases == (Phase("front", "plain", 1),)


def test_a_malformed_machine_is_named(tmp_path: Path):
    (tmp_path / "machine.toml").write_text("= 3")
    with pytest.raises(Diagnostic, match=r"machine\.toml: error: not a TOML file"):
        machine_at(tmp_path)


def test_items_keep_their_places():
    items = parse_items("builtin.module(plain,tile{sizes=1})")
    assert [child.start for child in items[0].children or ()] == [15, 21]
